/**
 * Effects of each command on the catalog: the rules of specification 3.5 and 4.7 as a table, and invariants.
 */
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { CatalogCommand } from '../../../actors/catalog/commands.ts';
import type { Descriptor } from '../../../actors/catalog/descriptors/descriptor.ts';
import { restore } from '../../../actors/catalog/snapshot.ts';
import {
  EMPTY_CATALOG,
  KINDS,
  keyOf,
  ownedBy,
  rowChanges,
  type CatalogState,
} from '../../../actors/catalog/state.ts';
import {
  CATALOG_MACHINE,
  type CatalogLimits,
  type CatalogTypes,
} from '../../../actors/catalog/transitions.ts';
import { decide, textOf, type Decision } from '../../../actors/runtime/machine.ts';
import { runs, seeded } from '../../support/seed.ts';
import { action, descriptorOf, pipeline, task } from './descriptors.ts';

const LIMITS: CatalogLimits = { elements: 1_000, characters: 1_000_000 };
const ANN = { subject: 'ann', name: 'Ann' };
const BEN = { subject: 'ben', name: 'Ben' };

const register = (descriptor: Descriptor, by = ANN, byAdmin = true): CatalogCommand => ({
  ...{ type: 'register', descriptor, by, byAdmin },
});
const unregister = (componentName: string, by = ANN, byAdmin = true): CatalogCommand => ({
  ...{ type: 'unregister', componentName, by, byAdmin },
});
const install = (...descriptors: Descriptor[]): CatalogCommand => ({
  type: 'install',
  descriptors,
  besides: false,
});
type CatalogDecision = Decision<CatalogTypes>;
const outcomeOf = (state: CatalogState, command: CatalogCommand, limits = LIMITS): CatalogDecision =>
  decide(CATALOG_MACHINE, state, command, limits);
const after = (...commands: CatalogCommand[]): CatalogState =>
  commands.reduce((state, command) => outcomeOf(state, command).state ?? state, EMPTY_CATALOG);
/** The outcome, such as ADDED or REPLACED, or the reason of the refusal. */
const word = ({ reply }: CatalogDecision) => (reply.kind === 'done' ? reply.outcome : reply.reason);
const messageOf = ({ reply }: CatalogDecision) => (reply.kind === 'refused' ? textOf(reply) : '');
const warnings = ({ effects = [] }: CatalogDecision) =>
  effects.flatMap((effect) => (effect.type === 'warn' ? [effect.message] : []));
const names = (state: CatalogState) =>
  KINDS.flatMap((kind) => [...state[kind].keys()].map((name) => keyOf(kind, name)));

