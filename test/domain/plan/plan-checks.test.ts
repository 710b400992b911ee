import { expect } from 'chai';
import { resolvePlan, type PipelineRequest } from '../../../domain/plan/plan-checks.ts';
import type { PipelinePlan } from '../../../domain/plan.ts';
import type { AlgorithmProperty } from '../../../domain/types.ts';
import { action, algorithm, catalog, pipeline, task } from '../catalog-support.ts';

const number: AlgorithmProperty = { name: 'SIZE', description: '', type: 'INT', defaultValue: '1' };
const base = {
  algorithms: [
    algorithm('FACE', { properties: [number] }),
    algorithm('NAMES', { requires: ['DETECTION', 'DETECTION_FACE'] }),
    algorithm('FOLLOW', { requires: ['DETECTION'] }),
    algorithm('LIVE', { more: { supportsBatchProcessing: false, supportsStreamProcessing: true } }),
    algorithm('MARK', { requires: ['DETECTION'], more: { actionType: 'MARKUP', trackType: 'MARKUP' } }),
  ],
  actions: [
    action('A', 'FACE', { SIZE: '2', MERGE_TRACKS: 'true' }),
    action('B', 'FOLLOW'),
    action('M', 'MARK'),
    action('M2', 'MARK'),
  ],
  tasks: [task('A TASK', 'A'), task('B TASK', 'B'), task('AB TASK', 'A', 'B'), task('M TASK', 'M')],
  pipelines: [pipeline('P', 'A TASK', 'B TASK')],
};

function plan(request: PipelineRequest, more: Parameters<typeof catalog>[0] = {}): PipelinePlan {
  const result = resolvePlan(catalog(more, base), request);
  if ('refused' in result) throw new Error(result.refused);
  return result.ok;
}
function refusal(
  request: PipelineRequest,
  more: Parameters<typeof catalog>[0] = {},
  processing: 'batch' | 'stream' = 'batch',
): string {
  const result = resolvePlan(catalog(more, base), request, processing);
  if ('ok' in result) throw new Error('The plan was accepted.');
  return result.refused;
}
/** The refusal of a stored pipeline X with these tasks. */
function refusalOf(tasks: readonly string[], more: Parameters<typeof catalog>[0] = {}): string {
  return refusal({ pipelineName: 'X' }, { ...more, pipelines: [pipeline('X', ...tasks)] });
}

describe('A plan', () => {
  it('holds the pipeline, its tasks, their actions and their algorithms in full', () => {
    const found = plan({ pipelineName: ' p ' });
    expect(found).to.include({ name: 'P', description: 'Pipeline P' });
    expect(found.tasks.map((t) => t.name)).to.deep.equal(['A TASK', 'B TASK']);
    expect(found.tasks[0]).to.include({ description: 'Task A TASK', actionType: 'DETECTION' });
    expect(found.tasks[0]?.actions[0]).to.deep.equal({
      name: 'A',
      description: 'Action A',
      properties: { SIZE: '2', MERGE_TRACKS: 'true' },
      algorithm: base.algorithms[0],
    });
  });
  it('looks names up trimmed and in upper case', () => {
    const more = {
      pipelines: [pipeline('X', ' a task ')],
      tasks: [task('A TASK', ' a ')],
      actions: [action('A', ' face ')],
    };
    expect(plan({ pipelineName: 'x' }, more).tasks[0]?.actions[0]?.algorithm.name).to.equal('FACE');
  });
  it('is the same after it was stored as JSON', () => {
    const found = plan({ pipelineName: 'P' });
    expect(JSON.parse(JSON.stringify(found))).to.deep.equal(found);
  });
  it('may end with a markup task', () => {
    const more = { pipelines: [pipeline('X', 'A TASK', 'M TASK')] };
    expect(plan({ pipelineName: 'X' }, more).tasks[1]?.actionType).to.equal('MARKUP');
  });
  it('may end with a task of several actions', () => {
    const more = { pipelines: [pipeline('X', 'A TASK', 'AB TASK')] };
    expect(plan({ pipelineName: 'X' }, more).tasks[1]?.actions).to.have.length(2);
  });
});

