/**
 * The web page in a real browser: from a clone to the first box, a thousand jobs, a document with a million
 * detections, and a million search results. Linux only.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { findHolder } from '../../../cli/service/holder.ts';
import { packageRoot } from '../../../config/info.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { storeJob } from '../../actors/views/ended-jobs.ts';
import { makeVideo } from '../../media/support/make-video.ts';
import { Chromium } from '../../support/browser/chromium.ts';
import { WHOLE, withCrowd } from '../../support/browser/crowd.ts';
import { until } from '../../support/until.ts';
import { startClient } from '../jobs/client.ts';
import { exports } from './export.ts';
import { round, measureTime, type Figure } from '../measure.ts';
import { NOOP } from '../parts.ts';
import { library } from './library.ts';
import { newUser } from './new-user.ts';
import { fill, KINDS, MANY, percentiles } from './search.ts';

const LOADS = 20;
const PLACES = 200;
const QUESTIONS = 20;
const FRAMES = 10_000;
/** Frames, and detections, of each of ten thousand tracks. */
const LENGTH = 100;
const LONG = { withinMs: 1_800_000 };

type Measure = (folder: string, chromium: Chromium) => Promise<readonly Figure[]>;
const MEASURES: Readonly<Record<string, Measure>> = {
  ...{ clone, newUser, jobs, library },
  scrubbing: measureScrubbing,
  findings,
};

/** PARTS: comma-separated list of parts to run. */
export async function webPage(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  const chromium = await Chromium.start();
  const wanted = process.env['PARTS']?.split(',') ?? [...Object.keys(MEASURES), 'exports'];
  const figures: Figure[] = [];
  try {
    for (const [name, measure] of Object.entries(MEASURES)) {
      if (!wanted.includes(name)) continue;
      const measured = await measure(folder, chromium);
      const all = [...measured, { what: 'load of the machine then', value: round(loadavg()[0]!, 1) }];
      // All parts take a quarter of an hour, so results are printed even if a later part fails.
      for (const { what, value } of all) console.error(`${what}: ${value}`);
      figures.push(...all);
    }
  } finally {
    await chromium.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return wanted.includes('exports') ? [...figures, ...(await exports())] : figures;
}

/** The README steps for new users, without any cached downloads. The browser is already open. */
async function clone(folder: string, chromium: Chromium): Promise<readonly Figure[]> {
  const [place, dataDir] = [path.join(folder, 'clone'), path.join(folder, 'fresh')];
  const run = (command: string, args: readonly string[], cwd: string) =>
    measureTime(
      async () => void execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] }),
    );
  const cloning = await run('git', ['clone', '-q', packageRoot, place], folder);
  const installing = await run('npm', ['ci', '--silent', '--cache', path.join(folder, 'cache')], place);
  const env = { ...process.env, PORT: '0', DATA_DIR: dataDir };
  const began = performance.now();
  const server = spawn('npm', ['start'], { cwd: place, detached: true, stdio: 'ignore', env });
  try {
    const holder = await until('the server answers', () => findHolder(dataDir), Boolean, LONG);
    const starting = performance.now() - began;
    const boxed = await measureTime(() => firstBox(chromium, { url: holder!.url, dataDir }));
    const value = `${round((cloning + installing + starting + boxed) / 1_000)} s`;
    return [
      { what: 'from git clone to a box on a face, with an empty cache of npm', value, aim: '<= 180 s' },
      {
        what: '- git clone; npm ci; npm start',
        value: [cloning, installing, starting].map((ms) => `${round(ms / 1_000, 1)} s`).join('; '),
      },
      { what: '- login, a picture dropped, its job, the box', value: `${round(boxed / 1_000, 1)} s` },
    ];
  } finally {
    process.kill(-server.pid!, 'SIGTERM');
    await once(server, 'exit');
  }
}

async function firstBox(
  chromium: Chromium,
  service: { readonly url: string; readonly dataDir: string },
): Promise<void> {
  const { page } = await chromium.reader(service, '#/new');
  await page.locator('input[type=file]').setInputFiles(path.join(packageRoot, 'samples', 'astronaut.png'));
  await page.getByRole('checkbox', { name: /^People and things/ }).uncheck();
  await page.getByRole('checkbox', { name: /^Faces/ }).check();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('link', { name: /astronaut\.png/ }).click({ timeout: LONG.withinMs });
  await page.locator('svg.boxes[data-known="true"] path').first().waitFor({ state: 'attached' });
}

async function jobs(folder: string, chromium: Chromium): Promise<readonly Figure[]> {
  mkdirSync(path.join(folder, 'jobs'));
  const store = new SqliteStore(path.join(folder, 'jobs', 'troupe.db'));
  for (let number = 1; number <= 1_000; number++) await storeJob(store, { number, endedAt: number * 1_000 });
  await store.next('job', 1_001);
  await store.close();
  const server = await startClient(folder, 'jobs');
  const { page } = await chromium.reader({ url: server.url, dataDir: path.join(folder, 'jobs') }, '#/jobs');
  await page.addInitScript(`new MutationObserver((_, watcher) => {
    if (document.querySelector('tr[data-job]') === null) return;
    globalThis.firstRow = performance.now();
    watcher.disconnect();
  }).observe(document, { childList: true, subtree: true });`);
  const times: number[] = [];
  for (let n = 0; n < LOADS; n++) {
    await page.reload();
    times.push(await until('rows are shown', () => page.evaluate<number>('globalThis.firstRow')));
  }
  await server.stop();
  return [
    {
      what: 'the page is opened on 1,000 jobs until the first 50 are shown: p50, p95',
      value: percentiles(times, [50, 95]),
    },
  ];
}

