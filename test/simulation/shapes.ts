/** The jobs of a simulation, and the outcome of each sub-job, which does not depend on faults of servers. */
import type { JobRequest } from '../../actors/job-service/job-request.ts';
import type { SubJobRow } from '../../actors/batch-job/state/state.ts';
import { isTerminal } from '../../actors/batch-job/state/status.ts';
import {
  failedWith,
  LedJob,
  lose,
  doneWith,
  mediaOf,
  recordOf,
  type GivenJob,
} from '../actors/batch-job/jobs.ts';
import { NOOP } from '../bench/parts.ts';
import { oneOf, type Random } from '../cluster/chaos/chaos-plan.ts';
import { foundIn } from './promises.ts';

/** Outcome of an attempt in a component. */
export type Fate = 'done' | 'fails' | 'dies' | 'hangs' | 'garbage';

export const ATTEMPTS = 3;
export const QUEUE = 'NOOP';
export const RECEIVER = 'http://receiver.example';

const SHAPES: readonly GivenJob[] = [
  { media: [{ type: 'IMAGE' }] },
  { media: [{ frames: 25 }] },
  { media: [{ frames: 12 }, { type: 'IMAGE' }, { frames: 30 }] },
  { media: [{ type: 'IMAGE' }, { type: 'AUDIO' }] },
];

/** A component whose algorithm does nothing. */
export const DESCRIPTOR = NOOP;

export const shapeOf = (random: Random): GivenJob => oneOf(random, SHAPES);

export function requestOf(shape: GivenJob, key: string, calls: boolean): JobRequest {
  const { media, jobProperties } = recordOf(shape);
  return {
    media: media.map(({ uri, metadata, properties, frameRanges, timeRanges }) => ({
      ...{ uri, metadata, properties, frameRanges, timeRanges },
    })),
    pipelineName: 'NOOP PIPELINE',
    buildOutput: true,
    externalId: key,
    jobProperties,
    algorithmProperties: {},
    priority: undefined,
    user: 'simulation',
    // Several users, whose work is served in turn.
    owner: { user: key.at(-1)! },
    callback: calls ? { url: `${RECEIVER}/${key}`, method: 'POST' } : undefined,
  };
}

/** Percent of attempts. */
const SHARES: readonly (readonly [Fate, number])[] = [
  ['fails', 4],
  ['dies', 7],
  ['hangs', 1],
  ['garbage', 3],
];

/** Outcome of an attempt at a sub-job of this request, the same in all runs. */
export function fateOf(seed: number, key: string, row: Pick<SubJobRow, 'key' | 'attempts'>): Fate {
  const name = `${seed} ${key} ${row.key.slice(row.key.indexOf('/'))} ${row.attempts}`;
  let hash = 2_166_136_261;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16_777_619);
  let drawn = ((hash ^ (hash >>> 15)) >>> 0) % 100;
  for (const [fate, share] of SHARES) {
    if (drawn < share) return fate;
    drawn -= share;
  }
  return 'done';
}

export interface Undisturbed {
  readonly status: string;
  readonly found: readonly string[];
}

/** The end of a job on a server without faults. */
export function runUndisturbed(seed: number, key: string, shape: GivenJob): Undisturbed {
  const job = LedJob.accept(shape, { attempts: ATTEMPTS, window: 64, search: false });
  let found: readonly string[] = [];
  while (job.state !== undefined && !isTerminal(job.state.status)) {
    const [row] = job.outstanding;
    if (row === undefined) throw new Error(`A job of ${mediaOf(shape).length} media does not go on.`);
    if (row.kind === 'DOCUMENT' && found.length === 0) found = foundIn(job.rows);
    const fate = fateOf(seed, key, row);
    if (fate === 'done') job.tell(doneWith(shape, row));
    else job.tell(fate === 'fails' ? failedWith(row) : lose(row));
  }
  return { status: job.status, found };
}