describe('Registering a component (specification 3.5)', () => {
  const one = descriptorOf('ONE');
  const changed = descriptorOf('ONE', {
    componentVersion: '2.0',
    pipelines: [pipeline('NEW PIPELINE', 'T')],
  });

  it('adds what it brings, in its name', () => {
    const outcome = outcomeOf(EMPTY_CATALOG, register(one));
    expect(word(outcome)).to.equal('ADDED');
    const state = outcome.state!;
    expect(names(state)).to.deep.equal([
      'component/ONE/',
      'algorithm/ONE ALGORITHM/',
      'action/ONE ALGORITHM DETECTION ACTION/',
      'task/ONE ALGORITHM DETECTION TASK/',
      'pipeline/ONE ALGORITHM DETECTION PIPELINE/',
    ]);
    expect(state.pipeline.get('ONE ALGORITHM DETECTION PIPELINE')?.component).to.equal('ONE');
  });

  it('changes nothing when the descriptor is identical, whatever its blanks and letters', () => {
    const outcome = outcomeOf(
      after(register(one)),
      register(descriptorOf(' ONE ', {}, { name: ' one algorithm', description: ' Algorithm of ONE.' })),
    );
    expect([word(outcome), outcome.state]).to.deep.equal(['UNCHANGED', undefined]);
  });

  it('notes another client that registers the same', () => {
    const outcome = outcomeOf(after(register(one)), register(one, BEN));
    expect(word(outcome)).to.equal('UNCHANGED');
    expect(outcome.state?.component.get('ONE')?.registrants).to.deep.equal([ANN, BEN]);
  });

  it('replaces an unmanaged component of another content, and all it had brought', () => {
    const outcome = outcomeOf(after(register(one)), register(changed, BEN));
    expect(word(outcome)).to.equal('REPLACED');
    expect([...outcome.state!.pipeline.keys()]).to.deep.equal(['NEW PIPELINE']);
    expect(outcome.state!.component.get('ONE')).to.deep.include({ registrants: [BEN], managed: false });
  });

  it('is refused for the name of a managed component, identical or not', () => {
    const state = after(install(one));
    for (const descriptor of [one, changed]) {
      const outcome = outcomeOf(state, register(descriptor));
      expect([word(outcome), outcome.state, messageOf(outcome)]).to.deep.equal([
        'MANAGED',
        undefined,
        'Cannot register component: "ONE": Unable to register ONE because there is an existing managed component with the same name.',
      ]);
    }
  });

  for (const [what, descriptor, message] of [
    [
      'algorithm',
      descriptorOf('TWO', {}, { name: 'ONE ALGORITHM', description: 'Another.' }),
      'Could not add the "ONE ALGORITHM" algorithm because it belongs to the component "ONE".',
    ],
    [
      'action',
      descriptorOf('TWO', { actions: [action('ONE ALGORITHM DETECTION ACTION', 'X')] }),
      'Could not add the ONE ALGORITHM DETECTION ACTION action because another action with the same name but different content already exists.',
    ],
    [
      'task',
      descriptorOf('TWO', { tasks: [task('ONE ALGORITHM DETECTION TASK', 'X')] }),
      'Could not add the ONE ALGORITHM DETECTION TASK task because another task with the same name but different content already exists.',
    ],
    [
      'pipeline',
      descriptorOf('TWO', { pipelines: [pipeline('ONE ALGORITHM DETECTION PIPELINE', 'X')] }),
      'Failed to add the ONE ALGORITHM DETECTION PIPELINE pipeline because another pipeline with the same name but different content already exists.',
    ],
    [
      'pipeline twice in itself',
      descriptorOf('TWO', { pipelines: [pipeline('P', 'X'), pipeline('P', 'Y')] }),
      'Failed to add the P pipeline because another pipeline with the same name but different content already exists in the descriptor.',
    ],
    [
      'algorithm that is the service’s own queue',
      descriptorOf('TWO', {}, { name: 'output_object' }),
      'Could not add the "OUTPUT_OBJECT" algorithm because the service uses this name itself.',
    ],
  ] as const)
    it(`is refused when another has its ${what}`, () => {
      const outcome = outcomeOf(after(register(one)), register(descriptor));
      expect([word(outcome), outcome.state, messageOf(outcome)]).to.deep.equal([
        'NAME_TAKEN',
        undefined,
        `Cannot register component: "TWO": ${message}`,
      ]);
    });

  it('that fails as a replacement leaves the old one as it was', () => {
    const state = after(register(one), register(descriptorOf('TWO')));
    const outcome = outcomeOf(state, register(descriptorOf('ONE', {}, { name: 'TWO ALGORITHM' })));
    expect([word(outcome), outcome.state]).to.deep.equal(['NAME_TAKEN', undefined]);
  });

  it('shares elements of equal content: they stay with who had them first', () => {
    const shared = { actions: [action('SHARED', 'A')], tasks: [], pipelines: [] };
    const state = after(register(descriptorOf('ONE', shared)), register(descriptorOf('TWO', shared)));
    expect(state.action.get('SHARED')?.component).to.equal('ONE');
    expect(outcomeOf(state, unregister('TWO')).state?.action.has('SHARED')).to.equal(true);
  });

  it('is refused above the limits, which what is there may keep and shrink', () => {
    const small = { elements: 5, characters: 1_000_000 };
    const state = outcomeOf(EMPTY_CATALOG, register(one), small).state!;
    expect(word(outcomeOf(state, register(descriptorOf('TWO')), small))).to.equal('FULL');
    expect(word(outcomeOf(state, { type: 'addTask', element: task('T', 'A') }, small))).to.equal('FULL');
    expect(
      word(outcomeOf(state, { type: 'addTask', element: task('T', 'A') }, { ...LIMITS, characters: 10 })),
    ).to.equal('FULL');
    expect(word(outcomeOf(state, unregister('ONE'), { ...small, elements: 1 }))).to.equal('REMOVED');
    expect(
      word(outcomeOf(state, register(descriptorOf('ONE', { pipelines: [] })), { ...small, elements: 1 })),
    ).to.equal('REPLACED');
  });
});

