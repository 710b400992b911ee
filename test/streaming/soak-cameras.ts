/**
 * Cameras for an endurance run. Some send forever. Others disconnect, stall, send damaged data or change
 * their size, driven by a seed. One dies.
 */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sample } from '../components/models/recorded-media.ts';
import { makeVideo } from '../media/support/make-video.ts';
import { accessUnits, jpegPictures, transportStream, type TimedBytes } from '../support/media/coded-media.ts';
import { h264Over } from '../support/media/rtp-pictures.ts';
import { rtspServer, type RtspBehaviour, type RtspPicture } from '../support/servers/rtsp-server.ts';
import { multipart, streamServer } from '../support/servers/stream-server.ts';

export type Temper = 'steady' | 'faulty' | 'dies';
export type Random = () => number;

export interface SoakCamera {
  readonly name: string;
  readonly temper: Temper;
  readonly pipeline: string;
  readonly url: string;
  /** Frames sent so far over all connections. */
  readonly sent: number;
  close(): Promise<void>;
}

/** What a camera sends over one connection, and how the connection ends. */
interface Showing<T> {
  readonly pieces: readonly T[];
  readonly after: 'drop' | 'stall';
}

/** Frames in two sizes. Each list is repeated from its start. */
interface Reel<T> {
  readonly large: readonly T[];
  readonly small: readonly T[];
  /** The same frame at another time. */
  at(piece: T, dueMs: number): T;
  garble(piece: T, random: Random): T;
}

const FACES = 'FACE DETECTION PIPELINE';
const MOTION = 'MOTION DETECTION PIPELINE';
const OBJECTS = 'OBJECT DETECTION PIPELINE';
const FACE_CLIP = sample('face_move.mp4');
export const FRAME_MS = 200;
const DYING_FRAMES = 20;

/** `seconds`: minimum time for which the steady cameras send. */
export async function soakCameras(seconds: number, random: Random): Promise<readonly SoakCamera[]> {
  const small = join(tmpdir(), `soak-${process.pid}.mp4`);
  makeVideo(small, { frames: 50, width: 320, height: 240, gop: 10 });
  try {
    const [coded, stream, jpegs] = [codedReel(small), streamReel(small), await jpegReel(small)];
    const showVisit =
      <T>(temper: Temper, reel: Reel<T>) =>
      (visit: number) =>
        showingOf(temper, reel, { visit, seconds, random });
    return await Promise.all([
      overRtsp('RTSP 1', FACES, 'steady', coded, showVisit('steady', coded)),
      overRtsp('RTSP 2', OBJECTS, 'faulty', coded, showVisit('faulty', coded)),
      overRtsp('RTSP 3', MOTION, 'dies', coded, showVisit('dies', coded)),
      overHttp('MPEG-TS 1', MOTION, 'steady', showVisit('steady', stream)),
      overHttp('MPEG-TS 2', FACES, 'faulty', showVisit('faulty', stream)),
      overHttp('MJPEG 1', OBJECTS, 'steady', showVisit('steady', jpegs), asParts),
      overHttp('MJPEG 2', MOTION, 'faulty', showVisit('faulty', jpegs), asParts),
    ]);
  } finally {
    rmSync(small);
  }
}

type Course = { readonly visit: number; readonly seconds: number; readonly random: Random };

function showingOf<T>(temper: Temper, reel: Reel<T>, { visit, seconds, random }: Course): Showing<T> {
  const count = Math.ceil((seconds * 1_000) / FRAME_MS);
  if (temper === 'steady') return { pieces: stretch(reel, [{ of: reel.large, count }]), after: 'stall' };
  if (temper === 'dies')
    return {
      pieces: stretch(reel, [{ of: reel.large, count: visit === 0 ? DYING_FRAMES : 0 }]),
      after: 'stall',
    };
  const third = 15 + Math.floor(random() * 35);
  const fault = (['drop', 'stall', 'corrupt', 'resize'] as const)[Math.floor(random() * 4)]!;
  const middle = fault === 'resize' ? reel.small : reel.large;
  const pieces = stretch(reel, [
    { of: reel.large, count: third },
    { of: middle, count: third },
    { of: reel.large, count: third },
  ]);
  const isHit = (n: number) => fault === 'corrupt' && n >= third && n < 2 * third && random() < 0.5;
  return {
    pieces: pieces.map((piece, n) => (isHit(n) ? reel.garble(piece, random) : piece)),
    after: fault === 'stall' ? 'stall' : 'drop',
  };
}

