export type CatalogEffect =
  /** Publishes the new state to all readers. */
  | { readonly type: 'publish' }
  /** An installed component serves its algorithm again, so waiting work is announced. */
  | { readonly type: 'announce' }
  /** Reports a conflict between installed components and elements of users to the operator. */
  | { readonly type: 'warn'; readonly message: string; readonly facts: object };
