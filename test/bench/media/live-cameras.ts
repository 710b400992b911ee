/**
 * Cameras for benchmarks of live streams, in their own process. Arguments: number of cameras, frames per
 * second, and content: `walk`, a face that moves all the time (H.264); `large-walk`, the same with 720 lines;
 * `visits`, a face that comes and goes (JPEG, which decoders do not buffer); `large-visits`; `coded-visits`, the
 * same in H.264; or `numbers`, which are painted into each picture. On request, reports when each frame was sent.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openVideoWriter } from '../../../media/video/video-writer.ts';
import { sharp } from '../../../media/picture/sharp.ts';
import { sample } from '../../components/models/recorded-media.ts';
import { accessUnits, jpegOf, jpegPictures } from '../../support/media/coded-media.ts';
import { burnNumber, NUMBERS } from './view/burnt-numbers.ts';
import { h264Over, jpegOver } from '../../support/media/rtp-pictures.ts';
import { rtspServer, type RtspBehaviour, type RtspPicture } from '../../support/servers/rtsp-server.ts';

const CLIP = sample('face_move.mp4');
/** The first frame of the clip has no face. From this one on it is completely visible. */
const WITH_FACE = 30;
const [AWAY, THERE] = [16, 6]; // their sum is FIRST_VISIT of the benchmark
const SECONDS = 300;

const [count = '1', fps = '5', what = 'walk'] = process.argv.slice(2);
const frameMs = 1_000 / Number(fps);
const SHOWN: Readonly<Record<string, () => Promise<Pick<RtspBehaviour, 'media' | 'pictures'>>>> = {
  walk: () => Promise.resolve(h264Over(accessUnits(CLIP))),
  'large-walk': largeWalk,
  visits,
  'large-visits': visits,
  'coded-visits': codedVisits,
  numbers,
};
const { media, pictures } = await SHOWN[what]!();
const length = pictures.length;
const endless: RtspPicture[] = Array.from({ length: SECONDS * Number(fps) }, (_, n) => {
  const picture = pictures[n % length]!;
  return { ...picture, dueMs: n * frameMs, ptsMs: n * frameMs + picture.ptsMs - picture.dueMs };
});

const sentAt: number[][] = [];
const urls: string[] = [];
for (let camera = 0; camera < Number(count); camera++) {
  const times: number[] = (sentAt[camera] = []);
  const behaviour: RtspBehaviour = {
    media,
    pictures: endless,
    ready: () => Promise.resolve(times.push(Date.now())),
  };
  urls.push((await rtspServer(() => behaviour)).url);
}
process.send?.({ urls });
process.on('message', () => process.send?.({ sentAt }));
process.once('disconnect', () => process.exit(0));

async function largeWalk() {
  return inH264(await jpegPictures(CLIP, frameMs));
}

/** Encodes pictures with 720 lines. */
async function inH264(
  frames: readonly { readonly data: Buffer }[],
): Promise<Pick<RtspBehaviour, 'media' | 'pictures'>> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-cameras-'));
  const file = join(folder, 'large.mp4');
  const rate = { tick: { num: 1, den: 25 }, frameRate: 25, encoder: 'h264' } as const;
  const writer = openVideoWriter(file, { width: 1_280, height: 720, ...rate });
  try {
    for (const [n, { data }] of frames.entries()) {
      (await largeRgb(data)).copy(writer.picture);
      writer.write(n);
    }
    writer.finish();
    writer.close();
    return h264Over(accessUnits(file));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Each picture contains its number, and moves. */
async function numbers(): Promise<Pick<RtspBehaviour, 'media' | 'pictures'>> {
  const all = await jpegPictures(CLIP, frameMs);
  const shown = await Promise.all(
    Array.from({ length: NUMBERS }, async (_, n) => {
      const rgb = await largeRgb(all[n % all.length]!.data);
      burnNumber(rgb, 1_280, n);
      return { data: jpegOf(rgb, 1_280, 720), dueMs: n * frameMs };
    }),
  );
  return jpegOver(shown);
}

/** Scales to 720 lines. */
async function enlarge<T extends { readonly data: Buffer }>(picture: T): Promise<T> {
  return { ...picture, data: jpegOf(await largeRgb(picture.data), 1_280, 720) };
}

function largeRgb(jpeg: Buffer): Promise<Buffer> {
  return sharp(jpeg).resize(1_280, 720).toColourspace('srgb').removeAlpha().raw().toBuffer();
}

async function visitFrames() {
  const all = await jpegPictures(CLIP, frameMs);
  return [
    ...Array.from({ length: AWAY }, () => all[0]!),
    ...Array.from({ length: THERE }, (_, n) => all[WITH_FACE + 4 * n]!),
  ];
}

async function codedVisits() {
  return inH264(await visitFrames());
}

async function visits(): Promise<Pick<RtspBehaviour, 'media' | 'pictures'>> {
  const frames = await visitFrames();
  const shown = what === 'large-visits' ? await Promise.all(frames.map(enlarge)) : frames;
  return jpegOver(shown.map(({ data }, n) => ({ data, dueMs: n * frameMs })));
}