function stretch<T>(
  reel: Reel<T>,
  parts: readonly { readonly of: readonly T[]; readonly count: number }[],
): readonly T[] {
  const pieces = parts.flatMap(({ of, count }) =>
    Array.from({ length: count }, (_, n) => of[n % of.length]!),
  );
  return pieces.map((piece, n) => reel.at(piece, n * FRAME_MS));
}

function noise(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes);
  for (let n = 0; n < 20; n++) copy[Math.floor(random() * copy.length)] = Math.floor(random() * 256);
  return copy;
}

function codedReel(small: string): Reel<RtspPicture> & Pick<RtspBehaviour, 'media'> {
  const over = (file: string) => {
    const clip = accessUnits(file);
    const [first, ...others] = clip.units;
    // The parameter sets precede the first frame, so that a change of size is recognised.
    return h264Over({
      ...clip,
      units: [{ ...first!, nals: [...clip.parameterSets, ...first!.nals] }, ...others],
    });
  };
  const { pictures, media } = over(FACE_CLIP);
  return {
    media,
    large: pictures,
    small: over(small).pictures,
    at: (picture, dueMs) => ({ ...picture, dueMs, ptsMs: dueMs + picture.ptsMs - picture.dueMs }),
    garble: (picture, random) => ({
      ...picture,
      payloads: picture.payloads.map((payload) => noise(payload, random)),
    }),
  };
}

const bytesReel = (large: readonly TimedBytes[], small: readonly TimedBytes[]): Reel<TimedBytes> => ({
  large,
  small,
  at: ({ data }, dueMs) => ({ data, dueMs }),
  garble: ({ data, dueMs }, random) => ({ dueMs, data: noise(data, random) }),
});

const streamReel = (small: string): Reel<TimedBytes> =>
  bytesReel(transportStream(FACE_CLIP), transportStream(small));

const jpegReel = async (small: string): Promise<Reel<TimedBytes>> =>
  bytesReel(await jpegPictures(FACE_CLIP, FRAME_MS), await jpegPictures(small, FRAME_MS));

const asParts = (pieces: readonly TimedBytes[]) => multipart(pieces);

async function overRtsp(
  name: string,
  pipeline: string,
  temper: Temper,
  { media }: Pick<RtspBehaviour, 'media'>,
  showVisit: (visit: number) => Showing<RtspPicture>,
): Promise<SoakCamera> {
  let sent = 0;
  const server = await rtspServer((visit) => {
    const { pieces, after } = showVisit(visit);
    const silence = temper === 'dies' && visit > 0 ? { silentAt: 'DESCRIBE' } : {};
    return { media, pictures: pieces, after, ready: (n) => countPictures(n, () => sent++), ...silence };
  });
  return camera({ name, pipeline, temper }, server, () => sent);
}

async function overHttp(
  name: string,
  pipeline: string,
  temper: Temper,
  showVisit: (visit: number) => Showing<TimedBytes>,
  answerWith: (pieces: readonly TimedBytes[]) => object = (pieces) => ({ pieces }),
): Promise<SoakCamera> {
  let sent = 0;
  const server = await streamServer((visit) => {
    const { pieces, after } = showVisit(visit);
    return { ...answerWith(pieces), after, ready: (n) => countPictures(n, () => sent++) };
  });
  return camera({ name, pipeline, temper }, server, () => sent);
}

/** Calls a function before each frame and once after the last one. */
const countPictures = (before: number, count: () => void): Promise<void> => {
  if (before > 0) count();
  return Promise.resolve();
};

const camera = (
  what: Pick<SoakCamera, 'name' | 'pipeline' | 'temper'>,
  server: { readonly url: string; close(): Promise<void> },
  countSent: () => number,
): SoakCamera => ({
  ...what,
  url: server.url,
  get sent() {
    return countSent();
  },
  close: () => server.close(),
});