/** Runs in the page: time from a click on the timeline to the picture, and to its boxes. */
const WATCH_SEEKS = `Object.assign(globalThis, { seeks: [] });
  const svg = document.querySelector('svg.boxes');
  let began, picture;
  document.querySelector('.lanes .bars').addEventListener('click', () => { began = performance.now(); picture = undefined; }, true);
  document.querySelector('video').addEventListener('seeked', () => { picture = performance.now() - began; });
  new MutationObserver(() => {
    if (began === undefined || picture === undefined || svg.dataset.known !== 'true') return;
    seeks.push([picture, performance.now() - began]);
    began = undefined;
  }).observe(svg, { attributes: true });`;

async function measureScrubbing(folder: string, chromium: Chromium): Promise<readonly Figure[]> {
  const video = path.join(folder, 'long.mp4');
  makeVideo(video, { frames: FRAMES, width: 320, height: 180 });
  const server = await startClient(folder, 'data');
  const crowd = {
    tracks: FRAMES,
    length: LENGTH,
    startOf: (track: number) => Math.floor((track / FRAMES) * (FRAMES - LENGTH)),
  };
  await server.post('/rest/components/registerUnmanaged', NOOP);
  const media = [{ mediaUri: pathToFileURL(video).href }];
  const job = await withCrowd(server, NOOP.algorithm.name, crowd, () =>
    server.run({ pipelineName: 'NOOP PIPELINE', media, jobProperties: WHOLE }, 50),
  );
  const { page } = await chromium.reader(
    { url: server.url, dataDir: path.join(folder, 'data') },
    `#/jobs/${job}`,
  );
  const listed = await fetch(`${server.url}/rest/jobs/${job}/media`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  const { media: found } = (await listed.json()) as { media: { mediaId: number }[] };
  const place = `${server.url}/#/jobs/${job}/media/${found[0]!.mediaId}`;
  const opening = await measureTime(async () => {
    await page.goto(place);
    await page
      .locator('svg.boxes[data-known="true"] path')
      .first()
      .waitFor({ state: 'attached', timeout: LONG.withinMs });
  });
  const seeks = await seeksOf(page);
  await server.stop();
  return [
    {
      what: `a document of ${round(FRAMES * LENGTH)} detections is opened for the first time until its boxes are drawn`,
      value: `${round(opening / 1_000, 1)} s`,
    },
    {
      what: 'a click on its timeline until the picture is found: p50, p95',
      value: percentiles(
        seeks.map(([picture]) => picture),
        [50, 95],
      ),
    },
    {
      what: 'until the boxes of that frame are drawn: p50, p95',
      value: percentiles(
        seeks.map(([, boxes]) => boxes),
        [50, 95],
      ),
      aim: 'p95 <= 100 ms',
    },
  ];
}

async function seeksOf(page: Page): Promise<readonly (readonly [picture: number, boxes: number])[]> {
  await page.evaluate(WATCH_SEEKS);
  const { x, y, width } = (await page.locator('.lanes .bars svg').boundingBox())!;
  for (let n = 1; n <= PLACES; n++) {
    await page.mouse.click(x + (((n * 77) % PLACES) / PLACES) * (width - 2) + 1, y + 5);
    await until('the boxes are drawn', () => page.evaluate<boolean>(`seeks.length >= ${n}`));
  }
  return page.evaluate('seeks');
}

/** Runs in the page: time from a change of the URL to the results. */
const SEARCH = `(query, number) => new Promise((resolve) => {
  const began = performance.now();
  const isThere = () => document.querySelector('.hits') !== null;
  const watcher = new MutationObserver(() => {
    if (!isThere() || document.querySelector('main').querySelector('.skeleton') !== null) return;
    watcher.disconnect();
    resolve(performance.now() - began);
  });
  watcher.observe(document.querySelector('main'), { childList: true, subtree: true });
  // The same words may come twice, which alone would be no change.
  location.hash = '#/search?' + query + '&asked=' + number;
})`;

async function findings(folder: string, chromium: Chromium): Promise<readonly Figure[]> {
  await fill(path.join(folder, 'many'), MANY);
  const server = await startClient(folder, 'many');
  const { page } = await chromium.reader(
    { url: server.url, dataDir: path.join(folder, 'many') },
    '#/search?text=nowhere',
  );
  await until(
    'all is indexed',
    async () => {
      await page.reload();
      await page.getByText('Nothing was found').waitFor();
      return (await page.getByText('The index is being built').count()) === 0;
    },
    Boolean,
    { ...LONG, everyMs: 2_000 },
  );
  const times: number[] = [];
  // Only filters that the page offers.
  for (const query of Object.values(KINDS).filter((kind) => !/&(job|from)=/.test(kind(0))))
    for (let n = 0; n < QUESTIONS; n++)
      times.push(await page.evaluate<number>(`(${SEARCH})(${JSON.stringify(query(n))}, ${times.length})`));
  await server.stop();
  return [
    {
      what: `a search over ${round(MANY.jobs * MANY.tracks)} findings, from the address to the findings on the page: p50, p95`,
      value: percentiles(times, [50, 95]),
      aim: 'p95 <= 100 ms',
    },
  ];
}
