import { censorAction, censoredProperty } from '../../domain/job/censor.ts';
import type { Action } from '../../domain/types.ts';
import { suggestion } from '../../domain/nearest-name.ts';
import { canonicalName } from '../../domain/values.ts';
import { refuseWith, type Machine, type Outcome, type Refused, type Reply } from '../runtime/machine.ts';
import type { CatalogCommand, CatalogDone, CatalogRefusal } from './commands.ts';
import type { Descriptor } from './descriptors/descriptor.ts';
import type { CatalogEffect } from './effects.ts';
import { elementsOf } from './descriptors/elements.ts';
import { install } from './install.ts';
import { installedFor, withholdInstalled, withoutRegistered, type Placed } from './managed-components.ts';
import { nameTaken, place, sizeOf, withComponent, without } from './element-placement.ts';
import {
  EMPTY_CATALOG,
  isRemovable,
  ownedBy,
  rowChanges,
  sameContent,
  type CatalogState,
  type Component,
  type ElementKind,
  type Owned,
  type Registrant,
} from './state.ts';

export interface CatalogLimits {
  /** Most components, algorithms, actions, tasks and pipelines together. */
  readonly elements: number;
  /** Most characters of all of them as JSON. */
  readonly characters: number;
}

export interface CatalogTypes {
  readonly state: CatalogState;
  readonly command: CatalogCommand;
  readonly effect: CatalogEffect;
  readonly reply: CatalogDone;
  readonly refusal: CatalogRefusal;
  readonly context: CatalogLimits;
  readonly status: never;
}
export type CatalogReply = Reply<CatalogTypes>;
type CatalogOutcome = Outcome<CatalogTypes>;

/** Most clients that may serve one component. The owner and the latest ones stay. */
const MAX_REGISTRANTS = 64;

/** The changes of each command (specification 3.5, 4.6, 4.7). References between elements are checked when a job is created. */
export const CATALOG_MACHINE: Machine<CatalogTypes> = {
  initial: EMPTY_CATALOG,
  on: {
    install: { apply: (state, { descriptors, besides }) => install(state, descriptors, besides) },
    read: { apply: () => ({ reply: doneWith('UNCHANGED') }) },
    register: { apply: register },
    unregister: { apply: unregister },
    addAction: { apply: (state, { element, by }) => addAction(state, element, by) },
    addTask: { apply: (state, { element, by }) => add(state, 'task', element, by) },
    addPipeline: { apply: (state, { element, by }) => add(state, 'pipeline', element, by) },
    remove: { apply: remove },
  },
  conclude(outcome, before, command, limits) {
    const { state: after, effects = [] } = outcome;
    // Installed components are not limited: otherwise the server would not start, or they could not return after a removal.
    const isBound = command.type !== 'install' && command.type !== 'unregister';
    const full = after === undefined || !isBound ? undefined : fullness(before, after, limits);
    if (full !== undefined) return refuseWith('FULL', full);
    const stored = after === undefined ? {} : { ...rowChanges(before, after), synced: true };
    return { ...outcome, ...stored, effects: [{ type: 'publish' }, ...effects] };
  },
};

function unregister(
  state: CatalogState,
  { componentName, by, byAdmin }: Extract<CatalogCommand, { type: 'unregister' }>,
): CatalogOutcome | Refused<CatalogRefusal> {
  const component = state.component.get(componentName);
  if (component === undefined)
    return refuseWith(
      'UNKNOWN',
      `There is no component named "${componentName}".${suggestion(componentName, state.component.keys())}`,
    );
  const start = `Cannot remove component: "${componentName}":`;
  if (component.managed)
    return refuseWith(
      'MANAGED',
      `${start} It is a managed component and would come back at the next start of the server.`,
    );
  if (!byAdmin && !isOwner(component, by)) return refuseForeign(start, 'remove');
  return { reply: doneWith('REMOVED'), ...withoutRegistered(state, component) };
}

const isOwner = ({ registrants: [owner] }: Component, by: Registrant): boolean =>
  (owner?.subject ?? owner?.name) === (by.subject ?? by.name);

const refuseForeign = (start: string, action: 'remove' | 'replace'): Refused<CatalogRefusal> =>
  refuseWith('FOREIGN', `${start} It belongs to another user. Only its owner and an ADMIN can ${action} it.`);

function remove(
  state: CatalogState,
  { kind, name, by, byAdmin }: Extract<CatalogCommand, { type: 'remove' }>,
): CatalogOutcome | Refused<CatalogRefusal> {
  const rest = new Map<string, Owned<unknown>>(state[kind]);
  const found = rest.get(canonicalName(name));
  if (found === undefined) return { reply: doneWith('UNCHANGED') };
  if (!isRemovable(found, { by, byAdmin })) return refuseRemoval(kind, canonicalName(name), found);
  rest.delete(canonicalName(name));
  return { reply: doneWith('REMOVED'), state: { ...state, [kind]: rest } };
}

const refuseRemoval = (
  kind: ElementKind,
  name: string,
  { component }: Owned<unknown>,
): Refused<CatalogRefusal> =>
  component === null
    ? refuseWith(
        'FOREIGN',
        `The ${kind} "${name}" belongs to another user. Only its owner and an ADMIN can delete it.`,
      )
    : refuseWith(
        'INSTALLED',
        `The component "${component}" registered the ${kind} "${name}". Only an ADMIN can delete it.`,
      );

