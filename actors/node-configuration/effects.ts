import type { NodeManagerModel } from './model.ts';

/** Every node manager is told of the configuration and tries to conform (specification 4.4). */
export interface ConfigurationEffect {
  readonly type: 'apply';
  readonly nodes: readonly NodeManagerModel[];
}
