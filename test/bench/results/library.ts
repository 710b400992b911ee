/** The library of the page with very many media: load time, and smoothness of scrolling. */
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { packageRoot } from '../../../config/info.ts';
import { sharp } from '../../../media/picture/sharp.ts';
import { detectionFile, THUMBNAIL_PIXELS, thumbnailName, thumbnailsFolder } from '../../../results/layout.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { storeJob } from '../../actors/views/ended-jobs.ts';
import { makeVideo } from '../../media/support/make-video.ts';
import type { Chromium } from '../../support/browser/chromium.ts';
import { until } from '../../support/until.ts';
import { startClient } from '../jobs/client.ts';
import { measureTime, round, type Figure } from '../measure.ts';
import { percentiles } from './search.ts';

const JOBS = 10_000;
const MEDIA_OF_JOB = 10;
const LOADS = 20;
const SCROLLED_FRAMES = 600;
const SCROLLS = 5;
const THUMBNAILS = 20;
const LABELS = 50;
const CLASSES = ['person', 'car', 'dog', 'bus', 'bicycle'];

export async function library(folder: string, chromium: Chromium): Promise<readonly Figure[]> {
  const dataDir = path.join(folder, 'library');
  await fillLibrary(dataDir);
  const server = await startClient(folder, 'library');
  const ask = async <T>(at: string) =>
    (await (
      await fetch(`${server.url}${at}`, { headers: { authorization: `Bearer ${server.token}` } })
    ).json()) as T;
  await until(
    'all media are indexed',
    () => ask<{ total: number; complete: boolean }>('/rest/library/counts'),
    ({ total, complete }) => complete && total === JOBS * MEDIA_OF_JOB,
    { withinMs: 1_800_000, everyMs: 2_000 },
  );
  const { page } = await chromium.reader({ url: server.url, dataDir }, '#/library');
  const times = await firstViews(page);
  const kilobytes = await loadedBytes(page);
  const grid = await longestFrames(page, { view: 'grid', first: 'a.tile' });
  const list = await longestFrames(page, { view: 'list', first: 'a.list-row' });
  const orders = await orderTimes(ask);
  const thumbnails = await thumbnailTimes(folder, server);
  await server.stop();
  return [
    {
      what: `the library of ${round(JOBS * MEDIA_OF_JOB)} media and ${round(JOBS)} jobs, until the first media are shown: p50, p95`,
      value: percentiles(times, [50, 95]),
      aim: 'p50 <= 300 ms',
    },
    { what: 'the first load of the page, compressed', value: `${round(kilobytes)} kB`, aim: '<= 150 kB' },
    {
      what: `the longest frame of ${SCROLLED_FRAMES} while the grid is scrolled, ${SCROLLS} times: p50, worst`,
      value: percentiles(grid, [50, 100]),
      aim: 'p50 <= 50 ms',
    },
    {
      what: 'the same in the list',
      value: percentiles(list, [50, 100]),
      aim: 'p50 <= 50 ms',
    },
    ...orders,
    ...thumbnails,
  ];
}

/** Scrolls a view, sorted by name, several times from its start. Returns the longest frame of each time: milliseconds. */
async function longestFrames(
  page: Page,
  { view, first }: { readonly view: string; readonly first: string },
): Promise<readonly number[]> {
  await page.evaluate(`location.hash = '#/library?view=${view}&sort=name'`);
  const longest: number[] = [];
  for (let n = 0; n < SCROLLS; n++) {
    await page.reload();
    await page.locator(first).first().waitFor();
    longest.push(await page.evaluate<number>(`(${SCROLL})(${SCROLLED_FRAMES})`));
  }
  return longest;
}

const ORDERS = [
  ...['sort=newest', 'sort=name', 'sort=length', 'group=job&sort=name'],
  ...['group=day&sort=name', 'group=label', 'group=label&sort=name'],
];

/** Loads consecutive pages in each sort order. */
async function orderTimes(ask: (at: string) => Promise<unknown>): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const order of ORDERS) {
    const times: number[] = [];
    for (let n = 0, cursor = ''; n < LOADS; n++)
      times.push(
        await measureTime(async () => {
          const { next } = (await ask(`/rest/library?${order}${cursor}`)) as { readonly next: string };
          cursor = `&cursor=${encodeURIComponent(next)}`;
        }),
      );
    figures.push({ what: `pages of 60 media with ${order}: p50, p95`, value: percentiles(times, [50, 95]) });
  }
  return figures;
}

/** Writes documents, small pictures and jobs like the service. The service itself builds the index. */
async function fillLibrary(dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true });
  const pictures = await smallPictures(dataDir);
  const store = new SqliteStore(path.join(dataDir, 'troupe.db'));
  for (let number = 1; number <= JOBS; number++) {
    const file = path.join(dataDir, detectionFile(`host-${number}.1`));
    mkdirSync(path.dirname(file), { recursive: true });
    const media = Array.from({ length: MEDIA_OF_JOB }, (_, n) => mediumOf(number, n));
    writeFileSync(file, `{"media":[\n${media.join(',\n')}]}\n`);
    const thumbnails = path.join(dataDir, thumbnailsFolder(`host-${number}.1`));
    mkdirSync(thumbnails, { recursive: true });
    for (let n = 0; n < MEDIA_OF_JOB; n++)
      linkSync(pictures[(number + n) % pictures.length]!, path.join(thumbnails, thumbnailName(n, 0)));
    const labels = number % 4 === 0 ? [] : [`case-${number % LABELS}`, 'all'];
    await storeJob(store, {
      ...{ number, endedAt: number * 600_000, media: MEDIA_OF_JOB, document: true, labels, uri: URI },
    });
  }
  await store.next('job', JOBS + 1);
  await store.close();
}

