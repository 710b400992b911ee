/**
 * `npm run docs:pictures`: makes the pictures of the documentation: the views of the page, from a server with real jobs; a recording of
 * `troupe analyze`; and diagrams. `--diagrams` draws only these. It needs Debian's chromium.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { drawDiagrams } from './lib/mermaid.mjs';
import { recordCommand } from './lib/recording.mjs';
import { environment, startServer, workplace } from './lib/server.mjs';

const OUT = 'docs/pictures';
const SIZE = { width: 1400, height: 900 };
const MOST_BYTES = 150_000;
const JOBS = [
  ['goforward.wav', 'SPEECH DETECTION PIPELINE'],
  ['text.png', 'TEXT DETECTION PIPELINE'],
  ['scenes_pd.mp4', 'SCENE CHANGE DETECTION PIPELINE'],
  ['race.jpg', 'OBJECT DETECTION PIPELINE'],
  ['face_move.mp4', 'FACE DETECTION PIPELINE'],
];

const program = spawnSync('which', ['chromium'], { encoding: 'utf8' }).stdout.trim();
if (program === '') throw new Error('Chromium is missing: apt-get install chromium.');
const browser = await chromium.launch({
  executablePath: program,
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});
try {
  console.log(`${await drawDiagrams(browser)} diagrams drawn.`);
  if (!process.argv.includes('--diagrams')) await takePictures();
} finally {
  await browser.close();
}

async function takePictures() {
  mkdirSync(OUT, { recursive: true });
  const place = workplace();
  const media = path.join(place.root, 'media');
  const server = await startServer(place, media);
  const camera = await startCamera();
  const env = { ...environment(place.bin), DATA_DIR: server.dataDir, TROUPE_URL: `http://${server.address}` };
  const troupe = (...words) =>
    execFileSync(path.join(place.bin, 'troupe'), words, { cwd: media, env, encoding: 'utf8' });
  const shown = (text) =>
    text.replaceAll(server.dataDir, '/srv/troupe').replaceAll(server.address, '127.0.0.1:8080');
  try {
    for (const [sample, pipeline] of JOBS) {
      copyFileSync(path.join('samples', sample), path.join(media, sample));
      troupe('analyze', sample, '--pipeline', pipeline);
    }
    const command = 'troupe analyze face_move.mp4 --pipeline "FACE DETECTION PIPELINE"';
    writeFileSync(path.join(OUT, 'analyze.svg'), recordCommand(command, { folder: media, env, shown }));
    console.log('analyze.svg');
    const [{ jobId }] = JSON.parse(troupe('jobs', 'list', '--limit', '1', '--json')).jobs;
    await takeScreenshots(
      server,
      troupe('login')
        .trim()
        .split(/\s+/)
        .find((word) => word.startsWith('http')),
      jobId,
      camera.url,
    );
  } finally {
    camera.close();
    await server.stop();
    rmSync(place.root, { recursive: true, force: true });
  }
}

async function takeScreenshots({ address }, link, jobId, cameraUrl) {
  const page = await browser.newPage({ viewport: SIZE });
  await page.goto(link);
  await page.getByRole('button', { name: 'Log in as administrator' }).click();
  await page.getByLabel(/^Account of /).waitFor();
  const shoot = async (name, view, ready) => {
    await page.goto(`http://${address}/#/${view}`);
    await ready?.();
    await page.waitForLoadState('networkidle').catch(() => undefined);
    await pause(1_500);
    await store(name, await page.screenshot());
  };
  await shoot('library', 'library', () => page.locator('.tile img').first().waitFor());
  await shoot('jobs', 'jobs');
  await shoot('job', `jobs/${encodeURIComponent(jobId)}`);
  const job = `jobs/${encodeURIComponent(jobId)}`;
  const { media } = await page.evaluate(async (path) => (await fetch(path)).json(), `/rest/${job}/media`);
  await shoot('viewer', `${job}/media/${media[0].mediaId}?t=1600`, () =>
    page.locator('video, canvas').first().waitFor(),
  );
  await shoot('search', 'search?type=FACE');
  await page.goto(`http://${address}/#/library`);
  await page.getByRole('button', { name: 'New analysis' }).click();
  await page
    .locator('dialog input[type=file]')
    .setInputFiles([path.resolve('samples/race.jpg'), path.resolve('samples/goforward.wav')]);
  await pause(1_500);
  await store('new-analysis', await page.screenshot());
  await page.keyboard.press('Escape');
  await page.request.post(`http://${address}/rest/streaming/jobs`, {
    headers: { origin: `http://${address}` },
    data: {
      pipelineName: 'MOTION DETECTION PIPELINE',
      enableOutputToDisk: false,
      stallTimeout: 60_000,
      stream: { streamUri: cameraUrl, segmentSize: 10 },
    },
  });
  await shoot('streams', 'streams', async () => {
    await page.locator('.wall .tile img').first().waitFor({ timeout: 90_000 });
  });
  await page.close();
}

async function store(name, picture) {
  const file = path.join(OUT, `${name}.png`);
  await sharp(picture).png({ palette: true, quality: 80, effort: 10, compressionLevel: 9 }).toFile(file);
  const { size } = statSync(file);
  console.log(`${name}.png, ${Math.round(size / 1_000)} kB`);
  if (size > MOST_BYTES) throw new Error(`${file} has ${size} bytes (at most ${MOST_BYTES}).`);
}

/** A camera that sends a short video, then nothing until its connection is closed. */
async function startCamera() {
  const video = readFileSync('samples/bbb24p_00_short.ts');
  const server = createServer((_, response) => void sendSlowly(video, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}/camera`, close };
}

async function sendSlowly(video, response) {
  response.writeHead(200, { 'content-type': 'video/mp2t' });
  const piece = Math.ceil(video.length / 600);
  for (let at = 0; at < video.length && !response.destroyed; at += piece) {
    response.write(video.subarray(at, at + piece));
    await pause(20);
  }
}