describe('Removing a component', () => {
  it('takes what it registered and leaves what others made, even if that now refers to nothing', () => {
    const state = after(register(descriptorOf('ONE')), {
      type: 'addTask',
      element: task('MINE', 'ONE ALGORITHM DETECTION ACTION'),
    });
    const outcome = outcomeOf(state, unregister('ONE'));
    expect([word(outcome), names(outcome.state!)]).to.deep.equal(['REMOVED', ['task/MINE/']]);
  });

  it('is refused for a managed one and one that is not there; names are taken exactly', () => {
    const state = after(install(descriptorOf('One')));
    expect(word(outcomeOf(state, unregister('One')))).to.equal('MANAGED');
    for (const componentName of ['ONE', ' One', '', '__proto__', 'constructor'])
      expect(word(outcomeOf(state, unregister(componentName)))).to.equal('UNKNOWN');
  });
});

describe('The component of another user', () => {
  const one = descriptorOf('ONE');
  const newer = descriptorOf('ONE', { componentVersion: '2.0' });

  it('is removed and replaced by its owner and an ADMIN only', () => {
    const state = after(register(one, ANN, false));
    for (const [command, action] of [
      [unregister('ONE', BEN, false), 'remove'],
      [register(newer, BEN, false), 'replace'],
    ] as const) {
      const outcome = outcomeOf(state, command);
      expect([word(outcome), outcome.state]).to.deep.equal(['FOREIGN', undefined]);
      expect(messageOf(outcome)).to.contain(
        `component: "ONE": It belongs to another user. Only its owner and an ADMIN can ${action} it.`,
      );
    }
    expect(word(outcomeOf(state, unregister('ONE', BEN, true)))).to.equal('REMOVED');
    expect(word(outcomeOf(state, register(newer, ANN, false)))).to.equal('REPLACED');
    expect(word(outcomeOf(state, unregister('ONE', ANN, false)))).to.equal('REMOVED');
  });

  it('keeps its owner however many others register it', () => {
    const others = Array.from({ length: 70 }, (_, n) => ({ subject: `${n}`, name: `${n}` }));
    const state = after(register(one), ...others.map((by) => register(one, by, false)));
    expect(state.component.get('ONE')?.registrants).to.have.lengthOf(64);
    expect(word(outcomeOf(state, unregister('ONE', others.at(-1), false)))).to.equal('FOREIGN');
    expect(word(outcomeOf(state, unregister('ONE', ANN, false)))).to.equal('REMOVED');
  });
});

