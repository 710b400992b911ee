import { expect } from 'chai';
import {
  actionOf,
  draftOf,
  EMPTY_DRAFT,
  moveTask,
  withAction,
  withoutAction,
  withProperty,
  withTask,
  type PipelineDraft,
} from '../../../page/pipelines/editor/draft.ts';
import { definitionOf, postsOf } from '../../../page/pipelines/editor/requests.ts';
import type { Action, WholePipeline } from '../../../page/pipelines/types.ts';

const action = (algorithm: string, properties: Action['properties'] = []): Action => ({
  name: `${algorithm} DETECTION ACTION`,
  description: `Finds ${algorithm}.`,
  algorithm,
  properties,
});
const FACE = action('FACE', [{ name: 'MIN_FACE_SIZE', value: '60' }]);
const TEXT = action('TEXT');
const NONE = { actions: new Set<string>(), tasks: new Set<string>() };

const whole = (...actions: readonly Action[]): WholePipeline => ({
  pipeline: { name: 'P PIPELINE', description: 'Finds.', tasks: ['T TASK'] },
  tasks: [
    {
      task: { name: 'T TASK', description: 'Finds.', actions: actions.map(({ name }) => name) },
      actions: actions.map((one) => ({ action: one, algorithm: undefined })),
    },
  ],
  shared: new Set(),
  choices: {},
});

/** The key of the action at this place. */
const keyAt = ({ tasks }: PipelineDraft, task: number, place = 0) => tasks[task]!.actions[place]!.key;

describe('The draft of a pipeline', () => {
  it('is a definition that a job can have, with the values that are set', () => {
    const draft = withTask(withTask(EMPTY_DRAFT, actionOf(FACE)), actionOf(TEXT));
    expect(definitionOf(draft)).to.deep.equal({
      pipeline: ['TASK 1', 'TASK 2'],
      tasks: [
        { name: 'TASK 1', actions: ['ACTION 1.1'] },
        { name: 'TASK 2', actions: ['ACTION 2.1'] },
      ],
      actions: [
        { name: 'ACTION 1.1', algorithm: 'FACE', properties: [{ name: 'MIN_FACE_SIZE', value: '60' }] },
        { name: 'ACTION 2.1', algorithm: 'TEXT', properties: [] },
      ],
    });
  });

  it('moves a task to another place, and removes a task with its last action', () => {
    let draft = withTask(withTask(withTask(EMPTY_DRAFT, actionOf(FACE)), actionOf(TEXT)), actionOf(FACE));
    const orderOf = ({ tasks }: PipelineDraft) =>
      tasks.map(({ actions }) => actions.map((one) => one.algorithm).join());
    const first = draft.tasks[0]!.key;
    draft = withAction(draft, first, actionOf(TEXT));
    expect(orderOf(moveTask(draft, first, 1))).to.deep.equal(['TEXT', 'FACE,TEXT', 'FACE']);
    expect(orderOf(moveTask(draft, first, 99))).to.deep.equal(['TEXT', 'FACE', 'FACE,TEXT']);
    draft = withoutAction(draft, keyAt(draft, 1));
    expect(orderOf(draft)).to.deep.equal(['FACE,TEXT', 'FACE']);
  });

  it('of a copy without changes stores no other task and action', () => {
    const draft = { ...draftOf(whole(FACE, TEXT)), name: ' copy ' };
    expect(postsOf(draft, NONE)).to.deep.equal([
      { path: 'rest/pipelines', body: { name: 'COPY', description: 'Finds.', tasks: ['T TASK'] } },
    ]);
  });

  it('of a copy with another value stores the task and the action that changed', () => {
    const copy = { ...draftOf(whole(FACE, TEXT)), name: 'Copy' };
    const draft = withProperty(copy, keyAt(copy, 0), 'MIN_FACE_SIZE', '8');
    expect(
      postsOf(draft, NONE).map(({ path, body }) => [
        path,
        body['name'],
        body['actions'] ?? body['tasks'] ?? body['properties'],
      ]),
    ).to.deep.equal([
      ['rest/actions', 'COPY 1 ACTION', [{ name: 'MIN_FACE_SIZE', value: '8' }]],
      ['rest/tasks', 'COPY TASK', ['COPY 1 ACTION', 'TEXT DETECTION ACTION']],
      ['rest/pipelines', 'COPY', ['COPY TASK']],
    ]);
  });

  it('uses the stored action again when a value is set back', () => {
    const copy = { ...draftOf(whole(FACE)), name: 'Copy' };
    const changed = withProperty(copy, keyAt(copy, 0), 'MIN_FACE_SIZE', '');
    const back = withProperty(changed, keyAt(copy, 0), 'MIN_FACE_SIZE', '60');
    expect(postsOf(changed, NONE)).to.have.length(3);
    expect(postsOf(back, NONE)).to.have.length(1);
  });

  it('gets names that no other element has', () => {
    const draft = withProperty({ ...withTask(EMPTY_DRAFT, actionOf(TEXT)), name: 'mine' }, 0, 'X', '1');
    const changed = withProperty(draft, keyAt(draft, 0), 'X', '1');
    const taken = { actions: new Set(['MINE ACTION', 'MINE ACTION 2']), tasks: new Set(['MINE TASK']) };
    expect(postsOf(changed, taken).map(({ body }) => body.name)).to.deep.equal([
      'MINE ACTION 3',
      'MINE TASK 2',
      'MINE',
    ]);
  });
});
