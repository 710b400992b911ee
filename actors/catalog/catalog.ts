import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { CatalogLookup } from '../../pipeline/plan-lookup.ts';
import type { Action, Algorithm, Pipeline, Properties, Task } from '../../pipeline/types.ts';
import { canonicalName } from '../../pipeline/values.ts';
import { WORKFLOW_PROPERTIES, defaultOf } from '../../pipeline/workflow-properties.ts';
import { descriptorSchema, type Descriptor } from './descriptor.ts';

export interface InstalledComponent {
  readonly folder: string;
  readonly descriptor: Descriptor;
}

/** Every folder directly below `folder` that has a descriptor.json is a component. */
export function findComponents(folder: string): readonly InstalledComponent[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(folder, entry.name))
    .flatMap((found) => {
      const descriptor = readDescriptor(path.join(found, 'descriptor.json'));
      return descriptor === undefined ? [] : [{ folder: found, descriptor }];
    });
}

function readDescriptor(file: string): Descriptor | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  const parsed = descriptorSchema.safeParse(JSON.parse(text));
  if (!parsed.success)
    throw new Error(`${file} is not a valid component descriptor:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** Pipelines, tasks, actions and algorithms by name; names are looked up trimmed and in upper case. */
export class Catalog implements CatalogLookup {
  readonly #algorithms = new Map<string, Algorithm>();
  readonly #actions = new Map<string, Action>();
  readonly #tasks = new Map<string, Task>();
  readonly #pipelines = new Map<string, Pipeline>();
  readonly #serverProperties: Properties;

  constructor(descriptors: readonly Descriptor[], serverProperties: Properties) {
    this.#serverProperties = serverProperties;
    for (const descriptor of descriptors) this.#add(descriptor);
  }

  algorithm = (name: string) => this.#algorithms.get(canonicalName(name));
  action = (name: string) => this.#actions.get(canonicalName(name));
  task = (name: string) => this.#tasks.get(canonicalName(name));
  pipeline = (name: string) => this.#pipelines.get(canonicalName(name));

  actions = () => sorted(this.#actions);
  tasks = () => sorted(this.#tasks);
  pipelines = () => sorted(this.#pipelines);

  /** An algorithm as clients see it: its properties with current defaults, and the workflow properties it also takes. */
  shownAlgorithm = (name: string) => {
    const algorithm = this.algorithm(name);
    return algorithm === undefined ? undefined : this.#shown(algorithm);
  };
  shownAlgorithms = () => sorted(this.#algorithms).map((algorithm) => this.#shown(algorithm));

  #shown(algorithm: Algorithm) {
    const { trackType: _, outputChangedCounter: __, ...shown } = algorithm;
    const own = new Set(algorithm.providesCollection.properties.map((property) => property.name));
    const workflow =
      algorithm.actionType === 'DETECTION' ? WORKFLOW_PROPERTIES.filter(({ name }) => !own.has(name)) : [];
    const properties = [...algorithm.providesCollection.properties, ...workflow].map((property) => ({
      name: property.name,
      description: property.description,
      type: property.type,
      defaultValue: defaultOf(property, this.#serverProperties) ?? null,
      propertiesKey: property.propertiesKey ?? null,
    }));
    return { ...shown, providesCollection: { ...shown.providesCollection, properties } };
  }

  #add({ algorithm, actions, tasks, pipelines, batchLibrary, streamLibrary }: Descriptor): void {
    this.#algorithms.set(algorithm.name, {
      ...algorithm,
      supportsBatchProcessing: batchLibrary !== undefined,
      supportsStreamProcessing: streamLibrary !== undefined,
    });
    for (const action of actions) this.#actions.set(action.name, action);
    for (const task of tasks) this.#tasks.set(task.name, task);
    for (const pipeline of pipelines) this.#pipelines.set(pipeline.name, pipeline);
  }
}

const sorted = <T extends { readonly name: string }>(map: ReadonlyMap<string, T>): readonly T[] =>
  [...map.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
