import { expect } from 'chai';
import { refusedProperties } from '../../../actors/job-service/request-properties.ts';
import type { Properties } from '../../../domain/types.ts';
import { recordOf } from '../batch-job/jobs.ts';

describe('A task with an annotator', () => {
  const ANNOTATOR: Properties = { FEED_FORWARD_TYPE: 'REGION', IS_ANNOTATOR: 'TRUE' };

  /** The refusal of a task with two actions, the second of which has these properties, after another task. */
  function refusalOf(properties: Properties, actionsBefore = 1, media: readonly Properties[] = [{}]) {
    const record = recordOf({ tasks: [actionsBefore, 2] });
    const [first, last] = record.plan.tasks;
    const [one, other] = last!.actions;
    const plan = {
      ...record.plan,
      tasks: [first!, { ...last!, actions: [one!, { ...other!, properties }] }],
    };
    return refusedProperties(
      { ...record, plan },
      media.map((own) => ({ properties: own })),
    );
  }

  it('has no other action, since the answer of one of them would be lost', async () => {
    expect(await refusalOf(ANNOTATOR)).to.include('Give the annotator a task of its own');
    expect(await refusalOf({ FEED_FORWARD_TYPE: 'REGION' }, 1, [{}, { IS_ANNOTATOR: 'TRUE' }])).to.include(
      'IS_ANNOTATOR property is set',
    );
  });

  it('is any task as long as nothing is fed to it', async () => {
    expect(await refusalOf({ IS_ANNOTATOR: 'TRUE' })).to.equal(undefined);
    expect(await refusalOf({})).to.equal(undefined);
  });
});
