export type CatalogEffect =
  /** The new state is what everybody sees from now on. */
  | { readonly type: 'publish' }
  /** An installed component works on its algorithm again: work that waits is for it. */
  | { readonly type: 'announce' }
  /** Something that an operator has to know: what is installed and what users made are in each other's way. */
  | { readonly type: 'warn'; readonly message: string; readonly facts: object };
