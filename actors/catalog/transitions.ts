import { canonicalName } from '../../domain/values.ts';
import type { CatalogCommand, CatalogRefusal, CatalogReply } from './commands.ts';
import type { Descriptor } from './descriptor.ts';
import type { CatalogEffect } from './effects.ts';
import { elementsOf } from './elements.ts';
import { install } from './install.ts';
import { nameTaken, place, sizeOf, withComponent, without } from './placing.ts';
import {
  owned,
  sameContent,
  type CatalogState,
  type Component,
  type ElementKind,
  type Owned,
  type Registrant,
} from './state.ts';

/** What a command leads to. Without `state` nothing changes. */
export interface CatalogOutcome {
  readonly reply: CatalogReply;
  readonly state?: CatalogState;
  readonly effects?: readonly CatalogEffect[];
}

export interface CatalogLimits {
  /** Components, algorithms, actions, tasks and pipelines together. */
  readonly elements: number;
  /** Characters of all of them as JSON. */
  readonly characters: number;
}

type Of<T extends CatalogCommand['type']> = Extract<CatalogCommand, { type: T }>;
type Transitions = {
  readonly [T in CatalogCommand['type']]: (state: CatalogState, command: Of<T>) => CatalogOutcome;
};

/** Clients that may serve one component; the latest stay. */
const MAX_REGISTRANTS = 64;

/** What each command does to the catalog (specification 3.5, 4.6, 4.7). References between elements are checked when a job is created. */
export const CATALOG_TRANSITIONS: Transitions = {
  install: (state, { descriptors }) => install(state, descriptors),
  register: (state, { descriptor, by }) => register(state, descriptor, by),
  unregister(state, { componentName }) {
    const component = state.component.get(componentName);
    if (component === undefined) return refused('UNKNOWN', `There is no component named "${componentName}".`);
    if (!component.managed) return { reply: done('REMOVED'), state: without(state, componentName) };
    return refused(
      'MANAGED',
      `Cannot remove component: "${componentName}": It is a managed component and would come back at the next start of the server.`,
    );
  },
  addAction: (state, { element }) => add(state, 'action', element),
  addTask: (state, { element }) => add(state, 'task', element),
  addPipeline: (state, { element }) => add(state, 'pipeline', element),
  remove(state, { kind, name }) {
    const rest = new Map<string, Owned<unknown>>(state[kind]);
    if (!rest.delete(canonicalName(name))) return { reply: done('UNCHANGED') };
    return { reply: done('REMOVED'), state: { ...state, [kind]: rest } };
  },
};

/** Decides what a command does to the catalog. Pure: same state and command, same outcome. */
export function decide(state: CatalogState, command: CatalogCommand, limits: CatalogLimits): CatalogOutcome {
  const transition = CATALOG_TRANSITIONS[command.type] as (
    state: CatalogState,
    command: CatalogCommand,
  ) => CatalogOutcome;
  const outcome = transition(state, command);
  // What is installed always finds room: the server would not start otherwise.
  if (outcome.state === undefined || command.type === 'install') return outcome;
  const full = fullness(state, outcome.state, limits);
  return full === undefined ? outcome : refused('FULL', full);
}

function register(state: CatalogState, descriptor: Descriptor, by: Registrant): CatalogOutcome {
  const { componentName } = descriptor;
  const known = state.component.get(componentName);
  const start = `Cannot register component: "${componentName}":`;
  if (known?.managed === true)
    return refused(
      'MANAGED',
      `${start} Unable to register ${componentName} because there is an existing managed component with the same name.`,
    );
  if (known !== undefined && sameContent(known.descriptor, descriptor))
    return registeredAgain(state, componentName, known, by);
  const base = known === undefined ? state : without(state, componentName);
  const elements = elementsOf(descriptor);
  const taken = nameTaken(base, componentName, elements);
  if (taken !== undefined) return refused('NAME_TAKEN', `${start} ${taken}`);
  const component: Component = {
    descriptor,
    managed: false,
    registrants: [by],
    withheld: [],
    size: JSON.stringify(descriptor).length,
  };
  return {
    reply: done(known === undefined ? 'ADDED' : 'REPLACED'),
    state: withComponent(place(base, componentName, elements), component),
  };
}

/** Several clients may run the same component: each that registers it may serve it. */
function registeredAgain(
  state: CatalogState,
  componentName: string,
  known: Component,
  by: Registrant,
): CatalogOutcome {
  if (known.registrants.some(({ subject }) => subject === by.subject)) return { reply: done('UNCHANGED') };
  const registrants = [...known.registrants, by].slice(-MAX_REGISTRANTS);
  const component = new Map(state.component).set(componentName, { ...known, registrants });
  return { reply: done('UNCHANGED'), state: { ...state, component } };
}

const TITLES = { action: 'Action', task: 'Task', pipeline: 'Pipeline' } as const;

function add(state: CatalogState, kind: ElementKind, element: { readonly name: string }): CatalogOutcome {
  const present = state[kind].get(element.name);
  if (present !== undefined && sameContent(present.element, element)) return { reply: done('UNCHANGED') };
  const title = TITLES[kind];
  if (present !== undefined)
    return refused(
      'NAME_TAKEN',
      `Failed to add ${title} with name "${element.name}" because another ${title} with the same name already exists.`,
    );
  const all = new Map<string, Owned<unknown>>(state[kind]).set(element.name, owned(element, null));
  return { reply: done('ADDED'), state: { ...state, [kind]: all } };
}

/** Why `after` is too much; what becomes smaller is let pass. */
function fullness(before: CatalogState, after: CatalogState, limits: CatalogLimits): string | undefined {
  const had = sizeOf(before);
  const has = sizeOf(after);
  const advice = 'Remove some that are not needed, or raise';
  if (has.elements > limits.elements && has.elements > had.elements)
    return `The catalog can hold ${limits.elements} components, algorithms, actions, tasks and pipelines. ${advice} MAX_CATALOG_ELEMENTS.`;
  if (has.characters > limits.characters && has.characters > had.characters)
    return `The catalog can hold ${limits.characters} characters. ${advice} MAX_CATALOG_BYTES.`;
  return undefined;
}

const done = (outcome: Extract<CatalogReply, { kind: 'done' }>['outcome']): CatalogReply => ({
  kind: 'done',
  outcome,
});
const refused = (reason: CatalogRefusal, message: string): CatalogOutcome => ({
  reply: { kind: 'refused', reason, message },
});
