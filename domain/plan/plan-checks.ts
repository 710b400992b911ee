/** Makes a plan from the pipeline part of a job request, or returns one sentence that says why the pipeline cannot run. */
import type { Algorithm, Pipeline } from '../types.ts';
import type { PipelinePlan, PlannedAction, PlannedTask } from '../plan.ts';
import {
  TRANSIENT_PIPELINE_NAME,
  refusedDefinition,
  withTransientParts,
  type CatalogLookup,
  type ElementKind,
  type TransientPipelineDefinition,
} from './plan-lookup.ts';
import { declaredBy, refusedActionProperty } from '../properties/property-checks.ts';
import { overActions, overPlan, type RequestLimits } from './request-limits.ts';
import { nearestName } from '../nearest-name.ts';
import { canonicalName, isBlank } from '../values.ts';

export interface PipelineRequest {
  readonly pipelineName?: string | undefined;
  readonly pipelineDefinition?: TransientPipelineDefinition | undefined;
}

export type PlanResult =
  | { readonly ok: PipelinePlan }
  | { readonly refused: string; readonly reason?: 'NO_SUCH_PIPELINE' };

/** Limits of the size of a plan. */
export type PlanLimits = Pick<RequestLimits, 'actions' | 'planLength'>;
/** Limits for callers without settings. */
const PLAN_LIMITS: PlanLimits = { actions: 200, planLength: 4 * 1024 * 1024 };

/** `processing`: the kind of processing that every algorithm of the pipeline must support. */
export function resolvePlan(
  catalog: CatalogLookup,
  request: PipelineRequest,
  processing: 'batch' | 'stream' = 'batch',
  limits = PLAN_LIMITS,
): PlanResult {
  const { pipelineName, pipelineDefinition } = request;
  if (pipelineDefinition === undefined) {
    return pipelineName === undefined || isBlank(pipelineName)
      ? { refused: 'Job request must contain either "pipelineName" or "pipelineDefinition".' }
      : resolveNamed(catalog, pipelineName, processing, limits);
  }
  if (!isBlank(pipelineName)) {
    return {
      refused: 'Job request must either contain "pipelineName" or "pipelineDefinition", but not both.',
    };
  }
  const refused = refusedDefinition(pipelineDefinition);
  if (refused !== null) return { refused };
  const parts = withTransientParts(catalog, pipelineDefinition);
  return resolveNamed(parts, TRANSIENT_PIPELINE_NAME, processing, limits);
}

function resolveNamed(
  catalog: CatalogLookup,
  name: string,
  processing: 'batch' | 'stream',
  limits: PlanLimits,
): PlanResult {
  const pipeline = catalog.pipeline(canonicalName(name));
  if (pipeline === undefined)
    return {
      refused: `No pipeline named: ${canonicalName(name)}${suggestName('pipeline', canonicalName(name), catalog)}`,
      reason: 'NO_SUCH_PIPELINE',
    };
  const actionsOf = (task: string) => catalog.task(canonicalName(task))?.actions;
  const tooMany = overActions(pipeline, actionsOf, limits);
  if (tooMany !== undefined) return { refused: tooMany };
  const parts = collectParts(catalog, pipeline);
  if ('refused' in parts) return parts;
  const plan: PipelinePlan = { name: pipeline.name, description: pipeline.description, tasks: parts.tasks };
  const refused =
    overPlan(plan, limits) ??
    refusedProcessing(plan, processing) ??
    refusedStates(plan) ??
    refusedProperties(plan) ??
    refusedActionTypes(plan) ??
    refusedTaskOrder(plan);
  return refused === null ? { ok: plan } : { refused };
}

/** Looks up all parts and collects the missing ones. */
function collectParts(
  catalog: CatalogLookup,
  pipeline: Pipeline,
): { readonly tasks: readonly PlannedTask[] } | { readonly refused: string } {
  const missing = { tasks: new Set<string>(), actions: new Set<string>(), algorithms: new Set<string>() };

  const planAction = (actionName: string): PlannedAction[] => {
    const action = catalog.action(actionName);
    if (action === undefined) return noteMissing(missing.actions, actionName);
    const algorithmName = canonicalName(action.algorithm);
    const algorithm = catalog.algorithm(algorithmName);
    if (algorithm === undefined) return noteMissing(missing.algorithms, algorithmName);
    const properties = Object.fromEntries(action.properties.map(({ name, value }) => [name, value]));
    return [{ name: action.name, description: action.description, properties, algorithm }];
  };
  const planTask = (taskName: string): PlannedTask[] => {
    const task = catalog.task(taskName);
    if (task === undefined) return noteMissing(missing.tasks, taskName);
    const actions = task.actions.flatMap((name) => planAction(canonicalName(name)));
    const actionType = actions[0]?.algorithm.actionType ?? 'DETECTION';
    return [{ name: task.name, description: task.description, actionType, actions }];
  };

  const tasks = pipeline.tasks.flatMap((name) => planTask(canonicalName(name)));
  const complaints = Object.entries(missing)
    .filter(([, names]) => names.size > 0)
    .map(
      ([kind, names]) =>
        `The following ${kind} are missing: ${[...names].join(', ')}.${suggestOneOf(KINDS[kind]!, names, catalog)}`,
    );
  if (complaints.length === 0) return { tasks };
  return {
    refused: `Cannot run pipeline ${pipeline.name} due to the following issues: ${complaints.join(' ')}`,
  };
}

