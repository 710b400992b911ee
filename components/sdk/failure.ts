/** How an error is told to the server. */
import type { FailureRequest } from '../../protocol/coded-error.ts';
import { CodedError } from '../../protocol/coded-error.ts';

export function failureOf(error: unknown): FailureRequest {
  const code = error instanceof CodedError ? error.code : 'DETECTION_FAILED';
  return { code, message: messageOf(error) };
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The server answered something else than success. 409: the lease is lost; 503: come back later. */
export class ProtocolError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = 'ProtocolError';
    this.status = status;
  }
}

/** No token is to be had just now: the identity provider is away, starts or is busy. */
export class AccessError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AccessError';
  }
}

/** What answers at the issuer's address is no provider: the issuer is wrong, or the provider starts and something answers in its place. */
export class IssuerError extends AccessError {}
