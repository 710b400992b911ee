export type CatalogEffect =
  /** The new state is what everybody sees from now on. */
  | { readonly type: 'publish' }
  /** Something that an operator has to know: what is installed and what users made are in each other's way. */
  | { readonly type: 'warn'; readonly message: string; readonly facts: object };
