import type { NodeManagerModel } from './model.ts';

/** The configuration of all nodes, as an ADMIN has posted it. Until then there is none, and the initial one is in force. */
export interface ConfigurationState {
  readonly nodes: readonly NodeManagerModel[];
}
