import type { NodeManagerModel } from './model.ts';

/** Maximum number of component names in a sentence. */
const NAMED = 10;

/** Returns the components that are installed on the server, but that no configured service of any host runs. */
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

/** Returns a sentence with the consequence and the remedy. Returns undefined if all components are served. */
export function unservedSentence(names: readonly string[], thisHost: string): string | undefined {
  if (names.length === 0) return undefined;
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return (
    `The node configuration has no service for components that are installed on ${thisHost}: ` +
    `${names.slice(0, NAMED).join(', ')}${more}. Jobs that need them wait until it has; ` +
    `GET /rest/nodes/services shows the services to add.`
  );
}
