/** What a component hears of its answer. */

/** What became of an answer. */
export type Taken =
  | { readonly kind: 'taken' }
  /** The lease ran out, was given to another, or its job has ended: whatever was answered is not used. */
  | { readonly kind: 'lost' }
  /** The answer is not what the protocol asks for; it counts as an attempt. */
  | { readonly kind: 'garbage'; readonly reason: string }
  /** The lease was answered before, with something else: the first answer stays. */
  | { readonly kind: 'differs' }
  /** It answers what was not asked; the lease goes on. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The component hung up in the middle of its answer; its lease goes on. */
  | { readonly kind: 'broken' };

export const WATCHES_A_STREAM: Taken = {
  kind: 'refused',
  reason:
    'The lease is of a live stream, which has no result: tell of it by segments, events and its end. The lease goes on.',
};
export const NOT_THE_MEDIUM = 'The answer names a file that is not the medium.';
