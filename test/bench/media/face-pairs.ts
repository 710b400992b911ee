/**
 * How well face vectors distinguish persons: distances between pairs of faces in the samples and in the given
 * files:
 *
 *     node config/build/build.mjs test && node dist/test/bench/media/face-pairs.js [FILE...]
 *
 * Pairs of one person are distant frames of one track. Pairs of two persons are faces of different files, and
 * tracks of a video that are visible at the same time.
 */
import path from 'node:path';
import loadFaces from '../../../components/detectors/faces/detector.ts';
import loadFaceEmbedder from '../../../components/models/face-embedding/detector.ts';
import type { FoundTrack } from '../../../components/sdk/detector.ts';
import { readImage } from '../../../media/picture/image-frame.ts';
import { openVideo } from '../../../media/video/video-frames.ts';
import { answerTo, defaultsOf, fedTrack, medium } from '../../components/host/feed-forward-parts.ts';
import { all, jobOf } from '../../components/visual.ts';

/**
 * Each shows different persons. face_move.mp4 always shows the same picture of the astronaut; in
 * face-morphing.gif one person turns into another.
 */
const SAMPLES = ['astronaut.png', 'grace_hopper_512x512.jpg', 'race.jpg', 'video_01.mp4'];
/** Number of frames used of each track. */
const FRAMES = 10;
const SIZES = [16, 32, 48];
const THRESHOLDS = [0.4, 0.45, 0.5, 0.55, 0.6];

interface Face {
  readonly file: string;
  readonly track: number;
  /** Frames of its track. */
  readonly from: number;
  readonly to: number;
  /** Shorter side in pixels. */
  readonly size: number;
  readonly vector: readonly number[];
}

const [faces, embedder] = [
  await loadFaces(),
  await loadFaceEmbedder({ models: { roots: [], loaded: 1, checkMs: 1_000 } }),
];
const files = [...SAMPLES.map((name) => path.join('samples', name)), ...process.argv.slice(2)];
const found: Face[] = [];
for (const file of files) found.push(...(await facesIn(file)));
process.stdout.write('| Smaller side | Pairs of one person | Pairs of two | AUC |');
process.stdout.write(`${THRESHOLDS.map((one) => ` ${one} |`).join('')}\n`);
for (const size of SIZES) process.stdout.write(`${row(size)}\n`);
await faces.close!();
await embedder.close!();

async function facesIn(file: string): Promise<Face[]> {
  const isImage = /\.(png|jpe?g)$/.test(file);
  const { tracks, length } = isImage ? await inImage(file) : await inVideo(file);
  const properties = { ...(await defaultsOf('face-embedding')), MIN_FACE_SIZE: '0', FACES_PER_TRACK: '1000' };
  const work = { ...medium(isImage ? 'IMAGE' : 'VIDEO', file), length };
  const embedded: Face[] = [];
  for (const [number, { detections }] of tracks.entries()) {
    const step = Math.ceil(detections.length / FRAMES);
    const some = detections.filter((_, i) => i % step === 0);
    const fed = fedTrack(some.map((one) => ({ ...one, time: 0, properties: {} })));
    const answer = await answerTo(embedder, { medium: work, properties, feed: { annotate: true } }, [fed]);
    for (const { width, height, properties: said } of answer.tracks[0]!.detections)
      if (said['FEATURE'] !== undefined)
        embedded.push({
          ...{ file, track: number, from: detections[0]!.frame, to: detections.at(-1)!.frame },
          ...{ size: Math.min(width, height), vector: numbersOf(said['FEATURE']) },
        });
  }
  return embedded;
}

async function inImage(file: string) {
  return { tracks: await all(faces.image!(await readImage(file), await jobOf('faces'))), length: 1 };
}

async function inVideo(file: string): Promise<{ tracks: FoundTrack[]; length: number }> {
  const reader = await openVideo(file);
  let length = 0;
  const frames = async function* () {
    for await (const frame of reader.frames()) {
      length = frame.index + 1;
      yield frame;
    }
  };
  const source = { width: reader.width, height: reader.height, fps: 25, start: 0, stop: Infinity, frames };
  const tracks = await all(faces.video!(source, await jobOf('faces')));
  reader.close();
  return { tracks, length };
}

function numbersOf(feature: string): number[] {
  const bytes = Buffer.from(feature, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
}

/** Undefined: unknown. */
function isOnePerson(a: Face, b: Face): boolean | undefined {
  if (a.file !== b.file) return false;
  if (a.track === b.track) return true;
  return a.from <= b.to && b.from <= a.to ? false : undefined;
}

function row(size: number): string {
  const some = found.filter((face) => face.size >= size);
  const distances = { one: [] as number[], two: [] as number[] };
  for (const [i, a] of some.entries())
    for (const b of some.slice(i + 1)) {
      const isOne = isOnePerson(a, b);
      if (isOne === undefined) continue;
      distances[isOne ? 'one' : 'two'].push(
        Math.hypot(...a.vector.map((value, at) => value - b.vector[at]!)),
      );
    }
  const { one, two } = distances;
  const wins = one.reduce((sum, near) => sum + two.filter((far) => far > near).length, 0);
  const below = (list: readonly number[], least: number) =>
    `${((100 * list.filter((value) => value < least).length) / list.length).toFixed(1)} %`;
  const auc = (wins / (one.length * two.length)).toFixed(3);
  const cells = THRESHOLDS.map((least) => `${below(one, least)} / ${below(two, least)}`);
  return `| ${[`${size} pixels`, one.length, two.length, auc, ...cells].join(' | ')} |`;
}
