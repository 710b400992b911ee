import type { CatalogDone } from './commands.ts';
import type { Descriptor } from './descriptors/descriptor.ts';
import type { CatalogEffect } from './effects.ts';
import { placeManaged, warnEffect, withoutRegistered } from './managed-components.ts';
import { without } from './element-placement.ts';
import { sameContent, isUnchanged, type CatalogState } from './state.ts';

/**
 * Brings the managed components into line with what is installed: new ones come, changed ones are replaced, ones that are gone go unless
 * another server may have them installed (`besides`).
 * Nothing that users made stops a start. Where a new version of what is installed wants a name of theirs, their action, task or
 * pipeline keeps it, since their jobs rely on it. A registered component gives way to an installed one of its name. One that has the
 * algorithm of an installed component replaces that.
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
