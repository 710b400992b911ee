import type { Action, Algorithm, Pipeline, Task } from '../../../domain/types.ts';
import { isNamed, type Descriptor } from './descriptor.ts';

/** Elements of a component in the catalog. */
export interface Elements {
  readonly algorithm: Algorithm;
  readonly action: readonly Action[];
  readonly task: readonly Task[];
  readonly pipeline: readonly Pipeline[];
}

/** Returns the elements of a descriptor. For each list that is left out, makes one element that runs the algorithm with its defaults. */
export function elementsOf(descriptor: Descriptor): Elements {
  const { batchLibrary, streamLibrary } = descriptor;
  const algorithm: Algorithm = {
    ...descriptor.algorithm,
    supportsBatchProcessing: isNamed(batchLibrary),
    supportsStreamProcessing: isNamed(streamLibrary),
  };
  const action = descriptor.actions ?? [defaultAction(algorithm)];
  const task = descriptor.tasks ?? action.slice(0, 1).map((first) => defaultTask(algorithm, first));
  const pipeline =
    descriptor.pipelines ?? task.slice(0, 1).flatMap((first) => defaultPipeline(algorithm, first));
  return { algorithm, action, task, pipeline };
}

function defaultAction({ name }: Algorithm): Action {
  return {
    name: `${name} DETECTION ACTION`,
    description: `Default action for the ${name} algorithm.`,
    algorithm: name,
    properties: [],
  };
}

function defaultTask({ name }: Algorithm, action: Action): Task {
  return {
    name: `${name} DETECTION TASK`,
    description: `Default task for the ${action.name} action.`,
    actions: [action.name],
  };
}

/** An algorithm that needs the results of another cannot run alone. */
function defaultPipeline({ name, requiresCollection }: Algorithm, task: Task): readonly Pipeline[] {
  if (requiresCollection.states.length > 0) return [];
  return [
    {
      name: `${name} DETECTION PIPELINE`,
      description: `Default pipeline for the ${task.name} task.`,
      tasks: [task.name],
    },
  ];
}
