import { allEntries, type Store } from '../../store/store.ts';
import { LIVE_JOBS, WAITING_JOBS } from '../batch-job/indexes.ts';
import { inMemory } from '../runtime/in-memory.ts';
import { commandsOf } from '../runtime/machine.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind } from '../runtime/system.ts';
import type { AdmissionCommand, AdmissionReply, AdmissionTypes, StoredJobs } from './model.ts';
import { ADMISSION_MACHINE, admissionOf } from './transitions.ts';

export const ADMISSION = 'admission';

export interface AdmissionDeps {
  readonly store: Store;
  readonly maxLive: number;
  readonly maxWaiting: number;
  /** Tells a waiting job that its turn has come. */
  admit(jobNumber: number): void;
}

/** How many jobs are live at a time. What it knows is made of the indexes when it is loaded. */
export function admissionKind(deps: AdmissionDeps): ActorKind<AdmissionCommand, AdmissionReply> {
  const { store, maxLive, maxWaiting, admit } = deps;
  return {
    name: ADMISSION,
    accepts: commandsOf(ADMISSION_MACHINE),
    mailbox: 100_000,
    intensity: DEFAULT_INTENSITY,
    load: async () =>
      inMemory<AdmissionTypes>({
        machine: ADMISSION_MACHINE,
        state: admissionOf(await storedJobs(store)),
        context: ({ at }) => ({ at, maxLive, maxWaiting }),
        async perform(effects) {
          for (const effect of effects) if (effect.type === 'admit') admit(effect.jobNumber);
          if (!effects.some(({ type }) => type === 'look')) return undefined;
          return { type: 'looked', stored: await storedJobs(store) };
        },
      }),
  };
}

async function storedJobs(store: Store): Promise<StoredJobs> {
  const waiting = new Map<number, number>();
  for await (const { id, score } of allEntries(store, WAITING_JOBS)) waiting.set(Number(id), score);
  const live = new Set<number>();
  for await (const { id } of allEntries(store, LIVE_JOBS)) if (!waiting.has(Number(id))) live.add(Number(id));
  return { live, waiting };
}
