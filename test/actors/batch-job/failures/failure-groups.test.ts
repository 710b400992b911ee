import { expect } from 'chai';
import { FailureGroups, MAX_FAILURE_GROUPS } from '../../../../actors/batch-job/failures/failure-groups.ts';
import {
  groupId,
  keyOf,
  keyText,
  withCause,
  type FailureCause,
} from '../../../../actors/batch-job/failures/causes.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const failureOf = (message: string, component = 'FACE', code = 'DETECTION_FAILED') => ({
  component,
  code,
  message,
});
const causesOf = (messages: readonly string[]) =>
  messages.reduce<readonly FailureCause[]>(
    (causes, message, at) => withCause(causes, failureOf(message), at),
    [],
  );
const word = (n: number) => n.toString(26).replaceAll(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!);

describe('Causes of failures of a job', () => {
  it('are one for messages that differ only in numbers, with count and times', () => {
    const [cause, ...others] = causesOf(['frame 1 is damaged', 'frame 2 is damaged', 'frame 3 is damaged']);
    expect(others).to.deep.equal([]);
    expect(cause).to.deep.include({ pattern: 'frame # is damaged', message: 'frame 1 is damaged' });
    expect(cause).to.deep.include({ count: 3, first: 0, last: 2 });
  });

  it('are at most eight, whose counts still grow', () => {
    const many = causesOf(Array.from({ length: 50 }, (_, n) => `cause ${word(n)}`));
    expect(many).to.have.lengthOf(8);
    expect(withCause(many, failureOf(`cause ${word(0)}`), 99)[0]).to.include({ count: 2, last: 99 });
  });

  it('have ids that depend on component, code and pattern only', () => {
    const [one] = causesOf(['frame 1']);
    const [other] = causesOf(['frame 9']);
    expect(one!.group).to.equal(other!.group);
    expect(one!.group).to.match(/^[0-9a-f]{16}$/);
    expect(withCause([], failureOf('frame 1', 'MOTION'), 0)[0]!.group).not.to.equal(one!.group);
    expect(keyOf(keyText(one!))).to.deep.equal({
      component: 'FACE',
      code: 'DETECTION_FAILED',
      pattern: 'frame #',
    });
  });

  it('are not read from a counter of another form', () =>
    expect(['', 'x', '[]', '["a","b"]', '["a","b",1]'].map(keyOf)).to.deep.equal([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]));
});

describe('Groups of failures', () => {
  const groupsOver = (stored: ReadonlyMap<string, number>) =>
    new FailureGroups({ counters: () => Promise.resolve(stored) }, new VirtualClock());
  const limitAll = (groups: FailureGroups, causes: readonly FailureCause[]) =>
    causes.flatMap((cause) => groups.limitCauses([cause]));
  const causes = (count: number, component: (n: number) => string) =>
    Array.from(
      { length: count },
      (_, n) => withCause([], failureOf(`cause ${word(n)}`, component(n)), n)[0]!,
    );

  it('share one by component and code when there are too many patterns', () => {
    const limited = limitAll(
      groupsOver(new Map()),
      causes(MAX_FAILURE_GROUPS + 100, () => 'FACE'),
    );
    const ids = new Set(limited.map(({ group }) => group));
    expect(ids.size).to.equal(MAX_FAILURE_GROUPS + 1);
    expect(limited.at(-1)).to.include({ component: 'FACE', code: 'DETECTION_FAILED', pattern: '*' });
    expect(limited.at(-1)!.group).to.equal(groupId(limited.at(-1)!));
  });

  it('end in one last group when there are too many components as well', () => {
    const limited = limitAll(
      groupsOver(new Map()),
      causes(3 * MAX_FAILURE_GROUPS, (n) => `C${n}`),
    );
    expect(new Set(limited.map(({ group }) => group)).size).to.equal(2 * MAX_FAILURE_GROUPS + 1);
    expect(limited.at(-1)).to.include({ component: '*', code: '*', pattern: '*' });
  });

  it('that were stored before are known after a restart', async () => {
    const known = causes(MAX_FAILURE_GROUPS, () => 'FACE');
    const groups = groupsOver(new Map(known.map((cause) => [`failures/${keyText(cause)}`, 1])));
    groups.limitCauses(known.slice(0, 1));
    await Promise.resolve();
    const next = withCause([], failureOf('something new'), 0);
    await new Promise(setImmediate);
    expect(groups.limitCauses(next)[0]).to.include({ pattern: '*' });
    expect(groups.limitCauses([known.at(-1)!])).to.deep.equal([known.at(-1)]);
  });

  it('keep the causes of a job apart or merge their counts', () => {
    const groups = groupsOver(new Map());
    limitAll(
      groups,
      causes(MAX_FAILURE_GROUPS, () => 'FACE'),
    );
    const [merged, ...others] = groups.limitCauses(causesOf(['new one', 'new two', 'new three']));
    expect(others).to.deep.equal([]);
    expect(merged).to.include({ pattern: '*', count: 3, first: 0, last: 2 });
  });
});
