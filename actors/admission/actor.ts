import type { UserShares } from '../../domain/users/user-shares.ts';
import { allEntries, type Store } from '../../store/store.ts';
import { LIVE_JOBS, WAITING_JOBS } from '../batch-job/state/indexes.ts';
import type { Clock } from '../basics/clock.ts';
import type { Behavior } from '../runtime/behavior.ts';
import { inMemory } from '../runtime/in-memory.ts';
import { commandsOf, DONE, refuseWith } from '../runtime/machine.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind } from '../runtime/system.ts';
import type { AdmissionCommand, AdmissionReply, AdmissionTypes, StoredJobs } from './model.ts';
import { WaitingTurns } from './waiting-turns.ts';
import { SharedFigureReader } from './shared-figures.ts';
import { sharedEntry, sharedRoom, type SharedFigures } from './shared-limits.ts';
import { ADMISSION_MACHINE, admissionOf } from './transitions.ts';

export const ADMISSION = 'admission';

export interface AdmissionDeps {
  readonly store: Store;
  readonly shares: UserShares;
  readonly clock: Clock;
  readonly maxLive: number;
  readonly maxWaiting: number;
  /** Returns the number of servers that admit jobs. */
  servers(): number;
  /** Tells a waiting job to begin. */
  admit(jobNumber: number): void;
}

/** Time after its admission during which a run may be missing in the indexes. */
const COMING_MS = 1_000;
/** Most jobs that are admitted at a time. The next check admits more. */
const AT_A_TIME = 100;

/**
 * Limits how many jobs are live at a time. Its state is built from the indexes when it is loaded. With a shared store, it reads them each
 * time.
 */
export function admissionKind(deps: AdmissionDeps): ActorKind<AdmissionCommand, AdmissionReply> {
  const { store } = deps;
  return {
    name: ADMISSION,
    accepts: commandsOf(ADMISSION_MACHINE),
    mailbox: 100_000,
    intensity: DEFAULT_INTENSITY,
    load: async () => (store.shared ? sharedAdmission(deps) : inTurn(await alone(deps), deps)),
  };
}

type AdmissionBehavior = Behavior<AdmissionCommand, AdmissionReply>;

/** Makes each job take a turn before it enters, in case it has to wait. */
function inTurn(admission: AdmissionBehavior, deps: AdmissionDeps): AdmissionBehavior {
  const turns = new WaitingTurns(deps);
  return {
    ...admission,
    async handle(envelope) {
      const { command } = envelope;
      if (command.type !== 'enter') return admission.handle(envelope);
      const turn = await turns.next(command);
      const reply = await admission.handle({ ...envelope, command: { ...command, turn } });
      return reply.kind === 'waiting' ? { ...reply, turn } : reply;
    },
  };
}

async function alone({ store, maxLive, maxWaiting, admit }: AdmissionDeps): Promise<AdmissionBehavior> {
  return inMemory<AdmissionTypes>({
    machine: ADMISSION_MACHINE,
    state: admissionOf(await storedJobs(store)),
    context: ({ at }) => ({ at, maxLive, maxWaiting }),
    async perform(effects) {
      for (const effect of effects) if (effect.type === 'admit') admit(effect.jobNumber);
      if (!effects.some(({ type }) => type === 'look')) return undefined;
      return { type: 'looked', stored: await storedJobs(store) };
    },
  });
}

/** Admission with a shared store. Jobs begin and end on other servers as well, so this keeps only the runs that it is admitting now. */
function sharedAdmission(deps: AdmissionDeps): AdmissionBehavior {
  const [turns, figures] = [new WaitingTurns(deps), new SharedFigureReader(deps)];
  const coming = new Map<number, number>();
  const placeFor = (known: SharedFigures) =>
    sharedEntry(known, coming.size, { ...deps, servers: deps.servers() });
  return {
    async handle({ command, at }) {
      for (const [jobNumber, since] of coming) if (at - since > COMING_MS) coming.delete(jobNumber);
      if (command.type === 'enter') {
        const { recent } = figures;
        const isFree = recent !== undefined && placeFor(recent) === 'live';
        const place = isFree ? 'live' : placeFor(await figures.read());
        if (place === 'live') coming.set(command.jobNumber, at);
        if (place !== 'waiting') return place === 'FULL' ? refuseWith(place) : { kind: place };
        figures.noteWaiting();
        return { kind: place, turn: await turns.next(command) };
      }
      if (command.type === 'leave') coming.delete(command.jobNumber);
      // If another server makes a job wait right now, the next check finds it.
      if (command.type !== 'leave' || figures.recent?.waiting !== 0)
        await admitNext(deps, figures, coming.size);
      return DONE;
    },
  };
}

/**
 * Admits the next waiting jobs. If two servers admit the same jobs at the same time, each job still begins once. The waiting jobs are
 * read before the live ones are counted. So a job that another server admits meanwhile counts twice rather than not at all.
 */
async function admitNext(
  { store, maxLive, admit }: AdmissionDeps,
  figures: SharedFigureReader,
  coming: number,
): Promise<void> {
  if ((await figures.read()).waiting === 0) return;
  const next = await store.list(WAITING_JOBS, { limit: AT_A_TIME });
  const room = sharedRoom(await figures.read(), coming, maxLive);
  for (const { id } of next.slice(0, room)) admit(Number(id));
}

async function storedJobs(store: Store): Promise<StoredJobs> {
  const waiting = new Map<number, number>();
  for await (const { id, score } of allEntries(store, WAITING_JOBS)) waiting.set(Number(id), score);
  const live = new Set<number>();
  for await (const { id } of allEntries(store, LIVE_JOBS)) if (!waiting.has(Number(id))) live.add(Number(id));
  return { live, waiting };
}
