/** One outgoing request, without retries: the caller retries. */
export interface OutgoingRequest {
  readonly method: 'GET' | 'POST';
  /** Complete, query included. */
  readonly url: string;
  /** JSON body of a POST. */
  readonly body: unknown;
  /** The same as text, which goes as it is in place of `body`. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly idempotencyKey: string;
  /** A callback that is signed, with its id; `secrets` are used in place of those of the receiver. */
  readonly webhook?: { readonly id: string; readonly secrets?: readonly string[] };
  /** A token of the service goes with it. */
  readonly addToken: boolean;
  /** When a refusal of the receiver contains this text, another attempt makes no sense. */
  readonly finalAnswer?: string;
}

/** `status`: of the answer; absent: there was none. */
export type Outcome = { readonly kind: 'sent'; readonly status?: number } | Failure;

export interface Failure {
  readonly kind: 'failed';
  /** Part of a sentence, safe to show: no secret, at most a short piece of the receiver's answer. */
  readonly reason: string;
  /**
   * What is in trouble: the receiver (it cannot be reached, is too slow, is overloaded), this request alone (the receiver is
   * well and does not want it), or the service itself (it got no token).
   */
  readonly trouble: 'receiver' | 'request' | 'service';
  /** The same request would never be sent or taken. */
  readonly final: boolean;
  readonly status?: number;
  /** Time that the receiver wants to be left alone, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** Sends once; never throws. Ends early, as a failure, when `signal` is aborted. */
export type Send = (request: OutgoingRequest, signal: AbortSignal) => Promise<Outcome>;