function register(
  state: CatalogState,
  { descriptor, by, byAdmin }: Extract<CatalogCommand, { type: 'register' }>,
): CatalogOutcome | Refused<CatalogRefusal> {
  const { componentName, algorithm } = descriptor;
  const known = state.component.get(componentName);
  const start = `Cannot register component: "${componentName}":`;
  if (known?.managed === true)
    return refuseWith(
      'MANAGED',
      `${start} Unable to register ${componentName} because there is an existing managed component with the same name.`,
    );
  const isSame = known !== undefined && sameContent(known.descriptor, descriptor);
  if (isSame && isRegistrant(known, by)) return { reply: doneWith('UNCHANGED') };
  const installed = installedFor(state, algorithm.name);
  if (installed !== undefined && !byAdmin)
    return refuseWith(
      'INSTALLED',
      `${start} The installed component "${installed.descriptor.componentName}" has the algorithm "${algorithm.name}". Only an ADMIN can replace it.`,
    );
  if (isSame) return registeredAgain(state, componentName, known, by);
  if (known !== undefined && !byAdmin && !isOwner(known, by)) return refuseForeign(start, 'replace');
  const { state: rest, effects } = withoutFormer(state, known, descriptor);
  const base = withholdInstalled(rest, descriptor);
  const elements = elementsOf(descriptor);
  const taken = nameTaken(base, componentName, elements);
  if (taken !== undefined) return refuseWith('NAME_TAKEN', `${start} ${taken}`);
  const component: Component = {
    descriptor,
    managed: false,
    registrants: [by],
    withheld: [],
    size: JSON.stringify(descriptor).length,
  };
  return {
    reply: doneWith(known === undefined ? 'ADDED' : 'REPLACED'),
    state: withComponent(place(base, componentName, elements), component),
    effects,
  };
}

/** Removes the former version of a component. The installed component that it replaced returns only if the algorithm has changed. */
function withoutFormer(
  state: CatalogState,
  former: Component | undefined,
  { algorithm }: Descriptor,
): Placed {
  if (former === undefined) return { state, effects: [] };
  if (former.descriptor.algorithm.name !== algorithm.name) return withoutRegistered(state, former);
  return { state: without(state, former.descriptor.componentName), effects: [] };
}

const isRegistrant = ({ registrants }: Component, by: Registrant) =>
  registrants.some(({ subject }) => subject === by.subject);

/** Adds a client that may serve the component. Several clients may run the same one. */
function registeredAgain(
  state: CatalogState,
  componentName: string,
  known: Component,
  by: Registrant,
): CatalogOutcome {
  const [owner, ...others] = [...known.registrants, by];
  const registrants = [owner, ...others.slice(1 - MAX_REGISTRANTS)];
  const component = new Map(state.component).set(componentName, { ...known, registrants });
  return { reply: doneWith('UNCHANGED'), state: { ...state, component } };
}

const TITLES = { action: 'Action', task: 'Task', pipeline: 'Pipeline' } as const;

/** Adds an action. If it equals the present action with its secrets hidden, it keeps that action. */
function addAction(
  state: CatalogState,
  element: Action,
  by: string | undefined,
): CatalogOutcome | Refused<CatalogRefusal> {
  const censored = censoredProperty(element);
  if (censored === undefined) return add(state, 'action', element, by);
  const present = state.action.get(element.name);
  if (present !== undefined && sameContent(censorAction(present.element), censorAction(element)))
    return { reply: doneWith('UNCHANGED') };
  return refuseWith(
    'CENSORED',
    `Failed to add Action with name "${element.name}": the value of ${censored} is what is shown in place of a secret. Give the value itself, or leave the property out.`,
  );
}

function add(
  state: CatalogState,
  kind: ElementKind,
  element: { readonly name: string },
  by: string | undefined,
): CatalogOutcome | Refused<CatalogRefusal> {
  const present = state[kind].get(element.name);
  if (present !== undefined && sameContent(present.element, element)) return { reply: doneWith('UNCHANGED') };
  const title = TITLES[kind];
  if (present !== undefined)
    return refuseWith(
      'NAME_TAKEN',
      `Failed to add ${title} with name "${element.name}" because another ${title} with the same name already exists.`,
    );
  const all = new Map<string, Owned<unknown>>(state[kind]).set(element.name, ownedBy(element, null, by));
  return { reply: doneWith('ADDED'), state: { ...state, [kind]: all } };
}

const ADVICE = 'Remove some that are not needed.';

/** Returns why `after` exceeds a limit, unless the catalog becomes smaller. */
function fullness(before: CatalogState, after: CatalogState, limits: CatalogLimits): string | undefined {
  const had = sizeOf(before);
  const has = sizeOf(after);
  if (has.elements > limits.elements && has.elements > had.elements)
    return `The catalog can hold ${limits.elements} components, algorithms, actions, tasks and pipelines. ${ADVICE}`;
  if (has.characters > limits.characters && has.characters > had.characters)
    return `The catalog can hold ${limits.characters} characters. ${ADVICE}`;
  return undefined;
}

const doneWith = (outcome: CatalogDone['outcome']): CatalogDone => ({ kind: 'done', outcome });