/** Media of another host, whose small pictures are there. */
const URI = 'https://media.example/a.jpg';
const SAMPLES = ['race.jpg', 'coffee.png', 'rocket.jpg', 'collie.jpg', 'chelsea.png'];

/** Each is of fewer media than a file system allows links. */
async function smallPictures(dataDir: string): Promise<readonly string[]> {
  const files = SAMPLES.map((_, n) => path.join(dataDir, `small-${n}.jpg`));
  const size = { width: THUMBNAIL_PIXELS, height: THUMBNAIL_PIXELS, fit: 'inside' } as const;
  for (const [n, name] of SAMPLES.entries())
    await sharp(path.join(packageRoot, 'samples', name))
      .resize(size)
      .jpeg()
      .toFile(files[n]!);
  return files;
}

function mediumOf(job: number, n: number): string {
  const detection = {
    ...{ offsetFrame: 0, offsetTime: 0, x: 10 * n, y: 20, width: 300, height: 240, confidence: 0.5 },
    detectionProperties: {},
  };
  const times = { startOffsetFrame: 0, stopOffsetFrame: 0, startOffsetTime: 0, stopOffsetTime: 0 };
  const track = {
    ...{
      id: `${job}.${n}`.padStart(64, '0'),
      index: 0,
      ...times,
      type: 'CLASS',
      source: 'A',
      confidence: 0.5,
    },
    trackProperties: { CLASSIFICATION: CLASSES[(job + n) % CLASSES.length] },
    ...{ exemplar: detection, detections: [detection] },
  };
  return JSON.stringify({
    ...{
      mediaId: n + 1,
      path: `https://media.example/${job}-${n}.jpg`,
      mimeType: 'image/jpeg',
      mediaType: 'IMAGE',
    },
    mediaMetadata: { FRAME_WIDTH: '1280', FRAME_HEIGHT: '720' },
    output: { CLASS: [{ source: 'A', algorithm: 'B', tracks: [track] }] },
  });
}

async function firstViews(page: Page): Promise<readonly number[]> {
  await page.addInitScript(`new MutationObserver((_, watcher) => {
    if (document.querySelector('a.tile') === null) return;
    globalThis.firstTile = performance.now();
    watcher.disconnect();
  }).observe(document, { childList: true, subtree: true });`);
  const times: number[] = [];
  for (let n = 0; n < LOADS; n++) {
    // The requests of the view before would delay those of the next.
    await page.waitForLoadState('networkidle');
    await page.reload();
    times.push(await until('media are shown', () => page.evaluate<number>('globalThis.firstTile')));
  }
  return times;
}

/** Transferred kilobytes of all scripts and style sheets. */
const loadedBytes = (page: Page): Promise<number> =>
  page.evaluate(
    `performance.getEntriesByType('resource').filter(({ name }) => /\\.(js|css)$/.test(name)).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1000`,
  );

/** Runs in the page: scrolls frame by frame and returns the longest time between two. */
const SCROLL = `(frames) => new Promise((resolve) => {
  let [last, longest, left] = [performance.now(), 0, frames];
  const step = (now) => {
    longest = Math.max(longest, now - last);
    last = now;
    scrollBy(0, 120);
    if (left-- > 0) requestAnimationFrame(step);
    else resolve(longest);
  };
  requestAnimationFrame((now) => { last = now; requestAnimationFrame(step); });
})`;

/** Thumbnails of a video and of whole pictures, which need one decode each. */
async function thumbnailTimes(
  folder: string,
  server: Awaited<ReturnType<typeof startClient>>,
): Promise<readonly Figure[]> {
  const video = path.join(folder, 'thumbnails.mp4');
  makeVideo(video, { frames: 500, width: 1280, height: 720 });
  const job = await server.run(
    {
      pipelineName: 'SCENE CHANGE DETECTION PIPELINE',
      media: [{ mediaUri: pathToFileURL(video).href }],
    },
    100,
  );
  const headers = { authorization: `Bearer ${server.token}` };
  const listed = await fetch(`${server.url}/rest/jobs/${job}/media`, { headers });
  const { media } = (await listed.json()) as { media: { mediaId: number }[] };
  const picture = (frame: number, query: string) =>
    measureTime(async () => {
      const at = `${server.url}/rest/jobs/${job}/media/${media[0]!.mediaId}/frames/${frame}.jpg${query}`;
      await (await fetch(at, { headers })).arrayBuffer();
    });
  const [whole, small]: [number[], number[]] = [[], []];
  for (let n = 0; n < THUMBNAILS; n++) {
    whole.push(await picture(n * 24 + 5, ''));
    small.push(await picture(n * 24 + 12, '?small=true'));
  }
  const middle = (of: readonly number[]) => of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)]!;
  const ratio = middle(small) / middle(whole);
  return [{ what: 'a thumbnail, by the time of one decode', value: round(ratio, 2), aim: '<= 1.5' }];
}