describe('Adding and removing elements (specification 4.7)', () => {
  for (const [command, title] of [
    [{ type: 'addAction', element: action('X', 'A') }, 'Action'],
    [{ type: 'addTask', element: task('X', 'A') }, 'Task'],
    [{ type: 'addPipeline', element: pipeline('X', 'T') }, 'Pipeline'],
  ] as const) {
    it(`adds a ${title}; the same again changes nothing, another content is refused`, () => {
      const state = after(command);
      expect(names(state)).to.deep.equal([`${title.toLowerCase()}/X/`]);
      expect(word(outcomeOf(state, command))).to.equal('UNCHANGED');
      const other = { ...command, element: { ...command.element, description: 'Other.' } } as CatalogCommand;
      const refusal = outcomeOf(state, other);
      expect([word(refusal), messageOf(refusal)]).to.deep.equal([
        'NAME_TAKEN',
        `Failed to add ${title} with name "X" because another ${title} with the same name already exists.`,
      ]);
    });
  }

  it('removes by name in any case of letters; what is not there is no error', () => {
    const state = after({ type: 'addTask', element: task('X Y', 'A') });
    const remove = (kind: 'task' | 'pipeline', name: string) =>
      outcomeOf(state, { type: 'remove', kind, name, byAdmin: true });
    expect(word(remove('task', ' x y '))).to.equal('REMOVED');
    expect(word(remove('pipeline', 'X Y'))).to.equal('UNCHANGED');
    expect(word(remove('task', '__proto__'))).to.equal('UNCHANGED');
  });
});

describe('The installed components at a start', () => {
  const one = descriptorOf('ONE');
  const two = descriptorOf('TWO');

  it('come as managed ones; a start that finds them so changes nothing', () => {
    const state = after(install(one, two));
    expect([...state.component.values()].map(({ managed }) => managed)).to.deep.equal([true, true]);
    expect(outcomeOf(state, install(one, two)).state).to.equal(undefined);
  });

  it('are replaced when they changed and go when they are gone', () => {
    const outcome = outcomeOf(after(install(one, two)), install(descriptorOf('TWO', {}, { name: 'NEW' })));
    expect([...outcome.state!.algorithm.keys()]).to.deep.equal(['NEW']);
    expect(outcome.state!.component.get('TWO')?.managed).to.equal(true);
  });

  it('may hand elements over to each other in any order', () => {
    const giving = descriptorOf('ONE', { pipelines: [] });
    const taking = descriptorOf('TWO', { pipelines: [pipeline('ONE ALGORITHM DETECTION PIPELINE', 'X')] });
    for (const order of [
      [giving, taking],
      [taking, giving],
    ]) {
      const outcome = outcomeOf(after(install(one, two)), install(...order));
      expect(warnings(outcome)).to.deep.equal([]);
      expect(outcome.state!.pipeline.get('ONE ALGORITHM DETECTION PIPELINE')?.component).to.equal('TWO');
    }
  });

  it('leave a user’s element its name, say so at every start, and get the name when it is free', () => {
    const mine = pipeline('ONE ALGORITHM DETECTION PIPELINE', 'MINE');
    const before = after({ type: 'addPipeline', element: mine });
    const first = outcomeOf(before, install(one));
    expect(first.state!.pipeline.get(mine.name)?.element).to.deep.equal(mine);
    expect(first.state!.algorithm.has('ONE ALGORITHM')).to.equal(true);
    expect(warnings(first)).to.have.lengthOf(1);
    const second = outcomeOf(first.state!, install(one));
    expect([second.state, warnings(second).length]).to.deep.equal([undefined, 1]);
    const freed = outcomeOf(first.state!, {
      type: 'remove',
      kind: 'pipeline',
      name: mine.name,
      byAdmin: false,
    }).state!;
    const third = outcomeOf(freed, install(one));
    expect([third.state!.pipeline.get(mine.name)?.component, warnings(third)]).to.deep.equal(['ONE', []]);
    expect(outcomeOf(third.state!, install(one)).state).to.equal(undefined);
  });

  it('do not bring back what a user removed', () => {
    const name = 'ONE ALGORITHM DETECTION PIPELINE';
    const removed = outcomeOf(after(install(one)), {
      type: 'remove',
      kind: 'pipeline',
      name,
      byAdmin: true,
    }).state!;
    expect(outcomeOf(removed, install(one)).state).to.equal(undefined);
  });

  it('push an unmanaged component out of the way that has their name, loudly', () => {
    const theirs = descriptorOf('ONE', {}, { name: 'THEIRS' });
    const outcome = outcomeOf(after(register(theirs)), install(one));
    expect([...outcome.state!.component.values()].map(({ descriptor }) => descriptor)).to.deep.equal([one]);
    expect(outcome.state!.algorithm.get('ONE ALGORITHM')?.component).to.equal('ONE');
    expect(warnings(outcome)).to.have.lengthOf(1);
  });

  it('find room also in a catalog that is full', () => {
    expect(word(outcomeOf(EMPTY_CATALOG, install(one, two), { elements: 1, characters: 1 }))).to.equal(
      'REPLACED',
    );
  });
});

