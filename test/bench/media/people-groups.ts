/**
 * How well faces are grouped into people: in the samples, and in other files with known persons, named from
 * left to right:
 *
 *     node config/build/build.mjs test && node dist/test/bench/media/people-groups.js [FILE[=NAME,NAME...]...]
 *
 * Each track of a video is cut into three parts, as if it was interrupted twice. Parts of one track are one
 * person, and tracks that are visible at the same time are two. The files are processed in many orders, each
 * as its own job.
 */
import path from 'node:path';
import { facesInOrder, takeFaces } from '../../../actors/people/take-faces.ts';
import { Draft, PeopleState } from '../../../actors/people/state.ts';
import loadFaces from '../../../components/detectors/faces/detector.ts';
import loadFaceEmbedder from '../../../components/models/face-embedding/detector.ts';
import type { FoundDetection } from '../../../components/sdk/detector.ts';
import { readImage } from '../../../media/picture/image-frame.ts';
import { openVideo } from '../../../media/video/video-frames.ts';
import type { DocumentFace } from '../../../store/search.ts';
import { answerTo, defaultsOf, fedTrack, medium } from '../../components/host/feed-forward-parts.ts';
import { all, jobOf } from '../../components/visual.ts';

const SAMPLES = [
  'astronaut.png=astronaut',
  'face_move.mp4=astronaut',
  'grace_hopper_512x512.jpg=hopper',
  'race.jpg',
  'video_01.mp4',
];
const PIECES = 3;
/** A shorter track is not cut. */
const LEAST_FRAMES = 30;
const ORDERS = 200;

interface Known {
  readonly face: DocumentFace;
  readonly file: string;
  /** Undefined: unknown. */
  readonly name: string | undefined;
  readonly from: number;
  readonly to: number;
}

const [finder, embedder] = [
  await loadFaces(),
  await loadFaceEmbedder({ models: { roots: [], loaded: 1, checkMs: 1_000 } }),
];
const files: Known[][] = [];
for (const given of [...SAMPLES.map((one) => path.join('samples', one)), ...process.argv.slice(2)]) {
  const [file = '', names = ''] = given.split('=');
  files.push(await facesIn(file, names === '' ? [] : names.split(',')));
}
const known = files.flat().filter(({ face }) => facesInOrder([face]).length === 1);
const results = Array.from({ length: ORDERS }, (_, n) => group(shuffleFiles(n)));
process.stdout.write(`${files.length} files, ${known.length} tracks of 48 pixels and more\n`);
for (const what of ['people', 'pairs of one', 'missed', 'pairs of two', 'wrong'] as const) {
  const values = results.map((one) => one[what]).toSorted((a, b) => a - b);
  process.stdout.write(`${what}: ${values[0]} to ${values.at(-1)}, median ${values[values.length >> 1]}\n`);
}
for (const [a, b, what] of results[0]!.errors)
  process.stdout.write(`${what}: ${path.basename(a.face.trackId)}, ${path.basename(b.face.trackId)}\n`);
await finder.close!();
await embedder.close!();

async function facesIn(file: string, names: readonly string[]): Promise<Known[]> {
  const isImage = /\.(png|jpe?g)$/.test(file);
  const { tracks, length } = isImage ? await inImage(file) : await inVideo(file);
  const work = { ...medium(isImage ? 'IMAGE' : 'VIDEO', file), length };
  const found: Known[] = [];
  const inPlace = tracks.toSorted((a, b) => a[0]!.x - b[0]!.x);
  for (const [n, detections] of inPlace.entries()) {
    const count = detections.length < LEAST_FRAMES ? 1 : PIECES;
    const size = Math.ceil(detections.length / count);
    for (let at = 0; at < detections.length; at += size) {
      const piece = detections.slice(at, at + size);
      const face = await embed(piece, work, `${file} ${n} ${at}`);
      // Names belong to the faces that are large enough.
      const name = names.length === inPlace.length ? names[n] : count > 1 || names.length > 0 ? `${file} ${n}` : undefined; // oxfmt-ignore
      if (face !== undefined)
        found.push({ face, file, name, from: detections[0]!.frame, to: detections.at(-1)!.frame });
    }
  }
  return found;
}

