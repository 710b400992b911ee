/** Installed components in the catalog: how they are added, replaced by a registered component, and restored. */
import type { Descriptor } from './descriptors/descriptor.ts';
import type { CatalogEffect } from './effects.ts';
import { elementsOf } from './descriptors/elements.ts';
import { clashes, place, withComponent, without } from './element-placement.ts';
import { ELEMENTS, keyOf, sameContent, isUnchanged, type CatalogState, type Component } from './state.ts';

export interface Placed {
  readonly state: CatalogState;
  readonly effects: readonly CatalogEffect[];
}

/**
 * Adds the elements of an installed component whose names were in use and are free now. Elements that users removed stay away. While a
 * registered component has its algorithm, the installed one has no elements.
 */
export function placeManaged(state: CatalogState, descriptor: Descriptor): Placed {
  const { componentName } = descriptor;
  const elements = elementsOf(descriptor);
  const known = state.component.get(componentName);
  const size = JSON.stringify(descriptor).length;
  const component = { descriptor, managed: true, registrants: [], size };
  if (registeredHolder(state, descriptor) !== undefined) {
    if (known !== undefined) return { state, effects: [] };
    const withheld = [
      keyOf('algorithm', elements.algorithm.name),
      ...ELEMENTS.flatMap((kind) => elements[kind].map(({ name }) => keyOf(kind, name))),
    ];
    return { state: withComponent(state, { ...component, withheld }), effects: [] };
  }
  const problems = clashes(state, componentName, elements).filter(
    ({ key }) => known === undefined || known.withheld.includes(key),
  );
  const effects = problems.map(({ message }) =>
    warnEffect(`An installed component lacks an element. ${message}`, { componentName }),
  );
  const withheld = problems.map(({ key }) => key);
  const isWanted = (key: string) => known === undefined || known.withheld.includes(key);
  const reserved = new Set(withheld);
  const placed = place(state, componentName, elements, (key) => isWanted(key) && !reserved.has(key));
  if (known !== undefined && sameContent(known.withheld, withheld) && isUnchanged(state, placed))
    return { state, effects };
  return { state: withComponent(placed, { ...component, withheld }), effects };
}

/** Returns the name of the registered component that has the algorithm of an installed one, or undefined if there is none. */
export function registeredHolder(state: CatalogState, { algorithm }: Descriptor): string | undefined {
  const holder = state.algorithm.get(algorithm.name)?.component ?? undefined;
  return holder === undefined || state.component.get(holder)?.managed !== false ? undefined : holder;
}

/** Returns the installed component with this algorithm, even while a registered component replaces it. */
export const installedFor = (state: CatalogState, algorithm: string): Component | undefined =>
  [...state.component.values()].find((one) => one.managed && one.descriptor.algorithm.name === algorithm);

/** Withholds the elements of the installed component with the algorithm of this descriptor, because a registered component replaces it. */
export function withholdInstalled(state: CatalogState, { algorithm }: Descriptor): CatalogState {
  const holder = state.algorithm.get(algorithm.name);
  const component = state.component.get(holder?.component ?? '');
  if (component?.managed !== true || holder?.element.actionType !== algorithm.actionType) return state;
  const { componentName } = component.descriptor;
  const withheld = [...new Set([...component.withheld, ...keysOf(state, componentName)])];
  return withComponent(without(state, componentName), { ...component, withheld });
}

/** Removes a registered component and restores the installed one that it replaced. */
export function withoutRegistered(state: CatalogState, { descriptor }: Component): Placed {
  const rest = without(state, descriptor.componentName);
  const installed = installedFor(rest, descriptor.algorithm.name);
  return installed === undefined ? { state: rest, effects: [] } : returnElements(rest, installed.descriptor);
}

function returnElements(state: CatalogState, descriptor: Descriptor): Placed {
  const placed = placeManaged(state, descriptor);
  return { ...placed, effects: [...placed.effects, { type: 'announce' }] };
}

const keysOf = (state: CatalogState, component: string): readonly string[] =>
  (['algorithm', ...ELEMENTS] as const).flatMap((kind) =>
    [...state[kind]].filter(([, entry]) => entry.component === component).map(([name]) => keyOf(kind, name)),
  );

export const warnEffect = (message: string, facts: object): CatalogEffect => ({
  type: 'warn',
  message,
  facts,
});
