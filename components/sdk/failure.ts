/** How an error is reported to the server. */
import type { FailureRequest } from '../../protocol/coded-error.ts';
import { CodedError } from '../../protocol/coded-error.ts';
import { stackOf, throwLocationOf } from './throw-location.ts';

/** Returns the failure to report. An error without a code is unexpected, so its message names the detector's line. */
export function failureOf(error: unknown): FailureRequest {
  if (error instanceof CodedError) {
    const { code, message, mayPass } = error;
    return { code, message, ...(mayPass === true ? { mayPass } : {}) };
  }
  const place = throwLocationOf(error);
  const message = place === undefined ? messageOf(error) : `${messageOf(error)} (${place})`;
  return { code: 'DETECTION_FAILED', message };
}

/** Logs the stack of an unexpected error. `work`: the id of the sub-job. */
export function logStack(error: unknown, work: string, log: (message: string) => void): void {
  if (!(error instanceof CodedError)) log(`${work}: ${stackOf(error)}`);
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The server answered with an error status. 409: the lease is lost; 503: retry later. */
export class ProtocolError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = 'ProtocolError';
    this.status = status;
  }
}

/** No token is available now: the identity provider is unreachable, starting or busy. */
export class AccessError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AccessError';
  }
}

/** The issuer's address did not answer as a provider: the issuer is wrong, or a proxy answers while the provider starts. */
export class IssuerError extends AccessError {}
