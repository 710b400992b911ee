import { algorithmOf } from '../../protocol/streams.ts';
import { censorAction, censorValue } from '../../domain/job/censor.ts';
import {
  resolvePlan,
  type PipelineRequest,
  type PlanLimits,
  type PlanResult,
} from '../../domain/plan/plan-checks.ts';
import type { CatalogLookup, ElementKind } from '../../domain/plan/plan-lookup.ts';
import type { Action, Algorithm, Properties } from '../../domain/types.ts';
import { omit } from '../../domain/omit.ts';
import { canonicalName } from '../../domain/values.ts';
import { WORKFLOW_PROPERTIES, defaultOf } from '../../domain/properties/workflow-properties.ts';
import { isNamed } from './descriptors/descriptor.ts';
import { registeredHolder } from './managed-components.ts';
import {
  EMPTY_CATALOG,
  isRemovable,
  type CatalogState,
  type Component,
  type ElementKind as OwnKind,
  type Owned,
  type Remover,
} from './state.ts';

/** A component as clients see it. */
export interface ComponentInfo {
  readonly componentName: string;
  readonly componentVersion: string;
  /** True if the server starts and stops its processes. Otherwise clients run it. */
  readonly managed: boolean;
  /** Name of the user who registered it; null for managed ones. */
  readonly registeredBy: string | null;
  readonly algorithm: string;
  /** Name of the registered component that replaces it for its algorithm; null if none does. */
  readonly replacedBy: string | null;
  readonly supportsBatchProcessing: boolean;
  readonly supportsStreamProcessing: boolean;
}

/**
 * The current catalog for lookups: pipelines, tasks, actions and algorithms by name (trimmed, case-insensitive), components by exact name.
 * Its actor replaces the state after every commit. Reads never wait.
 */
export class Catalog implements CatalogLookup {
  readonly #serverProperties: Properties;
  #state: CatalogState;
  /** Plans of stored pipelines by name, for the current catalog. */
  #batchPlans = new WeakMap<PlanLimits, Map<string, PlanResult>>();

  constructor(serverProperties: Properties, state: CatalogState = EMPTY_CATALOG) {
    this.#serverProperties = serverProperties;
    this.#state = state;
  }

