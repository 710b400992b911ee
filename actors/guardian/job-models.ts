/** Checks that the model files that jobs name exist. The server only knows those on its own host. */
import type { JobModels } from '../requests/request-models.ts';
import type { Foundation } from './guardian-deps.ts';
import type { Nodes } from '../node-gateway/nodes.ts';

/** @param queueOf returns the queue of an algorithm */
export const jobModels = (
  { catalog, findModel }: Pick<Foundation, 'catalog' | 'findModel'>,
  nodes: () => Nodes,
  queueOf = (algorithm: string) => algorithm,
): JobModels => ({
  // The models of an algorithm are unknown if a client serves it in place of the installed component.
  isRead: (algorithm) => findModel.algorithms.has(algorithm) && catalog.isInstalled(algorithm),
  maybeElsewhere: (algorithm) => !nodes().isOnlyHere(queueOf(algorithm), 'MODEL_ROOTS'),
  problem: (algorithm, properties) => findModel.problem(algorithm, properties),
});