const KINDS: Readonly<Record<string, ElementKind>> = {
  tasks: 'task',
  actions: 'action',
  algorithms: 'algorithm',
};

/** `. Did you mean FACE?`, or ''. */
function suggestName(kind: ElementKind, name: string, { names }: CatalogLookup): string {
  const nearest = nearestName(name, names?.(kind) ?? []);
  return nearest === undefined ? '' : `. Did you mean ${nearest}?`;
}

function suggestOneOf(kind: ElementKind, missing: ReadonlySet<string>, { names }: CatalogLookup): string {
  for (const name of [...missing].slice(0, MAX_COMPARED)) {
    const nearest = nearestName(name, names?.(kind) ?? []);
    if (nearest !== undefined) return ` Did you mean ${nearest} instead of ${name}?`;
  }
  return '';
}
/** Maximum number of missing names for which suggestions are searched. */
const MAX_COMPARED = 10;

function noteMissing(names: Set<string>, name: string): [] {
  names.add(name);
  return [];
}

function refusedProcessing(plan: PipelinePlan, processing: 'batch' | 'stream'): string | null {
  const unable = plan.tasks
    .flatMap((task) => task.actions.map((action) => action.algorithm))
    .filter((a) => !(processing === 'batch' ? a.supportsBatchProcessing : a.supportsStreamProcessing));
  if (unable.length === 0) return null;
  const names = [...new Set(unable.map((algorithm) => algorithm.name))].join(', ');
  return `Expected entire "${plan.name}" pipeline to support ${processing} processing, but the following algorithms do not: ${names}`;
}

/** The previous task must provide the states that a task requires. The first task gets the media unchanged. */
function refusedStates(plan: PipelinePlan): string | null {
  for (const [index, task] of plan.tasks.entries()) {
    const before = plan.tasks[index - 1];
    if (before === undefined) continue;
    const provided = distinct(before.actions.flatMap((a) => a.algorithm.providesCollection.states));
    const required = distinct(task.actions.flatMap((a) => a.algorithm.requiresCollection.states));
    if ([...required].every((state) => provided.has(state))) continue;
    return `${plan.name}: The states for "${task.name}" are not satisfied. Provided: ${list(provided)}. Required: ${list(required)}.`;
  }
  return null;
}

function distinct(states: readonly string[]): ReadonlySet<string> {
  return new Set(states.map(canonicalName));
}

function list(states: ReadonlySet<string>): string {
  return `[${[...states].join(', ')}]`;
}

function refusedProperties(plan: PipelinePlan): string | null {
  const known = new Map<Algorithm, ReturnType<typeof declaredBy>>();
  for (const task of plan.tasks) {
    for (const action of task.actions) {
      const declared = known.get(action.algorithm) ?? declaredBy(action.algorithm);
      known.set(action.algorithm, declared);
      const refused = refusedActionProperty(action, declared);
      if (refused !== null) return refused;
    }
  }
  return null;
}

function refusedActionTypes(plan: PipelinePlan): string | null {
  const mixed = plan.tasks.find((task) =>
    task.actions.some((action) => action.algorithm.actionType !== task.actionType),
  );
  return mixed === undefined
    ? null
    : `${plan.name}: The actions of the task "${mixed.name}" are of different types (${[...distinct(mixed.actions.map((a) => a.algorithm.actionType))].join(', ')}), but a task can only have one.`;
}

function refusedTaskOrder(plan: PipelinePlan): string | null {
  const last = plan.tasks.length - 1;
  for (const [index, task] of plan.tasks.entries()) {
    const isMarkup = task.actionType === 'MARKUP';
    if (task.actions.length > 1 && index < last) {
      return `${plan.name}: No tasks may follow the multi-action task "${task.name}".`;
    }
    if (!isMarkup) continue;
    if (index < last) return `${plan.name}: No tasks may follow the markup task "${task.name}".`;
    if (index === 0) return `${plan.name}: A markup task may not be the first task of a pipeline.`;
    if (task.actions.length > 1)
      return `${plan.name}: The markup task "${task.name}" may only have one action.`;
  }
  return null;
}
