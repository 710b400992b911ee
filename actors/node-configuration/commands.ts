import type { NodeManagerModel } from './model.ts';

export type ConfigurationCommand =
  /** From an ADMIN: this is the configuration of all nodes from now on. */
  | { readonly type: 'save'; readonly nodes: readonly NodeManagerModel[] }
  /** From the edge, and from the server at start: what is in force? */
  | { readonly type: 'read' };

export type ConfigurationReply =
  | { readonly kind: 'configuration'; readonly nodes: readonly NodeManagerModel[] }
  /** `warnings`: what was left out of it, and which components it leaves without a service. */
  | { readonly kind: 'saved'; readonly warnings: readonly string[] }
  | { readonly kind: 'refused'; readonly message: string };

export const CONFIGURATION_COMMANDS: ReadonlySet<ConfigurationCommand['type']> = new Set(['save', 'read']);
