import { turnOf, waitingScore } from '../batch-job/state/indexes.ts';
import { Map, Set } from '../basics/immutable.ts';
import { DONE, refuseWith, type Machine, type Outcome } from '../runtime/machine.ts';
import { heapOf, withoutLowest, withScore } from './score-heap.ts';
import type { AdmissionEffect, AdmissionState, AdmissionTypes, StoredJobs } from './model.ts';

/** Time that messages to and from jobs may take. A job that entered more recently is not compared with the indexes yet. */
const TRAVEL_MS = 60_000;

/** The state with live and waiting jobs as stored. */
export const admissionOf = ({ live, waiting }: StoredJobs): AdmissionState => ({
  live: Set(live),
  waiting: Map(waiting),
  turns: heapOf(waiting),
  entered: Map(),
});

/** Limits the number of live jobs. The others wait. */
export const ADMISSION_MACHINE: Machine<AdmissionTypes> = {
  initial: { live: Set(), waiting: Map(), turns: null, entered: Map() },
  on: {
    open: { apply: () => ({ reply: DONE, effects: [{ type: 'look' }] }) },
    looked: { apply: (state, { stored }, { at }) => compareWithStored(state, stored, at) },
    enter: {
      apply(state, { jobNumber, priority, turn = jobNumber }, { at, maxLive, maxWaiting }) {
        const { live, waiting } = state;
        if (waiting.has(jobNumber)) return { reply: { kind: 'waiting' } };
        const entered = state.entered.set(jobNumber, at);
        if (live.has(jobNumber) || live.size < maxLive)
          return { reply: { kind: 'live' }, state: { ...state, entered, live: live.add(jobNumber) } };
        if (waiting.size >= maxWaiting) return refuseWith('FULL');
        const score = waitingScore(priority, turn);
        return {
          reply: { kind: 'waiting' },
          state: {
            ...state,
            entered,
            waiting: waiting.set(jobNumber, score),
            turns: withScore(state.turns, jobNumber, score),
          },
        };
      },
    },
    prioritize: {
      apply(state, { jobNumber, priority }) {
        const before = state.waiting.get(jobNumber);
        if (before === undefined) return { reply: DONE };
        const score = waitingScore(priority, turnOf(before));
        return {
          reply: DONE,
          state: {
            ...state,
            waiting: state.waiting.set(jobNumber, score),
            turns: withScore(state.turns, jobNumber, score),
          },
        };
      },
    },
    leave: {
      apply: (state, { jobNumber }) => ({
        reply: DONE,
        state: { ...state, live: state.live.delete(jobNumber), waiting: state.waiting.delete(jobNumber) },
      }),
    },
  },
  conclude: (outcome, _before, _command, { maxLive }) => withNext(outcome, maxLive),
};

/** Admits waiting jobs while there is room. */
function withNext(outcome: Outcome<AdmissionTypes>, maxLive: number): Outcome<AdmissionTypes> {
  const { state, effects = [] } = outcome;
  if (state === undefined || state.waiting.isEmpty() || state.live.size >= maxLive) return outcome;
  let { live, waiting, turns } = state;
  const admitted: AdmissionEffect[] = [];
  while (live.size < maxLive && turns !== null) {
    const { jobNumber, score } = turns;
    turns = withoutLowest(turns);
    // The job has left since, or waits with another priority.
    if (waiting.get(jobNumber) !== score) continue;
    waiting = waiting.delete(jobNumber);
    live = live.add(jobNumber);
    admitted.push({ type: 'admit', jobNumber });
  }
  return { ...outcome, state: { ...state, live, waiting, turns }, effects: [...effects, ...admitted] };
}

/** Repairs the effects of lost messages: places without a job, and jobs that were not told that they may begin. */
function compareWithStored(state: AdmissionState, stored: StoredJobs, at: number): Outcome<AdmissionTypes> {
  const entered = state.entered.filter((since) => at - since <= TRAVEL_MS);
  const isKnown = (jobNumber: number) => entered.has(jobNumber);
  const untold = state.live.filter((jobNumber) => stored.waiting.has(jobNumber));
  const live = state.live
    .filter((one) => stored.waiting.has(one) || stored.live.has(one) || isKnown(one))
    .union(stored.live);
  const waiting = state.waiting
    .filter((_, one) => stored.waiting.has(one) || isKnown(one))
    .merge([...stored.waiting].filter(([one]) => !live.has(one)));
  return {
    reply: DONE,
    state: { live, waiting, turns: heapOf(waiting), entered },
    effects: untold.toArray().map((jobNumber) => ({ type: 'admit', jobNumber })),
  };
}
