import { allEntries, type Store } from '../../store/store.ts';
import { LIVE_JOBS, WAITING_JOBS, waitingScore } from '../batch-job/indexes.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind, Behavior, Envelope } from '../runtime/system.ts';

export const ADMISSION = 'admission';

export type AdmissionCommand =
  /** From the server at start and from reconciliation: compare with the indexes, let in whoever may come. */
  | { readonly type: 'open' }
  /** From the job service: may a new run begin? The place is taken by the answer. */
  | { readonly type: 'enter'; readonly jobNumber: number; readonly priority: number }
  /** From a job that has ended, or from the job service when the job was not stored after all. */
  | { readonly type: 'leave'; readonly jobNumber: number };
export type AdmissionReply = 'live' | 'waiting' | 'refused';

export interface AdmissionDeps {
  readonly store: Store;
  readonly maxLive: number;
  readonly maxWaiting: number;
  /** Tells a waiting job that its turn has come. */
  admit(jobNumber: number): void;
}

/** How many jobs are live at a time; the rest wait their turn, by priority and number. Rebuilt from the indexes at start. */
export function admissionKind(deps: AdmissionDeps): ActorKind<AdmissionCommand, AdmissionReply> {
  return {
    name: ADMISSION,
    accepts: new Set(['open', 'enter', 'leave'] as const),
    mailbox: 100_000,
    intensity: DEFAULT_INTENSITY,
    load: () => load(deps),
  };
}

/** Words to and from jobs travel; a number that entered so recently is not compared with the indexes yet. */
const TRAVEL_MS = 60_000;

/** What the store says: live jobs, and waiting ones with their scores. */
async function stored({ store }: AdmissionDeps) {
  const waiting = new Map<number, number>();
  for await (const { id, score } of allEntries(store, WAITING_JOBS)) waiting.set(Number(id), score);
  const live = new Set<number>();
  for await (const { id } of allEntries(store, LIVE_JOBS)) if (!waiting.has(Number(id))) live.add(Number(id));
  return { live, waiting };
}

async function load(deps: AdmissionDeps): Promise<Behavior<AdmissionCommand, AdmissionReply>> {
  const { live, waiting } = await stored(deps);
  const entered = new Map<number, number>();

  const admitNext = () => {
    while (live.size < deps.maxLive && waiting.size > 0) {
      const [first] = [...waiting].reduce((best, entry) => (entry[1] < best[1] ? entry : best));
      waiting.delete(first);
      live.add(first);
      deps.admit(first);
    }
  };

  const enter = (jobNumber: number, priority: number, at: number): AdmissionReply => {
    if (waiting.has(jobNumber)) return 'waiting';
    entered.set(jobNumber, at);
    if (live.has(jobNumber) || live.size < deps.maxLive) {
      live.add(jobNumber);
      return 'live';
    }
    if (waiting.size >= deps.maxWaiting) return 'refused';
    waiting.set(jobNumber, waitingScore(priority, jobNumber));
    return 'waiting';
  };

  /** Mends what lost words have left behind: places that nobody holds, jobs that were never told that they may come. */
  const compare = async (at: number) => {
    for (const [jobNumber, since] of entered) if (at - since > TRAVEL_MS) entered.delete(jobNumber);
    const truth = await stored(deps);
    for (const jobNumber of live) {
      if (truth.waiting.has(jobNumber)) deps.admit(jobNumber);
      else if (!truth.live.has(jobNumber) && !entered.has(jobNumber)) live.delete(jobNumber);
    }
    for (const jobNumber of waiting.keys())
      if (!truth.waiting.has(jobNumber) && !entered.has(jobNumber)) waiting.delete(jobNumber);
    for (const jobNumber of truth.live) live.add(jobNumber);
    for (const [jobNumber, score] of truth.waiting) if (!live.has(jobNumber)) waiting.set(jobNumber, score);
  };

  return {
    async handle({ command, at }: Envelope<AdmissionCommand>) {
      if (command.type === 'enter') return enter(command.jobNumber, command.priority, at);
      if (command.type === 'open') await compare(at);
      else {
        live.delete(command.jobNumber);
        waiting.delete(command.jobNumber);
      }
      admitNext();
      return 'live';
    },
  };
}
