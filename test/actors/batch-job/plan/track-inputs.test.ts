import { expect } from 'chai';
import { List } from 'immutable';
import { tracksBefore, versionsOf } from '../../../../actors/batch-job/plan/track-inputs.ts';
import type { JobRecord } from '../../../../actors/batch-job/state/record.ts';
import type { MediumState, Prepared, Processed } from '../../../../actors/batch-job/state/state.ts';
import type { Properties } from '../../../../domain/types.ts';
import { recordOf } from '../jobs.ts';

/**
 * Tasks that have run on a medium. `plain` is fed no tracks, `all` all tracks, `P=x` those that match this
 * TRIGGER. `none` is fed like `P=x` but found nothing. `passed` skipped the medium. `note` annotates all
 * tracks, `note P=x` those that match the TRIGGER.
 */
type Ran = string;

const FED: Properties = { FEED_FORWARD_TYPE: 'REGION' };

function propertiesOf(ran: Ran): Properties {
  if (ran === 'plain' || ran === 'passed') return {};
  const trigger = ran.replace(/^note ?/, '');
  return {
    ...FED,
    ...(ran.startsWith('note') ? { IS_ANNOTATOR: 'TRUE' } : {}),
    ...(trigger.includes('=') ? { TRIGGER: trigger } : {}),
  };
}

function jobOf(tasks: readonly Ran[]): JobRecord {
  const record = recordOf({ tasks: tasks.map(() => 1) });
  const planned = record.plan.tasks.map((task, n) => ({
    ...task,
    actions: task.actions.map((action) => ({ ...action, properties: propertiesOf(tasks[n]!) })),
  }));
  return { ...record, plan: { ...record.plan, tasks: planned } };
}

/** Each task has found three tracks. An annotator has rewritten all tracks that it received. */
function mediumAfter(record: JobRecord, tasks: readonly Ran[]): MediumState {
  let processed: readonly Processed[] = [];
  const prepared = { facts: { mediaType: 'VIDEO' } } as Prepared;
  const medium = (): MediumState => ({ prepared, failedIn: null, processed, found: {}, derived: null });
  for (const [task, ran] of tasks.entries()) {
    if (ran === 'passed') continue;
    const tracks = ran === 'none' ? 0 : 3;
    const one = { task, file: `/spool/${task}`, tracks, ranges: [] };
    const sections = tracksBefore(record, List([medium()]), 0).map((source) => ({
      task: source.task,
      count: source.count,
      types: { FACE: source.count },
    }));
    processed = [...processed, ran.startsWith('note') ? { ...one, sections } : one];
  }
  return medium();
}

/**
 * Tasks whose tracks are inputs of the next task, with their file and the triggers that consumed tracks of
 * them.
 */
function seenAfter(...tasks: readonly Ran[]): readonly string[] {
  const record = jobOf(tasks);
  return tracksBefore(record, List([mediumAfter(record, tasks)]), 0).map(
    ({ task, path, first, consumedBy }) =>
      `${task} in ${path.slice('/spool/'.length)} from ${first}${consumedBy.length === 0 ? '' : ` without ${consumedBy.join(', ')}`}`,
  );
}

describe('The tracks that a task finds before it', () => {
  const TABLE: readonly [tasks: readonly Ran[], seen: readonly string[]][] = [
    [[], []],
    [['plain'], ['0 in 0 from 0']],
    [['plain', 'plain'], ['1 in 1 from 0']],
    [['plain', 'all'], ['1 in 1 from 0']],
    [['plain', 'none'], []],
    [
      ['plain', 'P=x'],
      ['0 in 0 from 0 without P=x', '1 in 1 from 0'],
    ],
    [
      ['plain', 'P=x', 'P=y'],
      ['0 in 0 from 0 without P=x, P=y', '1 in 1 from 0 without P=y', '2 in 2 from 0'],
    ],
    [
      ['plain', 'P=x', 'all', 'P=y'],
      ['2 in 2 from 0 without P=y', '3 in 3 from 0'],
    ],
    [
      ['plain', 'P=x', 'plain', 'P=y'],
      ['2 in 2 from 0 without P=y', '3 in 3 from 0'],
    ],
    // The trigger of the first task is ignored.
    [
      ['P=x', 'P=y'],
      ['0 in 0 from 0 without P=y', '1 in 1 from 0'],
    ],
    // The first task that ran on this medium counts as its first task.
    [
      ['passed', 'P=x', 'P=y'],
      ['1 in 1 from 0 without P=y', '2 in 2 from 0'],
    ],
    // Annotators consume no tracks and store their new state. Tracks consumed before are marked in their
    // lines.
    [['plain', 'note'], ['0 in 1 from 0']],
    [['plain', 'note', 'note P=x'], ['0 in 2 from 0']],
    [
      ['plain', 'P=x', 'note P=z', 'P=y'],
      ['0 in 2 from 0 without P=y', '1 in 2 from 3 without P=y', '3 in 3 from 0'],
    ],
    [['plain', 'note', 'all'], ['2 in 2 from 0']],
    // An annotator in the first task finds tracks itself, but learns this only from its answer.
    [['plain', 'passed', 'note'], ['0 in 2 from 0']],
  ];
  for (const [tasks, seen] of TABLE)
    it(`after ${tasks.join(', ') || 'nothing'} are ${seen.join('; ') || 'none'}`, () => {
      expect(seenAfter(...tasks)).to.deep.equal(seen);
    });

  it('are looked at with the TRIGGER that is in force for the medium', () => {
    const tasks = ['plain', 'P=x'];
    const job = jobOf(tasks);
    const [medium, ...others] = job.media;
    const own = { ...medium!, properties: { TRIGGER: 'P=own' } };
    const record = { ...job, media: [own, ...others] };
    const [source] = tracksBefore(record, List([mediumAfter(record, tasks)]), 0);
    expect(source?.consumedBy).to.deep.equal(['P=own']);
  });
});

describe('The tracks of a task as they stand now', () => {
  const processedOf = (task: number, tracks: number): Processed => ({
    task,
    file: `/f${task}`,
    tracks,
    ranges: [],
  });

  it('are those that it found, until an annotator writes them anew, section by section', () => {
    const note: Processed = {
      ...processedOf(2, 5),
      sections: [
        { task: 0, count: 2, types: {} },
        { task: 1, count: 3, types: {} },
      ],
    };
    expect([...versionsOf([processedOf(0, 2), processedOf(1, 3)])]).to.deep.equal([
      [0, { path: '/f0', first: 0, count: 2 }],
      [1, { path: '/f1', first: 0, count: 3 }],
    ]);
    expect([...versionsOf([processedOf(0, 2), processedOf(1, 3), note, processedOf(3, 1)])]).to.deep.equal([
      [0, { path: '/f2', first: 0, count: 2 }],
      [1, { path: '/f2', first: 2, count: 3 }],
      [3, { path: '/f3', first: 0, count: 1 }],
    ]);
  });
});
