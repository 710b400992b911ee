/** One outgoing request without retries, for which the caller is responsible. */
export interface OutgoingRequest {
  readonly method: 'GET' | 'POST';
  /** The complete URL with its query. */
  readonly url: string;
  /** JSON body of a POST. */
  readonly body: unknown;
  /** The body as text, which is sent unchanged instead of `body`. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly idempotencyKey: string;
  /** The id of a signed callback. `secrets` replace those of the receiver. */
  readonly webhook?: { readonly id: string; readonly secrets?: readonly string[] };
  /** True: a token of the service is sent. */
  readonly addToken: boolean;
  /** If a refusal of the receiver contains this text, it is final. */
  readonly finalAnswer?: string;
}

/** `status`: of the answer. Absent if there was none. */
export type Outcome = { readonly kind: 'sent'; readonly status?: number } | Failure;

export interface Failure {
  readonly kind: 'failed';
  /** Part of a sentence that may be shown: no secret, and at most a short part of the receiver's answer. */
  readonly reason: string;
  /**
   * Which part failed: the receiver (unreachable, too slow or overloaded), only this request (the receiver refuses it), or the service
   * itself (it got no token).
   */
  readonly trouble: 'receiver' | 'request' | 'service';
  /** True if the same request would never be sent or accepted. */
  readonly final: boolean;
  readonly status?: number;
  /** Time in milliseconds that the receiver asks to wait. */
  readonly retryAfterMs?: number;
}

/** Sends once and never throws. If `signal` is aborted, it ends early as a failure. */
export type Send = (request: OutgoingRequest, signal: AbortSignal) => Promise<Outcome>;
