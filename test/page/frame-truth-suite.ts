/**
 * Boxes are drawn on the correct frame. The frames of test videos contain their number. A real browser plays
 * the videos, and for every displayed frame the number in the picture must equal the frame number of the
 * boxes.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { makeVideo, type VideoRecipe } from '../media/support/make-video.ts';
import type { Chromium } from '../support/browser/chromium.ts';
import type { Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

/** Number of checked frames per video. `npm run test:long` checks more. */
export const SHOWN = Number(process.env['FRAMES'] ?? 40);
/** Number of frames between two seeks. */
const PLAYED = 12;
/** The painted numbers can distinguish this many frames after any compression. */
const FRAMES = 50;
/** Frame times without a constant rate, with gaps for dropped frames. */
const variableAt = (frame: number) => frame * 40 + (frame % 7) * 5 + Math.floor(frame / 20) * 400;

const VIDEOS = {
  'constant.mp4': { frames: FRAMES, bFrames: 2 },
  'variable.mp4': { frames: FRAMES, bFrames: 2, at: variableAt },
  'variable.webm': { frames: FRAMES, encoder: 'libvpx', at: variableAt },
  'variable.mkv': { frames: FRAMES, at: variableAt },
} satisfies Readonly<Record<string, VideoRecipe>>;

interface Seen {
  readonly shown: number;
  /** Frames that were not checked, because a seek had started before their callback. */
  readonly passed: number;
  readonly wrong: readonly {
    readonly painted: number;
    readonly drawn: number;
  }[];
}

/**
 * Runs in the page: plays and seeks until this many frames were shown. Reports every problem as an error: an
 * exception in a callback, an error of the video, or a video that the page has replaced.
 */
const WATCH = `async (wanted) => {
  const video = document.querySelector('video');
  if (video === null) throw new Error('There is no video: ' + document.querySelector('main')?.innerText);
  const svg = document.querySelector('svg.boxes');
  const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const rows = Array.from({ length: video.videoHeight }, (_, y) => y);
  const rampOf = (number) => rows.map((y) => Math.min(255, Math.max(0, (((y * 2 + number * 5) & 255) - 16) * (255 / 219))));
  const ramps = Array.from({ length: ${FRAMES} }, (_, number) => rampOf(number));
  const painted = (picture) => {
    context.drawImage(picture, 0, 0);
    const { data, width } = context.getImageData(0, 0, canvas.width, canvas.height);
    const shown = rows.map((y) => data[(y * width + 1) * 4]);
    let [best, least] = [-1, Infinity];
    for (const [number, ramp] of ramps.entries()) {
      let sum = 0;
      for (const y of rows) sum += Math.abs(shown[y] - ramp[y]);
      if (sum < least) [best, least] = [number, sum];
    }
    return best;
  };
  let [shown, calls, passed] = [0, 0, 0];
  const wrong = [];
  const stateOf = () => ' after ' + shown + ' frames, at ' + video.currentTime + ' s, readyState ' + video.readyState;
  const compare = (mediaTime) => {
    // During a seek there is no picture to be read.
    if (video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return void passed++;
    const picture = new VideoFrame(video);
    try {
      // A busy machine calls back late: by then the picture may be the next one already.
      if (Math.abs(picture.timestamp / 1e6 - mediaTime) >= 0.0005) return void passed++;
      const [seen, drawn] = [painted(picture), Number(svg.dataset.frame)];
      shown += 1;
      if (seen !== drawn) wrong.push({ painted: seen, drawn });
    } finally {
      picture.close();
    }
  };
  return new Promise((resolve, reject) => {
    // Held by the page itself: a promise that nothing leads to any more is collected, and nobody learns why.
    globalThis.watched = { resolve, reject };
    const end = (what) => reject(new Error(what + stateOf() + '. The page says: ' + document.querySelector('main')?.innerText));
    video.addEventListener('error', () => end('The video broke off (' + video.error?.code + ' ' + video.error?.message + ')'));
    new MutationObserver(() => video.isConnected || end('The page has replaced the video')).observe(document, { childList: true, subtree: true });
    // Registered after the page's own callback, so it runs after that for the same frame.
    const look = (_now, { mediaTime }) => {
      try {
        compare(mediaTime);
        if (shown >= wanted || ++calls > 20 * wanted) return resolve({ shown, passed, wrong });
        if (calls % ${PLAYED} === 0) video.currentTime = Math.random() * video.duration;
        video.requestVideoFrameCallback(look);
      } catch (error) {
        end(String(error));
      }
    };
    video.requestVideoFrameCallback(look);
    video.loop = true;
    video.playbackRate = 2;
    video.play().catch((error) => end('It does not play (' + error + ')'));
  });
}`;

/** Tests of the viewer of `at` with these videos. */
export function boxesOnTheirFrame(
  at: () => { readonly service: Service; readonly chromium: Chromium },
  names: readonly (keyof typeof VIDEOS)[],
): void {
  for (const name of names)
    it(`stand on their frame in ${name}, while it plays and after seeks`, async () => {
      const { service, chromium } = at();
      const path = join(service.mediaDir, name);
      makeVideo(path, VIDEOS[name]);
      const media = [pathToFileURL(path).href];
      const job = await service.submit({
        media,
        pipelineName: 'LIGHT PIPELINE',
      });
      await service.terminal(job);
      await expectBoxesOnTheirFrame({ service, chromium }, job);
    });
}

/**
 * Expects that the viewer of this job draws the boxes of every frame that it shows. The first medium contains
 * painted numbers.
 */
export async function expectBoxesOnTheirFrame(
  { service, chromium }: { readonly service: Service; readonly chromium: Chromium },
  job: string,
): Promise<void> {
  const { page, complaints } = await chromium.reader(service, `#/jobs/${job}/${await service.placeOf(job)}`);
  await page.locator('svg.boxes[data-known="true"]').waitFor({ state: 'attached' });
  await until('the video has a picture', () =>
    page.evaluate(`document.querySelector('video')?.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA`),
  );
  const { shown, passed, wrong } = await page
    .evaluate<Seen>(`(${WATCH})(${SHOWN})`)
    .catch((error: unknown) => {
      throw new Error(`${String(error)}\nThe browser complained: ${complaints.join('; ') || 'of nothing'}`);
    });
  expect(wrong.slice(0, 5), `${wrong.length} of ${shown}`).to.deep.equal([]);
  expect(shown, `frames that were compared; ${passed} could not be`).to.be.at.least(SHOWN);
}
