import type { CatalogDone } from './commands.ts';
import type { Descriptor } from './descriptor.ts';
import type { CatalogEffect } from './effects.ts';
import { elementsOf } from './elements.ts';
import { clashes, place, withComponent, without } from './placing.ts';
import { sameContent, type CatalogState, type Component } from './state.ts';

/**
 * Brings the managed components into line with what is installed: new ones come, changed ones are replaced, ones that are gone go unless
 * another server may have them installed (`besides`).
 * Nothing that users made stops a start. Where a new version of what is installed wants a name of theirs, their action, task or
 * pipeline keeps it, since their jobs rely on it; but an unmanaged component gives way to an installed one of its name or
 * its algorithm's name, since the installed algorithm has to work.
 */
export function install(
  state: CatalogState,
  descriptors: readonly Descriptor[],
  besides = false,
): {
  readonly reply: CatalogDone;
  readonly state?: CatalogState;
  readonly effects: readonly CatalogEffect[];
} {
  const installed = new Map(descriptors.map((descriptor) => [descriptor.componentName, descriptor]));
  const effects: CatalogEffect[] = [];
  let next = state;
  for (const [name, component] of state.component) {
    const wanted = installed.get(name);
    if (component.managed && (wanted === undefined ? !besides : !sameContent(component.descriptor, wanted)))
      next = without(next, name);
    else if (!component.managed && inTheWay(component, descriptors)) {
      next = without(next, name);
      effects.push(warning(gaveWay(name), { componentName: name, descriptor: component.descriptor }));
    }
  }
  for (const descriptor of installed.values()) {
    const placed = placeManaged(next, descriptor);
    next = placed.state;
    effects.push(...placed.effects);
  }
  if (unchanged(state, next)) return { reply: { kind: 'done', outcome: 'UNCHANGED' }, effects };
  return { reply: { kind: 'done', outcome: 'REPLACED' }, state: next, effects };
}

/** A component that is there already gets what was withheld from it, as far as the names are free now; what users removed stays away. */
function placeManaged(
  state: CatalogState,
  descriptor: Descriptor,
): { readonly state: CatalogState; readonly effects: readonly CatalogEffect[] } {
  const { componentName } = descriptor;
  const elements = elementsOf(descriptor);
  const known = state.component.get(componentName);
  const problems = clashes(state, componentName, elements).filter(
    ({ key }) => known === undefined || known.withheld.includes(key),
  );
  const effects = problems.map(({ message }) =>
    warning(`An installed component lacks an element. ${message}`, { componentName }),
  );
  const withheld = problems.map(({ key }) => key);
  const wanted = (key: string) => known === undefined || known.withheld.includes(key);
  const reserved = new Set(withheld);
  const placed = place(state, componentName, elements, (key) => wanted(key) && !reserved.has(key));
  if (known !== undefined && sameContent(known.withheld, withheld) && unchanged(state, placed))
    return { state, effects };
  const size = JSON.stringify(descriptor).length;
  return {
    state: withComponent(placed, { descriptor, managed: true, registrants: [], withheld, size }),
    effects,
  };
}

const inTheWay = ({ descriptor: theirs }: Component, installed: readonly Descriptor[]) =>
  installed.some(
    (ours) => ours.componentName === theirs.componentName || ours.algorithm.name === theirs.algorithm.name,
  );

const gaveWay = (name: string) =>
  `The component "${name}" that a client had registered was removed, because an installed component now has its name or its algorithm's name. Register it again under other names.`;

const warning = (message: string, facts: object): CatalogEffect => ({ type: 'warn', message, facts });

const unchanged = (before: CatalogState, after: CatalogState) =>
  before.component === after.component &&
  before.algorithm === after.algorithm &&
  before.action === after.action &&
  before.task === after.task &&
  before.pipeline === after.pipeline;
