import type { CatalogDone } from './commands.ts';
import type { Descriptor } from './descriptors/descriptor.ts';
import type { CatalogEffect } from './effects.ts';
import { placeManaged, warnEffect, withoutRegistered } from './managed-components.ts';
import { without } from './element-placement.ts';
import { sameContent, isUnchanged, type CatalogState } from './state.ts';

/**
 * Updates the managed components to the installed ones: adds new ones, replaces changed ones, and removes missing ones, unless
 * another server may have them (`besides`). Elements of users never prevent a start: an action, task or pipeline of a user keeps its
 * name, because jobs rely on it. An installed component replaces a registered one of the same name. A registered component with the
 * algorithm of an installed one replaces that one.
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
    else if (!component.managed && wanted !== undefined) {
      const gone = withoutRegistered(next, component);
      next = gone.state;
      const facts = { componentName: name, descriptor: component.descriptor };
      effects.push(warnEffect(gaveWay(name), facts), ...gone.effects);
    }
  }
  for (const descriptor of installed.values()) {
    const placed = placeManaged(next, descriptor);
    next = placed.state;
    effects.push(...placed.effects);
  }
  if (isUnchanged(state, next)) return { reply: { kind: 'done', outcome: 'UNCHANGED' }, effects };
  return { reply: { kind: 'done', outcome: 'REPLACED' }, state: next, effects };
}

const gaveWay = (name: string) =>
  `The component "${name}" that a client had registered was removed, because an installed component now has its name. Register it again under another name.`;
