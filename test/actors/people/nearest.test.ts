import { expect } from 'chai';
import fc from 'fast-check';
import { forgetPerson, mergePeople, splitPerson } from '../../../actors/people/edit.ts';
import type { Sought } from '../../../actors/people/nearest.ts';
import type { Person } from '../../../actors/people/rows.ts';
import { Draft, PeopleState } from '../../../actors/people/state.ts';
import { facesInOrder, removeJob, takeFaces } from '../../../actors/people/take-faces.ts';
import { distanceBelow, unpackVector } from '../../../actors/people/vectors.ts';
import { randomOf } from '../../cluster/chaos/chaos-plan.ts';
import { face } from './contract.ts';

/** Covers more than two blocks of the comparison, and is not a multiple of one. */
const NUMBERS = 70;
const [CENTRES, AROUND, JOBS, MEDIA] = [4, 12, 5, 2] as const;

/** Vectors around each centre, some just within the threshold. They differ most in the last number. */
const VECTORS = makeVectors();

function makeVectors(): readonly Float32Array[] {
  const random = randomOf(11, 1);
  return Array.from({ length: CENTRES * AROUND }, (_, n) => {
    const far = 0.08 * (n % AROUND);
    const numbers = Array.from({ length: NUMBERS }, () => 0.03 * random());
    numbers[n % CENTRES] = 1;
    numbers[NUMBERS - 1] = far * random();
    return Float32Array.from(numbers);
  });
}

/** Reference implementation: compares a face with every representative of every person, in order. */
class SimpleState extends PeopleState {
  override nearestPerson(sought: Sought): Person | undefined {
    let [found, least]: [Person | undefined, number] = [undefined, sought.most];
    for (const person of this.persons.values()) {
      if (person.model !== sought.model || person.circle !== sought.circle) continue;
      if (sought.not.has(person.id)) continue;
      for (const key of person.representatives) {
        const distance = distanceBelow(sought.vector, unpackVector(this.members.get(key)!.vector), Infinity);
        if (distance < least) [found, least] = [person, distance];
      }
    }
    return found;
  }
}

const faceArbitrary = fc.record({
  vector: fc.nat(VECTORS.length - 1),
  model: fc.constantFrom('a@1', 'a@1', 'b@1'),
  mediaId: fc.integer({ min: 1, max: MEDIA }),
  track: fc.nat(30),
  start: fc.nat(200),
  side: fc.integer({ min: 48, max: 200 }),
});
const stepArbitrary = fc.record({
  what: fc.constantFrom('take', 'take', 'take', 'take', 'take', 'merge', 'split', 'forget', 'remove'),
  job: fc.nat(JOBS - 1),
  circle: fc.constantFrom('', '', 'user:anna'),
  faces: fc.array(faceArbitrary, { minLength: 5, maxLength: 25, size: 'max' }),
  one: fc.nat(50),
  other: fc.nat(50),
  /** Another server committed first. */
  isRefused: fc.boolean(),
});
type Step = typeof stepArbitrary extends fc.Arbitrary<infer T> ? T : never;

/** Applies all steps to a state of this kind. */
function groupAll(state: PeopleState, steps: readonly Step[]) {
  let [ids, run] = [0, 0];
  const making = { now: 0, newId: () => `p${ids++}` };
  for (const step of steps) {
    const draft = new Draft(state);
    doStep(draft, step, ++run, making);
    const { putRows, removeRows } = draft.end();
    if (step.isRefused) continue;
    for (const key of removeRows) state.set(key, undefined);
    for (const { key, body } of putRows) state.set(key, body);
  }
  return {
    members: [...state.members].map(([key, { person }]) => [key, state.idOf(person)]),
    people: [...state.persons.values()],
  };
}

function doStep(draft: Draft, step: Step, run: number, making: Parameters<typeof splitPerson>[3]): void {
  const { state } = draft;
  const people = [...state.persons.values()];
  const [one, other] = [people[step.one % people.length], people[step.other % people.length]];
  if (step.what === 'take') takeAll(draft, step, run, making);
  else if (step.what === 'remove') removeJob(draft, step.job);
  else if (one === undefined || other === undefined) return;
  else if (step.what === 'merge') mergePeople(draft, one, other);
  else if (step.what === 'forget') forgetPerson(draft, one);
  else {
    const keys = state.membersOf(one.id);
    splitPerson(draft, one, [state.members.get(keys[step.other % keys.length]!)!], making);
  }
}

function takeAll(draft: Draft, step: Step, run: number, making: Parameters<typeof splitPerson>[3]): void {
  const { job: number, circle } = step;
  const faces = step.faces.map(({ vector, model, mediaId, track, start, side }) =>
    face(0, {
      ...{ vector: VECTORS[vector]!, model, mediaId, trackId: `${number}-${track}` },
      ...{ startFrame: start, stopFrame: start + 20, side },
    }),
  );
  takeFaces(draft, { number, run, jobId: '', circle, faces: facesInOrder(faces) }, 0, Infinity, making);
}

describe('The nearest person', () => {
  it('is the one that a comparison with everybody finds, whatever was done before', () => {
    let joined = 0;
    fc.assert(
      fc.property(fc.array(stepArbitrary, { minLength: 5, maxLength: 20, size: 'max' }), (steps) => {
        const found = groupAll(new PeopleState(), steps);
        expect(found).to.deep.equal(groupAll(new SimpleState(), steps));
        joined += found.members.length - found.people.length;
      }),
      { numRuns: 100 },
    );
    expect(joined).to.be.above(1_000);
  });

  it('is the same after all rows were read anew, in any order', () => {
    const steps = fc.sample(stepArbitrary, { numRuns: 30, seed: 3 }).map((step) => ({ ...step, what: 'take' as const, isRefused: false })); // oxfmt-ignore
    const state = new PeopleState();
    groupAll(state, steps);
    const rows = [...state.persons].map(([id, person]) => [`person/${id}/`, person] as const);
    const again = new PeopleState();
    for (const [key, person] of rows) again.set(key, person);
    for (const [key, member] of state.members) again.set(key, member);
    expect(rows.length).to.be.above(5);
    for (const vector of VECTORS) {
      const sought = { vector, model: 'a@1', circle: '', not: new Set<string>(), most: 0.5 };
      expect(again.nearestPerson(sought)).to.equal(state.nearestPerson(sought));
    }
  });
});
