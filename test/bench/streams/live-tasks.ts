/**
 * The cost of a second task on a live stream: two detectors that share its frames, compared with both
 * detectors alone on the same frames.
 */
import loadMotionDetector from '../../../components/detectors/motion/detector.ts';
import loadObjectDetector from '../../../components/detectors/objects/detector.ts';
import type { Detector, Frame, FrameSource } from '../../../components/sdk/detector.ts';
import type { Properties } from '../../../domain/types.ts';
import { liveSource, recordedStream, watchToEnd, workOf } from '../../components/live/live-stream.ts';
import { all, jobOf } from '../../components/visual.ts';
import { round, runInterleaved, type Figure } from '../measure.ts';

const FRAMES = 60;
const ROUNDS = 5;
const MOST = 1.15;

export async function liveTasks(): Promise<readonly Figure[]> {
  const frames = await readFrames();
  const [motion, objects] = [await loadMotionDetector(), await loadObjectDetector()];
  const given = {
    MOTION: (await jobOf('motion')).properties,
    OBJECT: (await jobOf('objects')).properties,
  };
  const alone = (detector: Detector, properties: Properties) => () =>
    cpuMs(() => all(detector.video!(sourceOf(frames), { properties, signal: new AbortController().signal })));
  const both = (task: 0 | 1) => () => cpuMs(() => watchBoth(frames, { motion, objects }, given, task));
  try {
    const cost = await runInterleaved(ROUNDS, {
      motion: alone(motion, given.MOTION),
      objects: alone(objects, given.OBJECT),
      together: both(0),
      inTurn: both(1),
    });
    const sum = cost.motion + cost.objects;
    const figure = (what: string, ms: number): Figure => ({
      what: `${FRAMES} frames of 640x360, MOTION and OBJECT ${what}, against both detectors alone`,
      value: `${round(ms / FRAMES, 1)} ms of CPU a frame, ratio ${round(ms / sum, 2)}`,
      aim: `at most ${MOST}`,
    });
    return [
      {
        what: `${FRAMES} frames of 640x360: MOTION alone; OBJECT alone`,
        value: `${round(cost.motion / FRAMES, 1)}; ${round(cost.objects / FRAMES, 1)} ms of CPU a frame`,
      },
      figure('as two actions of a live stream', cost.together),
      figure('as two tasks of a live stream', cost.inTurn),
    ];
  } finally {
    await objects.close?.();
  }
}

async function watchBoth(
  frames: readonly Frame[],
  { motion, objects }: Readonly<Record<'motion' | 'objects', Detector>>,
  given: Readonly<Record<'MOTION' | 'OBJECT', Properties>>,
  task: 0 | 1,
): Promise<void> {
  const actions = [
    { task: 0, algorithm: 'MOTION', trackType: 'MOTION', properties: given.MOTION },
    { task, algorithm: 'OBJECT', trackType: 'CLASS', properties: given.OBJECT },
  ];
  const work = { ...(await workOf('motion')), trackType: 'MOTION', actions };
  const open = liveSource({ frames: () => sourceOf(frames).frames() });
  const server = await watchToEnd({ detector: motion, others: { OBJECT: objects }, open, work });
  if (server.counts?.processed !== FRAMES)
    throw new Error(`${server.counts?.processed} of ${FRAMES} frames were looked at.`);
}

async function readFrames(): Promise<readonly Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of recordedStream('face_move.mp4').frames()) {
    frames.push({ ...frame, data: new Uint8Array(frame.data) });
    if (frames.length === FRAMES) break;
  }
  return frames;
}

function sourceOf(frames: readonly Frame[]): FrameSource {
  const { width, height } = frames[0]!;
  return {
    ...{ width, height, fps: 25, start: 0, stop: frames.length - 1 },
    async *frames() {
      yield* frames;
    },
  };
}

async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
