import { allEntries, type Store } from '../../store/store.ts';
import { LIVE_JOBS, WAITING_JOBS } from '../batch-job/actor.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind, Behavior, Envelope } from '../runtime/system.ts';

export const ADMISSION = 'admission';

export type AdmissionCommand =
  /** From the server at start: let in whoever waits from before. */
  | { readonly type: 'open' }
  /** From the job desk: may a new run begin? The place is taken by the answer. */
  | { readonly type: 'enter'; readonly jobNumber: number; readonly priority: number }
  /** From a job that has ended, or from the desk when the job was not stored after all. */
  | { readonly type: 'leave'; readonly jobNumber: number };
export type AdmissionReply = 'live' | 'waiting' | 'refused';

export interface AdmissionParts {
  readonly store: Store;
  readonly maxLive: number;
  readonly maxWaiting: number;
  /** Tells a waiting job that its turn has come. */
  admit(jobNumber: number): void;
}

/** How many jobs are live at a time; the rest wait their turn, by priority and number. Rebuilt from the indexes at start. */
export function admissionKind(parts: AdmissionParts): ActorKind<AdmissionCommand, AdmissionReply> {
  return {
    name: ADMISSION,
    accepts: new Set(['open', 'enter', 'leave'] as const),
    mailbox: 100_000,
    intensity: DEFAULT_INTENSITY,
    load: () => load(parts),
  };
}

async function load(parts: AdmissionParts): Promise<Behavior<AdmissionCommand, AdmissionReply>> {
  const waiting = new Map<number, number>();
  for await (const { id, score } of allEntries(parts.store, WAITING_JOBS)) waiting.set(Number(id), score);
  const live = new Set<number>();
  for await (const { id } of allEntries(parts.store, LIVE_JOBS))
    if (!waiting.has(Number(id))) live.add(Number(id));

  const admitNext = () => {
    while (live.size < parts.maxLive && waiting.size > 0) {
      const [first] = [...waiting].reduce((best, entry) => (entry[1] < best[1] ? entry : best));
      waiting.delete(first);
      live.add(first);
      parts.admit(first);
    }
  };
  admitNext();

  const enter = (jobNumber: number, priority: number): AdmissionReply => {
    if (waiting.has(jobNumber)) return 'waiting';
    if (live.has(jobNumber) || live.size < parts.maxLive) {
      live.add(jobNumber);
      return 'live';
    }
    if (waiting.size >= parts.maxWaiting) return 'refused';
    waiting.set(jobNumber, waitingScore(priority, jobNumber));
    return 'waiting';
  };

  return {
    handle({ command }: Envelope<AdmissionCommand>) {
      if (command.type === 'enter') return Promise.resolve(enter(command.jobNumber, command.priority));
      if (command.type === 'leave') {
        live.delete(command.jobNumber);
        waiting.delete(command.jobNumber);
      }
      admitNext();
      return Promise.resolve('live');
    },
  };
}

/** Higher priority first, then lower number. */
export const waitingScore = (priority: number, jobNumber: number) => (9 - priority) * 1e12 + jobNumber;
