/** Problems of the elements of the catalog in its current state. */
import {
  actionNotes,
  algorithmNotes,
  pipelineNotes,
  taskNotes,
  type NamedCatalog,
} from '../../domain/plan/element-notes.ts';
import type { Action, Pipeline, Task } from '../../domain/types.ts';
import type { Catalog } from './catalog.ts';
import type { Descriptor } from './descriptors/descriptor.ts';
import { elementsOf } from './descriptors/elements.ts';

/** Most names that are compared for suggestions. */
const MAX_NAMES = 2_000;

/** Lists the problems of elements. For lists of thousands (`briefly`), it suggests no corrected names. */
export class CatalogNotes {
  readonly #catalog: NamedCatalog;

  constructor(catalog: Catalog, { briefly = false } = {}) {
    const { pipeline, task, action, algorithm, algorithms, actions, tasks, pipelines } = catalog;
    const all = { algorithm: algorithms, action: actions, task: tasks, pipeline: pipelines };
    const names = (kind: keyof typeof all): readonly string[] =>
      briefly
        ? []
        : all[kind]()
            .slice(0, MAX_NAMES)
            .map(({ name }) => name);
    this.#catalog = { pipeline, task, action, algorithm, names };
  }

  onAction = (action: Action) => actionNotes(this.#catalog, action);
  onTask = (task: Task) => taskNotes(this.#catalog, task);
  onPipeline = (pipeline: Pipeline) => pipelineNotes(this.#catalog, pipeline);

  /** Returns the problems of all elements of a component, each with its element. */
  onComponent = (descriptor: Descriptor): readonly string[] => {
    const { algorithm, action, task, pipeline } = elementsOf(descriptor);
    const about = (kind: string, name: string, notes: readonly string[]) =>
      notes.map((note) => `${kind} "${name}": ${note}`);
    return [
      ...about('algorithm', algorithm.name, algorithmNotes(algorithm)),
      ...action.flatMap((one) => about('action', one.name, this.onAction(one))),
      ...task.flatMap((one) => about('task', one.name, this.onTask(one))),
      ...pipeline.flatMap((one) => about('pipeline', one.name, this.onPipeline(one))),
    ];
  };
}
