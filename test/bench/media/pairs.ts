/**
 * A video in sub-jobs with one and with two component processes, compared with two plain loops in parallel.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeVideo } from '../../media/support/make-video.ts';
import { startBare, type BareLoop } from '../bare/bare.ts';
import { startClient } from '../jobs/client.ts';
import { runInterleaved, round, measureTime, type Figure } from '../measure.ts';

const FRAMES = 320;
/** Frames per sub-job. All are equal, so that no process is left with an extra one. */
const PIECE = 40;

export async function pairs(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  const clip = path.join(folder, 'clip.mp4');
  makeVideo(clip, { frames: FRAMES, width: 1280, height: 720, gop: PIECE, bFrames: 2 });
  const loops = [startBare(), startBare()] as const;
  const one = await startClient(folder, 'data-1', { COMPONENT_PROCESSES: '1' });
  const two = await startClient(folder, 'data-2', { COMPONENT_PROCESSES: '2' });
  const job = {
    pipelineName: 'FACE DETECTION PIPELINE',
    media: [{ mediaUri: pathToFileURL(clip).href }],
    jobProperties: { TARGET_SEGMENT_LENGTH: String(PIECE), MIN_SEGMENT_LENGTH: '1' },
  };
  const first = (loop: BareLoop, count: number, start = 0) =>
    loop({ video: clip, start, stop: start + count - 1, length: FRAMES });
  await Promise.all([...loops.map((loop) => first(loop, 10)), one.run(job), two.run(job)]);
  const times = await runInterleaved(3, {
    bare: () => first(loops[0], FRAMES),
    bareTwo: () =>
      measureTime(() => Promise.all(loops.map((loop, half) => first(loop, FRAMES / 2, (half * FRAMES) / 2)))),
    one: () => measureTime(() => one.run(job)),
    two: () => measureTime(() => two.run(job)),
  });
  loops.forEach((loop) => loop.stop());
  await Promise.all([one.stop(), two.stop()]);
  rmSync(folder, { recursive: true, force: true });
  return figures(times);
}

function figures(times: Readonly<Record<'bare' | 'bareTwo' | 'one' | 'two', number>>): readonly Figure[] {
  const bound = times.bare / times.bareTwo;
  const gained = times.one / times.two;
  return [
    {
      what: `${FRAMES} frames of 720p, faces, ${FRAMES / PIECE} sub-jobs: one and two component processes`,
      value: `${round(times.one)} and ${round(times.two)} ms, speed-up ${round(gained, 2)}`,
      aim: '>= 1.8',
    },
    {
      what: 'one bare loop, and two at once with half each: the bound of this machine',
      value: `${round(times.bare)} and ${round(times.bareTwo)} ms, speed-up ${round(bound, 2)}`,
    },
    { what: 'share of that bound', value: round(gained / bound, 2) },
  ];
}
