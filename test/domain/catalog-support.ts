/** Short definitions of catalogs. */
import type { CatalogLookup } from '../../domain/plan/plan-lookup.ts';
import type { Action, Algorithm, AlgorithmProperty, Pipeline, Task } from '../../domain/types.ts';

interface GivenAlgorithm {
  readonly requires?: readonly string[];
  readonly provides?: readonly string[];
  readonly properties?: readonly AlgorithmProperty[];
  readonly more?: Partial<Algorithm>;
}

export function algorithm(name: string, given: GivenAlgorithm = {}): Algorithm {
  return {
    name,
    description: `Algorithm ${name}`,
    actionType: 'DETECTION',
    trackType: 'FACE',
    supportsBatchProcessing: true,
    supportsStreamProcessing: false,
    requiresCollection: { states: given.requires ?? [] },
    providesCollection: { states: given.provides ?? ['DETECTION'], properties: given.properties ?? [] },
    ...given.more,
  };
}

export const action = (
  name: string,
  algorithmName: string,
  properties: Record<string, string> = {},
): Action => ({
  name,
  description: `Action ${name}`,
  algorithm: algorithmName,
  properties: Object.entries(properties).map(([n, value]) => ({ name: n, value })),
});
export const task = (name: string, ...actions: string[]): Task => ({
  name,
  description: `Task ${name}`,
  actions,
});
export const pipeline = (name: string, ...tasks: string[]): Pipeline => ({
  name,
  description: `Pipeline ${name}`,
  tasks,
});

function find<T extends { name: string }>(all: readonly (readonly T[] | undefined)[]) {
  return (name: string): T | undefined =>
    all.flatMap((some) => some ?? []).find((element) => element.name === name);
}

export function catalog(
  ...elements: {
    algorithms?: readonly Algorithm[];
    actions?: readonly Action[];
    tasks?: readonly Task[];
    pipelines?: readonly Pipeline[];
  }[]
): CatalogLookup {
  return {
    algorithm: find(elements.map((e) => e.algorithms)),
    action: find(elements.map((e) => e.actions)),
    task: find(elements.map((e) => e.tasks)),
    pipeline: find(elements.map((e) => e.pipelines)),
  };
}