describe('A registered component with the algorithm of an installed one', () => {
  const one = descriptorOf('ONE');
  const two = descriptorOf('TWO');
  const theirs = descriptorOf(
    'THEIRS',
    { pipelines: [pipeline('THEIR PIPELINE', 'T')] },
    { name: 'ONE ALGORITHM', description: 'Theirs.' },
  );
  const removeTheirs = unregister('THEIRS');
  const owners = (state: CatalogState) =>
    names(state).flatMap((key) => {
      const [kind, name] = key.split('/') as ['algorithm', string];
      return key.startsWith('component/') ? [] : [`${key} ${state[kind].get(name)?.component}`];
    });
  const effectsOf = ({ effects = [] }: CatalogDecision) => effects.map(({ type }) => type);

  it('replaces it with all of its elements', () => {
    const outcome = outcomeOf(after(install(one)), register(theirs));
    expect(word(outcome)).to.equal('ADDED');
    expect(owners(outcome.state!)).to.deep.equal([
      'algorithm/ONE ALGORITHM/ THEIRS',
      'action/ONE ALGORITHM DETECTION ACTION/ THEIRS',
      'task/ONE ALGORITHM DETECTION TASK/ THEIRS',
      'pipeline/THEIR PIPELINE/ THEIRS',
    ]);
    expect([...outcome.state!.component.keys()]).to.have.members(['ONE', 'THEIRS']);
  });

  it('gives it back when it is removed, and has waiting work announced', () => {
    const before = after(install(one, two));
    const outcome = outcomeOf(after(install(one, two), register(theirs)), removeTheirs);
    expect([word(outcome), warnings(outcome)]).to.deep.equal(['REMOVED', []]);
    expect(owners(outcome.state!)).to.have.members(owners(before));
    expect(effectsOf(outcome)).to.include('announce');
    expect(effectsOf(outcomeOf(after(register(two)), unregister('TWO')))).to.not.include('announce');
    expect(outcomeOf(outcome.state!, install(one, two)).state).to.equal(undefined);
  });

  it('keeps its place at a start, also of another version of the installed one', () => {
    const state = after(install(one), register(theirs));
    const again = outcomeOf(state, install(one));
    expect([again.state, warnings(again)]).to.deep.equal([undefined, []]);
    const newer = descriptorOf('ONE', { componentVersion: '2.0', pipelines: [pipeline('NEW', 'T')] });
    const updated = outcomeOf(state, install(newer)).state!;
    expect(owners(updated)).to.have.members(owners(state));
    expect(owners(outcomeOf(updated, removeTheirs).state!)).to.have.members(owners(after(install(newer))));
  });

  it('keeps its place when a version of the server is the first to have the algorithm', () => {
    const outcome = outcomeOf(after(register(theirs)), install(one));
    expect(outcome.state!.algorithm.get('ONE ALGORITHM')?.component).to.equal('THEIRS');
    expect(owners(outcomeOf(outcome.state!, removeTheirs).state!)).to.have.members(
      owners(after(install(one))),
    );
  });

  it('may be registered again, with another descriptor, and with another algorithm', () => {
    const state = after(install(one), register(theirs));
    expect([
      word(outcomeOf(state, register(theirs))),
      outcomeOf(state, register(theirs)).state,
    ]).to.deep.equal(['UNCHANGED', undefined]);
    const changed = outcomeOf(state, register({ ...theirs, componentVersion: '2.0' }));
    expect([word(changed), owners(changed.state!)]).to.deep.equal(['REPLACED', owners(state)]);
    const moved = outcomeOf(state, register(descriptorOf('THEIRS', {}, { name: 'OTHER' })));
    expect(moved.state!.algorithm.get('ONE ALGORITHM')?.component).to.equal('ONE');
    expect(moved.state!.pipeline.get('ONE ALGORITHM DETECTION PIPELINE')?.component).to.equal('ONE');
    expect(effectsOf(moved)).to.include('announce');
  });

  it('is refused for the name of an element that is not of the installed one', () => {
    const own = { type: 'addPipeline', element: pipeline('THEIR PIPELINE', 'MINE') } as const;
    const outcome = outcomeOf(after(install(one, two), own), register(theirs));
    expect([word(outcome), outcome.state]).to.deep.equal(['NAME_TAKEN', undefined]);
    const ofTwo = descriptorOf(
      'THEIRS',
      { actions: [action('TWO ALGORITHM DETECTION ACTION', 'X')] },
      { name: 'ONE ALGORITHM' },
    );
    expect(word(outcomeOf(after(install(one, two)), register(ofTwo)))).to.equal('NAME_TAKEN');
  });

  it('is refused if a registered component has the algorithm, and for an algorithm that draws', () => {
    const third = descriptorOf('THIRD', {}, { name: 'ONE ALGORITHM' });
    expect(word(outcomeOf(after(install(one), register(theirs)), register(third)))).to.equal('NAME_TAKEN');
    const drawing = descriptorOf('ONE', {}, { actionType: 'MARKUP' });
    expect(word(outcomeOf(after(install(drawing)), register(theirs)))).to.equal('NAME_TAKEN');
  });

  it('leaves users the elements they made meanwhile, and does not restore what they removed', () => {
    const removed: CatalogCommand = {
      type: 'remove',
      kind: 'task',
      name: 'ONE ALGORITHM DETECTION TASK',
      byAdmin: true,
    };
    const mine = pipeline('ONE ALGORITHM DETECTION PIPELINE', 'MINE');
    const outcome = outcomeOf(
      after(install(one), removed, register(theirs), { type: 'addPipeline', element: mine }),
      removeTheirs,
    );
    expect(owners(outcome.state!)).to.deep.equal([
      'algorithm/ONE ALGORITHM/ ONE',
      'action/ONE ALGORITHM DETECTION ACTION/ ONE',
      'pipeline/ONE ALGORITHM DETECTION PIPELINE/ null',
    ]);
    expect(warnings(outcome)).to.have.lengthOf(1);
  });

  it('needs an ADMIN, also to register it again for another client or with another descriptor', () => {
    const state = after(install(one), register(theirs));
    const changed = { ...theirs, componentVersion: '2.0' };
    for (const [before, command] of [
      [after(install(one)), register(theirs, BEN, false)],
      [state, register(theirs, BEN, false)],
      [state, register(changed, ANN, false)],
    ] as const) {
      const outcome = outcomeOf(before, command);
      expect([word(outcome), outcome.state, messageOf(outcome)]).to.deep.equal([
        'INSTALLED',
        undefined,
        'Cannot register component: "THEIRS": The installed component "ONE" has the algorithm "ONE ALGORITHM". Only an ADMIN can replace it.',
      ]);
    }
    expect(word(outcomeOf(state, register(theirs, ANN, false))), 'who has registered it').to.equal(
      'UNCHANGED',
    );
    expect(word(outcomeOf(state, register(two, BEN, false))), 'another algorithm').to.equal('ADDED');
  });

  it('may be removed from a catalog that has become too small for what returns', () => {
    const state = after(install(one), register(theirs));
    const outcome = outcomeOf(state, removeTheirs, { elements: 1, characters: 1 });
    expect(word(outcome)).to.equal('REMOVED');
  });
});

