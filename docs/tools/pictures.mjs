/**
 * `npm run docs:pictures`: makes the pictures of the documentation: the views of the page, from a server with real jobs; a recording of
 * `troupe analyze`; and diagrams. `--diagrams` draws only these, `--views` only the views, `--only=NAME` only views whose name begins
 * so. It needs Debian's chromium. Pictures in dark mode and at 4K are not in the repository: they are in `dist/pictures`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { CAMERA_FRAMES, CAMERAS, startCameras } from './lib/camera.mjs';
import { IS_SETTLED, isEmpty } from './lib/settled.mjs';
import { drawDiagrams } from './lib/mermaid.mjs';
import { recordCommand } from './lib/recording.mjs';
import { environment, startServer, workplace } from './lib/server.mjs';
import { JOBS, SIZES, viewsOf } from './lib/views.mjs';

const OUT = 'docs/pictures';
/** Pictures that are only looked at. */
const OTHERS = 'dist/pictures';
const MOST_BYTES = 120_000;
const ONLY = process.argv.find((word) => word.startsWith('--only='))?.slice('--only='.length) ?? '';
const program = spawnSync('which', ['chromium'], { encoding: 'utf8' }).stdout.trim();
if (program === '') throw new Error('Chromium is missing: apt-get install chromium.');
const browser = await chromium.launch({
  executablePath: program,
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});
try {
  if (!process.argv.includes('--views')) console.log(`${await drawDiagrams(browser)} diagrams drawn.`);
  if (!process.argv.includes('--diagrams')) await takePictures();
} finally {
  await browser.close();
}

async function takePictures() {
  mkdirSync(OUT, { recursive: true });
  const place = workplace();
  const media = path.join(place.root, 'media');
  const server = await startServer(place, media);
  const env = { ...environment(place.bin), DATA_DIR: server.dataDir, TROUPE_URL: `http://${server.address}` };
  const troupe = (...words) =>
    execFileSync(path.join(place.bin, 'troupe'), words, { cwd: media, env, encoding: 'utf8' });
  const shown = (text) =>
    text.replaceAll(server.dataDir, '/srv/troupe').replaceAll(server.address, '127.0.0.1:8080');
  try {
    const jobs = runJobs(troupe, media);
    if (!process.argv.includes('--views')) {
      const command = 'troupe analyze face_move.mp4 --pipeline "FACE DETECTION PIPELINE"';
      writeFileSync(path.join(OUT, 'analyze.svg'), recordCommand(command, { folder: media, env, shown }));
      console.log('analyze.svg');
    }
    const link = () =>
      troupe('login')
        .trim()
        .split(/\s+/)
        .find((word) => word.startsWith('http'));
    await takeScreenshots({ address: server.address, media }, link, jobs);
  } finally {
    await server.stop();
    rmSync(place.root, { recursive: true, force: true });
  }
}

/** The id of each job by its name. */
function runJobs(troupe, media) {
  const ids = JOBS.map(([name, sample, pipeline, label]) => {
    // A file that is written again is another one for the jobs before.
    if (!existsSync(path.join(media, sample)))
      copyFileSync(path.join('samples', sample), path.join(media, sample));
    const labels = label === undefined ? [] : ['--label', label];
    try {
      troupe('analyze', sample, '--pipeline', pipeline, ...labels);
    } catch (error) {
      // There is a job of it all the same.
      if (name !== 'failed') throw error;
    }
    const [{ jobId }] = JSON.parse(troupe('jobs', 'list', '--limit', '1', '--json')).jobs;
    return [name, jobId];
  });
  return Object.fromEntries(ids);
}

