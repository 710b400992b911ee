/**
 * Looks up the parts of a pipeline. Elements of a transient pipeline precede stored elements of the same name (specification 2.1,
 * TransientPipelineDefinition).
 */
import type { Action, Algorithm, Pipeline, Task } from '../types.ts';
import { canonicalName } from '../values.ts';

export type ElementKind = 'pipeline' | 'task' | 'action' | 'algorithm';

/** Names must be trimmed and in upper case. */
export interface CatalogLookup {
  readonly pipeline: (name: string) => Pipeline | undefined;
  readonly task: (name: string) => Task | undefined;
  readonly action: (name: string) => Action | undefined;
  readonly algorithm: (name: string) => Algorithm | undefined;
  /** All names, for suggestions. Absent: no suggestions. */
  readonly names?: (kind: ElementKind) => Iterable<string>;
}

export interface TransientPipelineDefinition {
  /** Names of tasks in execution order. */
  readonly pipeline: readonly string[];
  readonly tasks?: readonly TransientTask[] | undefined;
  readonly actions?: readonly TransientAction[] | undefined;
}

export interface TransientTask {
  readonly name: string;
  readonly actions: readonly string[];
}

export interface TransientAction {
  readonly name: string;
  readonly algorithm: string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[] | undefined;
}

export const TRANSIENT_PIPELINE_NAME = 'JOB SPECIFIED TRANSIENT PIPELINE';

/** The catalog for a job with this definition. The name of its pipeline is TRANSIENT_PIPELINE_NAME. */
export function withTransientParts(
  catalog: CatalogLookup,
  definition: TransientPipelineDefinition,
): CatalogLookup {
  const pipeline: Pipeline = {
    name: TRANSIENT_PIPELINE_NAME,
    description: 'Job specified transient pipeline',
    tasks: definition.pipeline.map(canonicalName),
  };
  const tasks = byName((definition.tasks ?? []).map(storedTask));
  const actions = byName((definition.actions ?? []).map(storedAction));
  return {
    pipeline: (name) => (name === TRANSIENT_PIPELINE_NAME ? pipeline : catalog.pipeline(name)),
    task: (name) => tasks.get(name) ?? catalog.task(name),
    action: (name) => actions.get(name) ?? catalog.action(name),
    algorithm: catalog.algorithm,
    ...(catalog.names === undefined ? {} : { names: catalog.names }),
  };
}

function byName<T extends { readonly name: string }>(elements: readonly T[]): ReadonlyMap<string, T> {
  return new Map(elements.map((element) => [element.name, element]));
}

function storedTask(task: TransientTask): Task {
  const name = canonicalName(task.name);
  return {
    name,
    description: `Job specified transient task: ${name}`,
    actions: task.actions.map(canonicalName),
  };
}

function storedAction(action: TransientAction): Action {
  const name = canonicalName(action.name);
  return {
    name,
    description: `Job specified transient action: ${name}`,
    algorithm: canonicalName(action.algorithm),
    properties: action.properties ?? [],
  };
}

/** Why the definition itself is invalid, before its names are looked up. */
export function refusedDefinition(definition: TransientPipelineDefinition): string | null {
  const start = 'The pipeline definition was invalid.';
  if (definition.pipeline.length === 0) return `${start} Its pipeline must name at least one task.`;
  const empty = (definition.tasks ?? []).filter((task) => task.actions.length === 0);
  if (empty.length > 0) {
    return `${start} The following tasks have no actions: ${empty.map((task) => canonicalName(task.name)).join(', ')}.`;
  }
  const duplicates = [
    complaint('task', definition.tasks ?? []),
    complaint('action', definition.actions ?? []),
  ].filter((text) => text !== null);
  return duplicates.length === 0 ? null : [start, ...duplicates].join(' ');
}

function complaint(kind: string, elements: readonly { readonly name: string }[]): string | null {
  const names = elements.map((element) => canonicalName(element.name));
  const seen = new Set<string>();
  const duplicated = new Set(names.filter((name) => seen.has(name) || !seen.add(name)));
  return duplicated.size === 0
    ? null
    : `The following ${kind} names were duplicated: ${[...duplicated].join(', ')}.`;
}