  /** Replaces the current catalog. */
  publish = (state: CatalogState): void => {
    if (state !== this.#state) this.#batchPlans = new WeakMap();
    this.#state = state;
  };

  /** Returns the plan of a batch job. All jobs of a stored pipeline share one plan until the catalog changes. */
  batchPlan = (request: PipelineRequest, limits: PlanLimits): PlanResult => {
    const { pipelineName, pipelineDefinition } = request;
    const known = this.#batchPlans.get(limits) ?? new Map<string, PlanResult>();
    const stored =
      pipelineDefinition === undefined ? known.get(canonicalName(pipelineName ?? '')) : undefined;
    if (stored !== undefined) return stored;
    const result = resolvePlan(this, request, 'batch', limits);
    if (pipelineDefinition === undefined && 'ok' in result)
      this.#batchPlans.set(limits, known.set(canonicalName(pipelineName ?? ''), result));
    return result;
  };

  algorithm = (name: string) => this.#state.algorithm.get(canonicalName(name))?.element;
  action = (name: string) => this.#state.action.get(canonicalName(name))?.element;
  task = (name: string) => this.#state.task.get(canonicalName(name))?.element;
  pipeline = (name: string) => this.#state.pipeline.get(canonicalName(name))?.element;

  names = (kind: ElementKind): Iterable<string> => this.#state[kind].keys();

  /** True if this user may remove an element; false if the element does not exist. */
  isRemovable = (kind: OwnKind, name: string, remover: Remover): boolean => {
    const found = this.#state[kind].get(canonicalName(name));
    return found !== undefined && isRemovable(found, remover);
  };

  /** Returns the component that registered an element, or null if a user posted it. */
  registrantOf = (kind: OwnKind, name: string): string | null =>
    this.#state[kind].get(canonicalName(name))?.component ?? null;

  algorithms = () => sortByName(this.#state.algorithm);
  actions = () => sortByName(this.#state.action);
  tasks = () => sortByName(this.#state.task);
  pipelines = () => sortByName(this.#state.pipeline);

  component = (name: string): ComponentInfo | undefined => {
    const found = this.#state.component.get(name);
    return found === undefined ? undefined : infoOf(found, this.#state);
  };
  components = (): readonly ComponentInfo[] =>
    [...this.#state.component.values()]
      .map((component) => infoOf(component, this.#state))
      .sort(by(({ componentName }) => componentName));

  /** True if a service may do the work of a queue. Work of a registered component is only for the service with its name. */
  mayServe = (service: string, queue: string): boolean => {
    const holder = this.#state.algorithm.get(algorithmOf(queue))?.component ?? undefined;
    if (holder === undefined || holder === service) return true;
    return this.#state.component.get(holder)?.managed !== false;
  };

  /** True if the algorithm belongs to an installed component. Otherwise a client has registered its component. */
  isInstalled = (algorithm: string): boolean => this.#componentOf(algorithm)?.managed === true;

  /** Returns the version of the component with this algorithm, or undefined if there is none. */
  versionOf = (algorithm: string): string | undefined =>
    this.#componentOf(algorithm)?.descriptor.componentVersion;

  #componentOf(algorithm: string): Component | undefined {
    const owner = this.#state.algorithm.get(canonicalName(algorithm))?.component;
    return owner === undefined || owner === null ? undefined : this.#state.component.get(owner);
  }

  /** Algorithms whose work a client may claim, because it registered their components. */
  algorithmsServedBy = (subject: string | null): readonly string[] => {
    if (subject === null) return [];
    return [...this.#state.component.values()]
      .filter(({ registrants }) => registrants.some((registrant) => registrant.subject === subject))
      .map(({ descriptor }) => descriptor.algorithm.name);
  };

  /** Returns an action without its secrets, for clients. */
  shownAction = (name: string): Action | undefined => {
    const action = this.action(name);
    return action === undefined ? undefined : censorAction(action);
  };
  *shownActions() {
    for (const action of this.actions()) yield censorAction(action);
  }

  /** Returns an algorithm for clients: its properties with current defaults, and the workflow properties that it also accepts. */
  shownAlgorithm = (name: string) => {
    const algorithm = this.algorithm(name);
    return algorithm === undefined ? undefined : this.#toShown(algorithm);
  };
  /** Each algorithm is large, so it is made only when it is read. */
  *shownAlgorithms() {
    for (const algorithm of this.algorithms()) yield this.#toShown(algorithm);
  }

  #toShown(algorithm: Algorithm) {
    const shown = omit(algorithm, 'trackType', 'outputChangedCounter', 'mediaTypes', 'classes');
    const own = new Set(algorithm.providesCollection.properties.map((property) => property.name));
    const workflow =
      algorithm.actionType === 'DETECTION' ? WORKFLOW_PROPERTIES.filter(({ name }) => !own.has(name)) : [];
    const properties = [...algorithm.providesCollection.properties, ...workflow].map((property) => ({
      name: property.name,
      description: property.description,
      type: property.type,
      defaultValue: shownDefault(property.name, defaultOf(property, this.#serverProperties)),
      propertiesKey: property.propertiesKey ?? null,
    }));
    return { ...shown, providesCollection: { ...shown.providesCollection, properties } };
  }
}

function infoOf({ descriptor, managed, registrants }: Component, state: CatalogState): ComponentInfo {
  const { componentName, componentVersion, algorithm, batchLibrary, streamLibrary } = descriptor;
  return {
    componentName,
    componentVersion,
    managed,
    registeredBy: registrants[0]?.name ?? null,
    algorithm: algorithm.name,
    replacedBy: managed ? (registeredHolder(state, descriptor) ?? null) : null,
    supportsBatchProcessing: isNamed(batchLibrary),
    supportsStreamProcessing: isNamed(streamLibrary),
  };
}

/** Returns a default without secrets. An absent or empty default is no secret. */
const shownDefault = (name: string, value: string | undefined): string | null =>
  value === undefined || value === '' ? (value ?? null) : censorValue(name, value);

const by =
  <T>(key: (entry: T) => string) =>
  (a: T, b: T) =>
    key(a) < key(b) ? -1 : 1;

const sortByName = <T extends { readonly name: string }>(map: ReadonlyMap<string, Owned<T>>): readonly T[] =>
  [...map.values()].map(({ element }) => element).sort(by(({ name }) => name));