async function takeScreenshots({ address, media }, link, jobs) {
  const page = await browser.newPage();
  await page.goto(`http://${address}/#/library`);
  await page.getByRole('link', { name: 'Log in' }).waitFor();
  if ('login'.startsWith(ONLY)) await takeSizes(page, 'login');
  await page.goto(link());
  if ('login'.startsWith(ONLY)) await takeSizes(page, 'login-link', false);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByLabel(/^Account of /).waitFor();
  const places = {};
  for (const [name, id] of Object.entries(jobs)) {
    const job = `jobs/${encodeURIComponent(id)}`;
    const { media: found } = await (await page.request.get(`http://${address}/rest/${job}/media`)).json();
    if (found?.length > 0) places[name] = `${job}/media/${found[0].mediaId}`;
  }
  let cameras;
  for (const { name, at, ready, leave, isStored } of viewsOf(jobs, places)) {
    if (!name.startsWith(ONLY)) continue;
    if (name === 'streams' || name === 'camera') cameras ??= await watchCameras(page, address, places);
    await page.setViewportSize(SIZES[0]);
    await page.goto('about:blank');
    await page.goto(`http://${address}/#/${at}`);
    await ready(page);
    await takeSizes(page, name, isStored);
    await leave?.(page);
  }
  cameras?.close();
  if ('job-running'.startsWith(ONLY)) await takeRunningJob(page, { address, media });
  await page.close();
}

/** Cameras that send until they are closed. */
async function watchCameras(page, address, places) {
  const films = {};
  for (const [name, place] of CAMERAS)
    films[name] = await framesOf(page, `http://${address}/rest/${places[place]}`);
  const cameras = await startCameras(films);
  for (const [name, , pipelineName, zones] of CAMERAS)
    await page.request.post(`http://${address}/rest/streaming/jobs`, {
      headers: { origin: `http://${address}` },
      data: {
        pipelineName,
        enableOutputToDisk: false,
        stallTimeout: 60_000,
        stream: { streamUri: cameras.urlOf(name), segmentSize: 100 },
        ...zones,
      },
    });
  return cameras;
}

async function framesOf(page, medium) {
  const frames = [];
  while (frames.length < CAMERA_FRAMES) {
    const answer = await page.request.get(`${medium}/frames/${frames.length}.jpg`);
    if (!answer.ok()) break;
    frames.push(await answer.body());
  }
  return frames;
}

/** A job whose first findings are shown while it runs. */
async function takeRunningJob(page, { address, media }) {
  const uri = pathToFileURL(path.join(media, 'scenes_pd.mp4')).href;
  const created = await page.request.post(`http://${address}/rest/jobs`, {
    headers: { origin: `http://${address}` },
    data: {
      media: [{ mediaUri: uri }],
      pipelineName: 'OBJECT DETECTION PIPELINE',
      jobProperties: { TARGET_SEGMENT_LENGTH: '20', MIN_SEGMENT_LENGTH: '10' },
    },
  });
  const { jobId } = await created.json();
  await page.setViewportSize(SIZES[0]);
  await page.goto(`http://${address}/#/jobs/${encodeURIComponent(jobId)}`);
  await page.locator('h1 .status').waitFor();
  await page.locator('main progress').first().waitFor();
  await takeSizes(page, 'job-running');
}

async function takeSizes(page, name, isKept = true) {
  for (const { name: size, width, height, colorScheme = 'light', isStored = false } of SIZES) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.waitForFunction(IS_SETTLED, undefined, { timeout: 30_000 });
    await store(isStored && isKept ? OUT : OTHERS, `${name}${size}`, await page.screenshot());
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

async function store(folder, name, picture) {
  if (await isEmpty(picture)) throw new Error(`The picture of ${name} is empty.`);
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${name}.webp`);
  await sharp(picture).webp({ quality: 72, effort: 6, smartSubsample: true }).toFile(file);
  const { size } = statSync(file);
  console.log(`${name}.webp, ${Math.round(size / 1_000)} kB`);
  if (folder === OUT && size > MOST_BYTES)
    throw new Error(`${file} has ${size} bytes (at most ${MOST_BYTES}).`);
}
