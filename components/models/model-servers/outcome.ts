/** Outcome of one request. `why` is part of a sentence. */
export type Outcome<T> =
  | { readonly kind: 'answer'; readonly body: T }
  | { readonly kind: 'final'; readonly why: string }
  /** `waitMs`: longer wait that the server requests. */
  | { readonly kind: 'away' | 'failed'; readonly why: string; readonly waitMs?: number };
