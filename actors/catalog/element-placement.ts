import { MEDIA_QUEUES } from '../../protocol/worker-protocol.ts';
import type { Elements } from './descriptors/elements.ts';
import {
  KINDS,
  keyOf,
  ownedBy,
  sameContent,
  type CatalogState,
  type Component,
  type Owned,
} from './state.ts';

/** Adds the elements of a component to the catalog and removes them. */

/** Names of the server's own queues. An algorithm with such a name would receive the server's own work. */
const RESERVED: ReadonlySet<string> = new Set(Object.values(MEDIA_QUEUES));

/** An element of a component whose name is in use. */
export interface Clash {
  readonly key: string;
  readonly message: string;
}

/** Returns why a component's elements cannot be added: the first name that is in use. Returns undefined if all are free. */
export function nameTaken(state: CatalogState, component: string, elements: Elements): string | undefined {
  return clashes(state, component, elements)[0]?.message ?? twice(elements);
}

/**
 * Elements whose names are in use. Equal content is no conflict: the element keeps its owner. An algorithm, however, belongs to one
 * component, because that component receives its work.
 */
export function clashes(state: CatalogState, component: string, elements: Elements): readonly Clash[] {
  const { algorithm } = elements;
  const holder = state.algorithm.get(algorithm.name);
  const found: Clash[] = [];
  const clash = (kind: 'algorithm' | 'action' | 'task' | 'pipeline', name: string, message: string) =>
    found.push({ key: keyOf(kind, name), message });
  if (RESERVED.has(algorithm.name))
    clash(
      'algorithm',
      algorithm.name,
      `${couldNotAdd.algorithm(algorithm.name)} because the service uses this name itself.`,
    );
  else if (holder !== undefined && holder.component !== component)
    clash(
      'algorithm',
      algorithm.name,
      `${couldNotAdd.algorithm(algorithm.name)} because it belongs to the component "${holder.component}".`,
    );
  for (const kind of ['action', 'task', 'pipeline'] as const)
    for (const element of elements[kind]) {
      const present = state[kind].get(element.name);
      if (present !== undefined && !sameContent(present.element, element))
        clash(kind, element.name, `${couldNotAdd[kind](element.name)} because ${anotherOf(kind)}.`);
    }
  return found;
}

/** Returns the problem if two different elements of one descriptor have the same name. */
function twice(elements: Elements): string | undefined {
  for (const kind of ['action', 'task', 'pipeline'] as const) {
    const seen = new Map<string, unknown>();
    for (const element of elements[kind]) {
      const before = seen.get(element.name);
      if (before !== undefined && !sameContent(before, element))
        return `${couldNotAdd[kind](element.name)} because ${anotherOf(kind)} in the descriptor.`;
      seen.set(element.name, element);
    }
  }
  return undefined;
}

const couldNotAdd = {
  algorithm: (name: string) => `Could not add the "${name}" algorithm`,
  action: (name: string) => `Could not add the ${name} action`,
  task: (name: string) => `Could not add the ${name} task`,
  pipeline: (name: string) => `Failed to add the ${name} pipeline`,
};
const anotherOf = (kind: string) => `another ${kind} with the same name but different content already exists`;

/** Adds the elements with free names as the component's own. `only` selects elements by key. */
export function place(
  state: CatalogState,
  component: string,
  { algorithm, action, task, pipeline }: Elements,
  only: (key: string) => boolean = () => true,
): CatalogState {
  const placeElements = <T extends { readonly name: string }>(
    kind: 'algorithm' | 'action' | 'task' | 'pipeline',
    present: ReadonlyMap<string, Owned<T>>,
    elements: readonly T[],
  ) => {
    const fresh = elements.filter(({ name }) => !present.has(name) && only(keyOf(kind, name)));
    return fresh.length === 0
      ? present
      : new Map([
          ...present,
          ...fresh.map((element) => [element.name, ownedBy(element, component)] as const),
        ]);
  };
  return {
    ...state,
    algorithm: placeElements('algorithm', state.algorithm, [algorithm]),
    action: placeElements('action', state.action, action),
    task: placeElements('task', state.task, task),
    pipeline: placeElements('pipeline', state.pipeline, pipeline),
  };
}

export function withComponent(state: CatalogState, component: Component): CatalogState {
  const all = new Map(state.component).set(component.descriptor.componentName, component);
  return { ...state, component: all };
}

/** Removes a component and the elements that it registered. Other elements stay, even if they refer to removed ones. */
export function without(state: CatalogState, component: string): CatalogState {
  const others = <T>(all: ReadonlyMap<string, Owned<T>>) =>
    new Map([...all].filter(([, entry]) => entry.component !== component));
  const components = new Map(state.component);
  components.delete(component);
  return {
    component: components,
    algorithm: others(state.algorithm),
    action: others(state.action),
    task: others(state.task),
    pipeline: others(state.pipeline),
  };
}

export function sizeOf(state: CatalogState): { readonly elements: number; readonly characters: number } {
  let elements = 0;
  let characters = 0;
  for (const kind of KINDS) {
    elements += state[kind].size;
    for (const { size } of state[kind].values()) characters += size;
  }
  return { elements, characters };
}