describe('The catalog', () => {
  const aName = fc.constantFrom('A', 'B', 'C');
  const aDescriptor = fc
    .record({
      name: aName,
      algorithm: aName,
      version: fc.constantFrom('1', '2'),
      actions: fc.option(
        fc.array(
          aName.map((name) => action(name, 'A')),
          { maxLength: 2 },
        ),
        { nil: undefined },
      ),
      pipelines: fc.option(
        fc.array(
          fc.tuple(aName, aName).map(([p, t]) => pipeline(p, t)),
          { maxLength: 2 },
        ),
        {
          nil: undefined,
        },
      ),
    })
    .map(({ name, algorithm, version, ...lists }) =>
      descriptorOf(name, { componentVersion: version, ...lists }, { name: algorithm }),
    );
  const aCommand: fc.Arbitrary<CatalogCommand> = fc.oneof(
    aDescriptor.map((descriptor) => register(descriptor)),
    aDescriptor.map((descriptor) => register(descriptor, BEN)),
    fc.array(aDescriptor, { maxLength: 3 }).map((all) => install(...all)),
    aName.map((name) => unregister(name)),
    aName.map((name) => unregister(name, BEN, false)),
    fc
      .tuple(aName, aName)
      .map(([p, t]): CatalogCommand => ({ type: 'addPipeline', element: pipeline(p, t) })),
    fc.tuple(aName, aName).map(([a, b]): CatalogCommand => ({ type: 'addAction', element: action(a, b) })),
    fc
      .tuple(fc.constantFrom('action', 'task', 'pipeline'), aName)
      .map(([kind, name]): CatalogCommand => ({ type: 'remove', kind, name, byAdmin: true })),
  );

  it(`keeps its promises whatever is asked of it ${seeded}`, () => {
    fc.assert(
      fc.property(fc.array(aCommand, { maxLength: 30 }), (commands) => {
        let state = EMPTY_CATALOG;
        let rows = new Map<string, unknown>();
        for (const command of commands) {
          const before = state;
          const outcome = outcomeOf(before, command);
          state = outcome.state ?? before;
          if (outcome.reply.kind === 'refused') expect(outcome.state).to.equal(undefined);
          rows = applyCommit(rows, before, state);
          checkPromises(before, state, command);
        }
        const stored = [...rows].map(([key, body]) => ({
          key,
          body: JSON.parse(JSON.stringify(body)) as unknown,
        }));
        for (const kind of KINDS)
          expect(sortedJson(restore(stored)[kind])).to.deep.equal(sortedJson(state[kind]));
      }),
      runs(500),
    );
  });
});

