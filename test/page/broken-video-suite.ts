/**
 * The viewer with a video whose connection breaks: it first loads the video again at the same position, and
 * only then shows single frames.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
import { makeVideo } from '../media/support/make-video.ts';
import type { Chromium } from '../support/browser/chromium.ts';
import type { Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

/** Maximum size of a response, so that the browser requests further parts during playback. */
const PART = 16 * 1024;
/** Beyond the parts that a browser loads before playback. */
const FAR = 8 * PART;
const LENGTH = 300;
/** The least frame that has been shown when the video breaks off. */
const PLAYED = 51;
/** The fastest playback rate of browsers, because the tests only need the end of the video. */
const RATE = 16;

/** Tests of the viewer of `at`: those for every day, or those for `npm run test:long`. */
export function videoThatBreaksOff(
  at: () => { readonly service: Service; readonly chromium: Chromium },
  { isLong }: { readonly isLong: boolean },
): void {
  let service: Service;
  let chromium: Chromium;
  let job: string;
  /** A frame far beyond the part that was loaded before the connection broke. */
  let later: number;
  before(async () => {
    ({ service, chromium } = at());
    const path = join(service.mediaDir, 'long.mp4');
    makeVideo(path, {
      frames: LENGTH,
      gop: 5,
      // A constant bit rate: the encoder pads what it does not need.
      encoderOptions: { 'x264-params': 'nal-hrd=cbr:vbv-maxrate=140:vbv-bufsize=140:bitrate=140' },
      muxerOptions: { movflags: 'faststart' },
    });
    later = Math.ceil((1.2 * LENGTH * FAR) / statSync(path).size);
    expect(later).to.be.below(0.9 * LENGTH);
    job = await service.submit({
      media: [pathToFileURL(path).href],
      pipelineName: 'LIGHT PIPELINE',
    });
    await service.terminal(job);
  });

  const firstByte = (route: Route) =>
    Number(/bytes=(\d+)/.exec(route.request().headers()['range'] ?? '')?.[1] ?? 0);
  const openPage = async (answer: (route: Route, from: number) => Promise<void>): Promise<Page> => {
    const { page } = await chromium.reader(service, '#/jobs');
    const medium = await service.placeOf(job);
    await page.route(`**/rest/jobs/${job}/${medium}`, (route) => answer(route, firstByte(route)));
    await page.goto(`${service.url}/#/jobs/${job}/${medium}`);
    return page;
  };
  /** Responds like the service, but with at most one part. */
  const part = (route: Route, from: number) =>
    route.continue({
      headers: {
        ...route.request().headers(),
        range: `bytes=${from}-${from + PART - 1}`,
      },
    });
  const shownFrame = (page: Page) => page.locator('svg.boxes[data-frame]');
  const isTrue = (page: Page, what: string, expression: string) =>
    until(
      what,
      () =>
        page.evaluate<{ readonly holds: boolean }>(`(() => {
          const { currentTime, readyState, networkState, paused, ended, error } = document.querySelector('video') ?? {};
          const frame = document.querySelector('svg.boxes')?.dataset.frame;
          const video = { currentTime, readyState, networkState, paused, ended, error: error?.message, frame };
          return { holds: Boolean(${expression}), video, says: [...document.querySelectorAll('.hint, [role=status]')].map((one) => one.textContent) };
        })()`),
      ({ holds }) => holds,
    );
  const atLeast = (page: Page, frame: number) =>
    isTrue(
      page,
      `frame ${frame} is shown`,
      `Number(document.querySelector('svg.boxes')?.dataset.frame) >= ${frame}`,
    );
  const hasPicture = (page: Page) =>
    isTrue(page, 'the video has a picture', `document.querySelector('video')?.readyState >= 2`);

  if (isLong) {
    it('before its first picture is tried again', async () => {
      let aborted = 0;
      const page = await openPage((route) =>
        aborted++ < 4 ? route.abort('connectionreset') : route.continue(),
      );
      await hasPicture(page);
      expect(await page.getByText('Single frames are shown').count()).to.equal(0);
    });

    it('is tried again where a service takes requests and never answers them', async () => {
      let silent = 0;
      // These are the player's failed request, a check whether the video is available, and the player's next
      // request.
      const page = await openPage(async (route, from) => {
        if (silent === 0 && from < FAR) return part(route, from);
        if (++silent === 1) return route.abort('connectionreset');
        return silent <= 3 ? undefined : part(route, from);
      });
      await shownFrame(page).waitFor({ state: 'attached' });
      await page.evaluate(
        `document.querySelector('video').playbackRate = ${RATE}; void document.querySelector('video').play()`,
      );
      await atLeast(page, later);
      expect(silent).to.be.above(3);
    });
    return;
  }

  it('while it plays goes on playing from there, once the service answers again', async () => {
    let refused = 0;
    // A slow browser comes for the later part before it has played: it waits for the answer until it has.
    let play = () => {};
    const plays = new Promise<void>((resolve) => (play = resolve));
    const page = await openPage(async (route, from) => {
      if (from >= FAR) await plays;
      if (from < FAR || refused === 3) return part(route, from);
      refused++;
      return route.fulfill({ status: 503, body: '{}' });
    });
    await shownFrame(page).waitFor({ state: 'attached' });
    await page.evaluate(`Object.assign(globalThis, {
        first: document.querySelector('video'), boxes: document.querySelector('svg.boxes'), errors: [], frames: [], drawn: [],
      });
      const frame = () => Number(boxes.dataset.frame);
      first.addEventListener('error', () => errors.push(first.error.message));
      first.addEventListener('play', () => frames.push(frame()));
      new MutationObserver(() => errors.length > 0 && drawn.push(frame())).observe(boxes, { attributeFilter: ['data-frame'] });
      first.playbackRate = ${RATE};
      void first.play();`);
    await atLeast(page, PLAYED);
    play();
    await atLeast(page, later);
    expect(refused).to.equal(3);
    const { same, errors, frames, drawn, rate } = (await page.evaluate(
      `({ same: document.querySelector('video') === first, errors, frames, drawn, rate: first.playbackRate })`,
    )) as { same: boolean; errors: string[]; frames: number[]; drawn: number[]; rate: number };
    expect(errors, 'errors of the video').to.not.deep.equal([]);
    expect([same, rate]).to.deep.equal([true, RATE]);
    expect(frames.at(-1), 'where it went on').to.be.at.least(PLAYED);
    expect(Math.min(...drawn), 'the earliest boxes after the first error').to.be.at.least(PLAYED);
  });

  it('for good is shown frame by frame from there, with the reason and a way back', async () => {
    // Deletes the video when the browser requests a later part. If it does so before playback, the request is
    // delayed.
    let [isGone, mayGo] = [false, true];
    let play = () => {};
    const plays = new Promise<void>((resolve) => (play = resolve));
    const page = await openPage(async (route, from) => {
      if (from >= FAR) await plays;
      isGone = mayGo && (isGone || from >= FAR);
      return isGone
        ? route.fulfill({
            status: 404,
            contentType: 'application/json',
            body: '{"message":"It was removed."}',
          })
        : part(route, from);
    });
    await shownFrame(page).waitFor({ state: 'attached' });
    await page.evaluate(
      `document.querySelector('video').playbackRate = ${RATE}; void document.querySelector('video').play()`,
    );
    await atLeast(page, 10);
    play();
    await page.getByText('It was removed. Single frames are shown.').waitFor({ timeout: 120_000 });
    await page.getByRole('img', { name: /^Frame [1-9]\d+$/ }).waitFor();
    mayGo = false;
    await page.getByRole('button', { name: 'Try the video again' }).click();
    await hasPicture(page);
    await atLeast(page, 20);
  });
}
