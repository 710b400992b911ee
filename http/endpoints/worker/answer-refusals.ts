/** Converts the outcome of a component's answer into an HTTP response. */
import type { Context } from 'koa';
import { LOST, refusalText, type Refusal } from '../../../protocol/answer-outcome.ts';
import type { ErrorCode } from '../../routing/error-codes.ts';
import { HttpError } from '../../routing/errors.ts';

const CODES: Readonly<Record<Refusal['kind'], ErrorCode>> = {
  lost: 'lease-lost',
  differs: 'already-answered',
  garbage: 'invalid-result',
  refused: 'answer-refused',
  broken: 'body-incomplete',
};

type Accepted<O> = Omit<Extract<O, { readonly kind: 'accepted' }>, 'kind'>;

/**
 * Returns the members of an accepted answer. The connection closes if the body was not read completely, because the rest would be parsed as
 * the next request.
 * @throws HttpError for a refusal
 */
export function requireAccepted<O extends { readonly kind: 'accepted' } | Refusal>(
  ctx: Context,
  outcome: O,
): Accepted<O> {
  if (!ctx.req.readableEnded) ctx.set('Connection', 'close');
  const { kind, ...more } = outcome;
  if (kind !== 'accepted') throw refusalError(outcome);
  return more as Accepted<O>;
}

const refusalError = (refusal: Refusal) => new HttpError(CODES[refusal.kind], refusalText(refusal));

export const leaseLost = () => refusalError(LOST);