/** Content of the store after the commit. */
function applyCommit(rows: ReadonlyMap<string, unknown>, before: CatalogState, after: CatalogState) {
  const { putRows, removeRows } = rowChanges(before, after);
  const next = new Map([...rows].filter(([key]) => !removeRows.some((prefix) => key.startsWith(prefix))));
  for (const { key, body } of putRows) next.set(key, body);
  return next;
}

function checkPromises(before: CatalogState, state: CatalogState, command: CatalogCommand): void {
  // Every algorithm has a component whose descriptor contains it. An unmanaged component always has its
  // algorithm.
  for (const [name, { component }] of state.algorithm)
    expect(state.component.get(component ?? '')?.descriptor.algorithm.name).to.equal(name);
  for (const [name, { descriptor, managed }] of state.component)
    if (!managed) expect(state.algorithm.get(descriptor.algorithm.name)?.component).to.equal(name);
  for (const kind of KINDS)
    for (const [name, entry] of state[kind]) {
      if ('element' in entry) {
        expect(entry.element.name).to.equal(name);
        if (entry.component !== null) expect(state.component.has(entry.component)).to.equal(true);
        expect(ownedBy(entry.element, entry.component)).to.deep.equal(entry);
      }
    }
  // Elements that users created disappear only on request.
  if (command.type !== 'remove')
    for (const kind of ['action', 'task', 'pipeline'] as const)
      for (const [name, entry] of before[kind])
        if (entry.component === null) expect(state[kind].get(name)).to.equal(entry);
}

const sortedJson = (map: ReadonlyMap<string, unknown>) =>
  [...map].map((entry) => JSON.stringify(entry)).sort((a, b) => (a < b ? -1 : 1));
