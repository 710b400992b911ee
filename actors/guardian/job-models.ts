/** Whether the model files that jobs name exist. The server only knows those on its own host. */
import type { JobModels } from '../requests/request-models.ts';
import type { Foundation } from './guardian-deps.ts';
import type { Nodes } from '../node-gateway/nodes.ts';

/** `queueOf`: the queue in which the work of an algorithm waits. */
export const jobModels = (
  { catalog, findModel }: Pick<Foundation, 'catalog' | 'findModel'>,
  nodes: () => Nodes,
  queueOf = (algorithm: string) => algorithm,
): JobModels => ({
  // Of an algorithm that a client serves in place of the installed one nothing is known.
  isRead: (algorithm) => findModel.algorithms.has(algorithm) && catalog.isInstalled(algorithm),
  maybeElsewhere: (algorithm) => !nodes().isOnlyHere(queueOf(algorithm), 'MODEL_ROOTS'),
  problem: (algorithm, properties) => findModel.problem(algorithm, properties),
});