async function embed(
  piece: readonly FoundDetection[],
  work: object,
  trackId: string,
): Promise<DocumentFace | undefined> {
  const properties = await defaultsOf('face-embedding');
  const fed = fedTrack(piece.map((one) => ({ ...one, time: 0, properties: {} })));
  const asked = { medium: work, properties, feed: { annotate: true } } as Parameters<typeof answerTo>[1];
  const [track] = (await answerTo(embedder, asked, [fed])).tracks;
  const feature = track?.properties['FEATURE'];
  if (feature === undefined) return undefined;
  const bytes = Buffer.from(feature, 'base64');
  const best = piece.reduce((one, other) => (other.confidence > one.confidence ? other : one));
  return {
    ...{ mediaId: 1, mediaUri: '', mediaType: 'VIDEO', trackId, startMs: 0, stopMs: 0 },
    ...{ startFrame: piece[0]!.frame, stopFrame: piece.at(-1)!.frame, confidence: best.confidence },
    ...{ model: 'face-recognition@1', frame: best.frame, box: best, width: null, height: null },
    vector: Float32Array.from({ length: bytes.length / 4 }, (_, n) => bytes.readFloatLE(n * 4)),
    side: Math.min(best.width, best.height),
  };
}

async function inImage(file: string) {
  const tracks = await all(finder.image!(await readImage(file), await jobOf('faces')));
  return { tracks: tracks.map(({ detections }) => [...detections]), length: 1 };
}

async function inVideo(file: string) {
  const reader = await openVideo(file);
  let length = 0;
  const frames = async function* () {
    for await (const frame of reader.frames()) {
      length = frame.index + 1;
      yield frame;
    }
  };
  const source = { width: reader.width, height: reader.height, fps: 25, start: 0, stop: Infinity, frames };
  const tracks = await all(finder.video!(source, await jobOf('faces')));
  reader.close();
  return { tracks: tracks.map(({ detections }) => [...detections]), length };
}

/** The same order for the same number. */
function shuffleFiles(seed: number): readonly (readonly Known[])[] {
  let state = seed + 1;
  const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  return files
    .map((one) => [random(), one] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, one]) => one);
}

function group(order: readonly (readonly Known[])[]) {
  const state = new PeopleState();
  let ids = 0;
  for (const [n, some] of order.entries()) {
    const faces = facesInOrder(some.map(({ face }) => face));
    const job = { number: n, run: 1, jobId: `${n}`, circle: '', faces };
    takeFaces(new Draft(state), job, 0, Infinity, { now: 0, newId: () => `p${ids++}` });
  }
  const people = new Map([...state.members.values()].map(({ trackId, person }) => [trackId, person]));
  const errors: (readonly [a: Known, b: Known, what: string])[] = [];
  const counts = { people: state.persons.size, 'pairs of one': 0, missed: 0, 'pairs of two': 0, wrong: 0 };
  for (const [i, a] of known.entries())
    for (const b of known.slice(i + 1)) {
      const isOne = isOnePerson(a, b);
      if (isOne === undefined) continue;
      const isJoined = people.get(a.face.trackId) === people.get(b.face.trackId);
      counts[isOne ? 'pairs of one' : 'pairs of two']++;
      if (isOne === isJoined) continue;
      counts[isOne ? 'missed' : 'wrong']++;
      errors.push([a, b, isOne ? 'missed' : 'wrong']);
    }
  return { ...counts, errors };
}

/** Undefined: unknown. Files without names show persons that no other file shows. */
function isOnePerson(a: Known, b: Known): boolean | undefined {
  if (a.name !== undefined && a.name === b.name) return true;
  if (a.file !== b.file) return false;
  return a.from <= b.to && b.from <= a.to ? false : undefined;
}