describe('A pipeline is refused', () => {
  it('when nothing has its name', () => {
    expect(refusal({ pipelineName: 'nope' })).to.equal('No pipeline named: NOPE');
  });
  it('when a request names and defines one, or does neither', () => {
    const pipelineDefinition = { pipeline: ['A TASK'] };
    expect(refusal({ pipelineName: 'P', pipelineDefinition })).to.equal(
      'Job request must either contain "pipelineName" or "pipelineDefinition", but not both.',
    );
    expect(refusal({})).to.contain('must contain either');
    expect(refusal({ pipelineName: ' ' })).to.contain('must contain either');
    expect(plan({ pipelineName: ' ', pipelineDefinition }).tasks).to.have.length(1);
  });
  it('when parts of it are missing, all of which are named', () => {
    const more = {
      tasks: [task('T', 'A', 'LOST ACTION', 'ORPHAN')],
      actions: [action('ORPHAN', 'LOST ALGORITHM')],
    };
    expect(refusalOf(['LOST TASK', 'T'], more)).to.equal(
      'Cannot run pipeline X due to the following issues: The following tasks are missing: LOST TASK. The following actions are missing: LOST ACTION. The following algorithms are missing: LOST ALGORITHM.',
    );
  });
  it('when an algorithm does not support the kind of processing', () => {
    const more = { actions: [action('L', 'LIVE')], tasks: [task('L TASK', 'L')] };
    expect(refusalOf(['L TASK'], more)).to.equal(
      'Expected entire "X" pipeline to support batch processing, but the following algorithms do not: LIVE',
    );
    expect(refusal({ pipelineName: 'P' }, {}, 'stream')).to.equal(
      'Expected entire "P" pipeline to support stream processing, but the following algorithms do not: FACE, FOLLOW',
    );
  });
  it('when a task does not provide what the next one requires', () => {
    const more = { actions: [action('N', 'NAMES')], tasks: [task('N TASK', 'N')] };
    expect(refusalOf(['A TASK', 'N TASK'], more)).to.equal(
      'X: The states for "N TASK" are not satisfied. Provided: [DETECTION]. Required: [DETECTION, DETECTION_FACE].',
    );
  });
  it('when an action sets a property that nobody knows', () => {
    expect(refusalOf(['A TASK'], { actions: [action('A', 'FACE', { COLOUR: 'red' })] })).to.equal(
      'The "COLOUR" property from the "A" action does not exist in "FACE" algorithm and is not the name of a workflow property.',
    );
  });
  it('when an action sets a property to a value of another type', () => {
    const bad: readonly (readonly [string, string, string])[] = [
      ['SIZE', 'two', 'INT'],
      ['SIZE', '99999999999', 'INT'],
      ['FRAME_INTERVAL', '1.5', 'INT'],
      ['MIN_OVERLAP', '', 'DOUBLE'],
    ];
    for (const [name, value, type] of bad) {
      expect(refusalOf(['A TASK'], { actions: [action('A', 'FACE', { [name]: value })] })).to.equal(
        `The "${name}" property from the "A" action has a value of "${value}", which is not a valid "${type}".`,
      );
    }
  });
  it('when a task mixes detection and markup', () => {
    expect(refusalOf(['A TASK', 'MIX'], { tasks: [task('MIX', 'A', 'M')] })).to.contain(
      'different types (DETECTION, MARKUP)',
    );
  });
  it('when anything follows a task of several actions', () => {
    expect(refusalOf(['AB TASK', 'B TASK'])).to.contain(
      'No tasks may follow the multi-action task "AB TASK"',
    );
  });
  it('when markup is not last, is first, or has several actions', () => {
    const provider = { algorithms: [algorithm('MARK', { more: { actionType: 'MARKUP' } })] };
    expect(refusalOf(['A TASK', 'M TASK', 'A TASK'], provider)).to.contain(
      'No tasks may follow the markup task "M TASK"',
    );
    expect(refusalOf(['M TASK'])).to.contain('may not be the first task');
    expect(refusalOf(['A TASK', 'MM'], { tasks: [task('MM', 'M', 'M2')] })).to.contain(
      'may only have one action',
    );
  });
});

describe('A transient pipeline', () => {
  it('may be made of transient elements only', () => {
    const found = plan({
      pipelineDefinition: {
        pipeline: ['first', 'second'],
        tasks: [
          { name: 'second', actions: ['two'] },
          { name: 'first', actions: ['one'] },
        ],
        actions: [
          { name: 'one', algorithm: 'face', properties: [{ name: 'SIZE', value: '9' }] },
          { name: 'two', algorithm: 'follow' },
        ],
      },
    });
    expect(found.name).to.equal('JOB SPECIFIED TRANSIENT PIPELINE');
    expect(found.tasks.map(({ name, description }) => [name, description])).to.deep.equal([
      ['FIRST', 'Job specified transient task: FIRST'],
      ['SECOND', 'Job specified transient task: SECOND'],
    ]);
    expect(found.tasks[0]?.actions[0]).to.deep.include({
      name: 'ONE',
      description: 'Job specified transient action: ONE',
      properties: { SIZE: '9' },
    });
  });
  it('mixes stored and transient elements, and transient ones win', () => {
    const found = plan({
      pipelineDefinition: { pipeline: ['A task', 'B task'], actions: [{ name: 'a', algorithm: 'FACE' }] },
    });
    expect(found.tasks[0]?.actions[0]).to.deep.include({
      description: 'Job specified transient action: A',
      properties: {},
    });
    expect(found.tasks[1]?.description).to.equal('Task B TASK');
  });
  it('is refused when names are duplicated', () => {
    const pipelineDefinition = {
      pipeline: ['A TASK'],
      tasks: ['t', 'T ', 'u', 'u', 'v'].map((name) => ({ name, actions: ['A'] })),
      actions: ['x', 'x', 'x'].map((name) => ({ name, algorithm: 'FACE' })),
    };
    expect(refusal({ pipelineDefinition })).to.equal(
      'The pipeline definition was invalid. The following task names were duplicated: T, U. The following action names were duplicated: X.',
    );
  });
  it('is refused without tasks, and with a task without actions', () => {
    expect(refusal({ pipelineDefinition: { pipeline: [] } })).to.contain('at least one task');
    const pipelineDefinition = { pipeline: ['T'], tasks: [{ name: 't', actions: [] }] };
    expect(refusal({ pipelineDefinition })).to.contain('have no actions: T.');
  });
  it('names its missing parts', () => {
    expect(refusal({ pipelineDefinition: { pipeline: ['nope'] } })).to.equal(
      'Cannot run pipeline JOB SPECIFIED TRANSIENT PIPELINE due to the following issues: The following tasks are missing: NOPE.',
    );
  });
});
