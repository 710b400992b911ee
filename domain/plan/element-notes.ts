/**
 * Problems of a stored action, task, pipeline or algorithm, which may refer to elements that do not exist yet. Each note
 * says what happens to a job that uses it.
 */
import { resolvePlan } from './plan-checks.ts';
import type { CatalogLookup, ElementKind } from './plan-lookup.ts';
import { declaredBy } from '../properties/property-checks.ts';
import { KnownProperties, adviceOn, notesOn, showText } from '../properties/property-notes.ts';
import { isForgiven, isOfType, valueProblem } from '../properties/property-values.ts';
import type { Action, Algorithm, Pipeline, Task } from '../types.ts';
import { canonicalName } from '../values.ts';
import { WORKFLOW_PROPERTIES, workflowProperty } from '../properties/workflow-properties.ts';

/** The catalog with its names, for suggestions. */
export interface NamedCatalog extends CatalogLookup {
  readonly names: (kind: ElementKind) => Iterable<string>;
}

/** Maximum number of notes on one element. */
const MAX_NOTES = 20;
/** Maximum number of actions of a pipeline that is checked completely for a list. */
const MAX_ACTIONS = 1_000;

export const actionNotes = (catalog: NamedCatalog, action: Action): readonly string[] =>
  first(wrongInAction(catalog, action));

function* wrongInAction(catalog: NamedCatalog, action: Action): Generator<string> {
  const algorithm = catalog.algorithm(canonicalName(action.algorithm));
  if (algorithm === undefined) {
    yield missingNote(catalog, 'algorithm', action.algorithm);
    return;
  }
  const own = declaredBy(algorithm);
  const known = new KnownProperties([...algorithm.providesCollection.properties, ...WORKFLOW_PROPERTIES]);
  for (const { name, value } of action.properties) {
    const property = own.get(name) ?? workflowProperty(name);
    if (property === undefined)
      yield `The property ${showText(name)} is not known to the algorithm ${algorithm.name}${known.advice(name)}; jobs with this action are refused.`;
    else if (!isOfType(property.type, value))
      yield `The property ${name} is "${showText(value)}", which is not a valid ${property.type}; jobs with this action are refused.`;
    else if (!isForgiven(name) && valueProblem(property, value) !== undefined)
      yield `The property ${name} is "${showText(value)}", but ${valueProblem(property, value)}; jobs with this action are refused.`;
    else yield* notesOn({ [name]: value }, known, 'properties');
  }
}

export const taskNotes = (catalog: NamedCatalog, task: Task): readonly string[] =>
  first(wrongInTask(catalog, task));

function* wrongInTask(catalog: NamedCatalog, task: Task): Generator<string> {
  const types = new Set<string>();
  // A name may occur a thousand times, and searching for suggestions is slow.
  for (const name of new Set(task.actions)) {
    const action = catalog.action(canonicalName(name));
    if (action === undefined) yield missingNote(catalog, 'action', name);
    const type = catalog.algorithm(canonicalName(action?.algorithm ?? ''))?.actionType;
    if (type !== undefined) types.add(type);
  }
  if (types.size > 1)
    yield `Its actions are of different types (${[...types].join(', ')}), but a task can only have one; jobs with this task are refused.`;
}

export const pipelineNotes = (catalog: NamedCatalog, pipeline: Pipeline): readonly string[] =>
  first(wrongInPipeline(catalog, pipeline));

function* wrongInPipeline(catalog: NamedCatalog, pipeline: Pipeline): Generator<string> {
  const unknown = pipeline.tasks.filter((name) => catalog.task(canonicalName(name)) === undefined);
  for (const name of new Set(unknown)) yield missingNote(catalog, 'task', name);
  const tasks = pipeline.tasks.map((name) => catalog.task(canonicalName(name))?.actions.length ?? 0);
  if (unknown.length > 0 || tasks.reduce((sum, actions) => sum + actions, 0) > MAX_ACTIONS) return;
  const own: CatalogLookup = {
    ...lookups(catalog),
    pipeline: (name) => (name === canonicalName(pipeline.name) ? pipeline : catalog.pipeline(name)),
  };
  const batch = resolvePlan(own, { pipelineName: pipeline.name });
  if ('ok' in batch || 'ok' in resolvePlan(own, { pipelineName: pipeline.name }, 'stream')) return;
  yield `Jobs with it are refused: ${batch.refused}`;
}

const lookups = ({ pipeline, task, action, algorithm }: CatalogLookup): CatalogLookup => ({
  pipeline,
  task,
  action,
  algorithm,
});

export const algorithmNotes = (algorithm: Algorithm): readonly string[] => first(wrongInAlgorithm(algorithm));

function* wrongInAlgorithm({ providesCollection }: Algorithm): Generator<string> {
  for (const property of providesCollection.properties) {
    const { name, type, defaultValue } = property;
    const problem = defaultValue === undefined ? undefined : valueProblem(property, defaultValue);
    if (problem !== undefined)
      yield `The property ${showText(name)} has the default "${showText(defaultValue ?? '')}", but ${problem}.`;
    const workflow = workflowProperty(name);
    if (workflow !== undefined && workflow.type !== type)
      yield `The property ${name} is ${type} here, but ${workflow.type} everywhere else: it is a workflow property, which the service reads itself.`;
  }
}

function missingNote(catalog: NamedCatalog, kind: 'algorithm' | 'action' | 'task', name: string): string {
  return `There is no ${kind} ${showText(canonicalName(name))}${adviceOn(canonicalName(name), catalog.names(kind))}; jobs that need it are refused.`;
}

function first(notes: Iterable<string>): readonly string[] {
  const found = new Set<string>();
  for (const note of notes) {
    if (found.size === MAX_NOTES && !found.has(note)) return [...found, 'There is more of this kind.'];
    found.add(note);
  }
  return [...found];
}
