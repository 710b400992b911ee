import type { NodeManagerModel } from './model.ts';

/** Names of components that a sentence lists. */
const NAMED = 10;

/** Components installed on the server that no service of any host runs, though a configuration says what does. */
export function unservedComponents(
  nodes: readonly NodeManagerModel[],
  installed: readonly string[],
): readonly string[] {
  const services = nodes.flatMap((node) => node.services);
  const served = new Set(
    services.filter(({ serviceCount }) => serviceCount > 0).map(({ serviceName }) => serviceName),
  );
  return installed.filter((name) => !served.has(name));
}

/** What that means and what to do; undefined when all are served. */
export function unservedSentence(names: readonly string[], thisHost: string): string | undefined {
  if (names.length === 0) return undefined;
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return (
    `The node configuration has no service for components that are installed on ${thisHost}: ` +
    `${names.slice(0, NAMED).join(', ')}${more}. Jobs that need them wait until it has; ` +
    `GET /rest/nodes/services shows the services to add.`
  );
}
