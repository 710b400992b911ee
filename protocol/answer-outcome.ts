/** Outcome of a component's answer: a result, a failure or a part of a live stream. Every refusal is one of these values. */
import type { StreamAnswer } from './streams.ts';

export type Refusal =
  /** The lease expired, belongs to another component, or its job has ended: the answer is discarded. */
  | { readonly kind: 'lost' }
  /** The answer does not follow the protocol. It counts as an attempt. */
  | { readonly kind: 'garbage'; readonly reason: string }
  /** The lease was answered before with other content. The first answer stays. */
  | { readonly kind: 'differs' }
  /** The answer is of the wrong kind. Its lease stays. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The component disconnected in the middle of its answer. Its lease stays. */
  | { readonly kind: 'broken' };

export type AnswerOutcome = { readonly kind: 'accepted' } | Refusal;
/** Outcome of a part of a live stream, with the next step for its component. */
export type StreamOutcome = ({ readonly kind: 'accepted' } & StreamAnswer) | Refusal;

export const ACCEPTED: AnswerOutcome = { kind: 'accepted' };
export const LOST: Refusal = { kind: 'lost' };
export const DIFFERS: Refusal = { kind: 'differs' };
export const BROKEN: Refusal = { kind: 'broken' };
export const NOT_THE_MEDIUM = 'The answer names a file that is not the medium.';
export const WATCHES_A_STREAM: Refusal = {
  kind: 'refused',
  reason:
    'The lease is of a live stream, which has no result: report segments, events and the end instead. The lease stays.',
};

export const LOST_TEXT =
  'The lease is lost: it ran out, was given to another component, or its job has ended.';
const DIFFERS_TEXT =
  'The lease was answered before with another answer, which stays. Repeat an answer as it was, or claim more work.';

/** The text of a refusal for the component. */
export function refusalText(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'lost':
      return LOST_TEXT;
    case 'differs':
      return DIFFERS_TEXT;
    case 'broken':
      return 'The answer is incomplete.';
    case 'garbage':
    case 'refused':
      return refusal.reason;
  }
}
