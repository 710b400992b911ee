/** Why an outgoing request got no answer, in words for users. */
import { ForbiddenAddress } from './addresses.ts';

/** There was no answer. The message is part of a sentence and contains no secret. */
export class NoAnswer extends Error {
  /** True if another attempt would fail in the same way. */
  readonly final: boolean;
  /**
   * Code of the network, of the library, or of TLS. `LATE`: the receiver accepted the connection and did not answer in time. Empty: none of
   * these.
   */
  readonly code: string;
  constructor(message: string, final: boolean, { code, cause }: { code?: string; cause?: unknown } = {}) {
    super(message, { cause });
    this.final = final;
    this.code = code ?? codeOf(cause) ?? '';
  }
}

const BROKEN = 'the connection was closed before the answer was complete';
const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: BROKEN,
  UND_ERR_SOCKET: BROKEN,
  EPIPE: 'the connection closed before the request was accepted',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name cannot be resolved at the moment',
  ETIMEDOUT: 'it could not be connected to',
  UND_ERR_CONNECT_TIMEOUT: 'it could not be connected to',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
};
/** Error codes of the libraries for requests that cannot be sent, such as a header with a line break. */
const UNFIT = /^(ERR_INVALID_|UND_ERR_INVALID_ARG)/;

/** Converts an error of a request. `timeoutMs`: time within which the other side had to answer. */
export function noAnswer(error: unknown, timeoutMs: number): NoAnswer {
  if (error instanceof NoAnswer) return error;
  if (error instanceof ForbiddenAddress) return new NoAnswer(error.message, true, { cause: error });
  const code = codeOf(error) ?? '';
  if (/^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(code)) return tooLate(timeoutMs, true);
  const known = SENTENCES[code];
  if (known !== undefined) return new NoAnswer(known, false, { cause: error });
  const message = error instanceof Error && error.message !== '' ? error.message : code || 'unknown reason';
  return new NoAnswer(message, UNFIT.test(code), { cause: error });
}

/** `connected`: the receiver accepted the connection. Otherwise it may not exist. */
export const tooLate = (timeoutMs: number, connected: boolean): NoAnswer =>
  connected
    ? new NoAnswer(`there was no complete answer within ${timeoutMs} ms`, false, { code: 'LATE' })
    : new NoAnswer(`it could not be connected to within ${timeoutMs} ms`, false, { code: 'ETIMEDOUT' });

export const stopWhenUnwanted = (): NoAnswer => new NoAnswer('the service is shutting down', false);

/** The code of an error, or of its first cause. */
export function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** True if a connection broke or could not be established, so that a retry may succeed. */
export function isBroken(error: unknown): boolean {
  return /^(ECONN|EPIPE|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|UND_ERR_(SOCKET|(CONNECT|HEADERS|BODY)_TIMEOUT))/.test(
    codeOf(error) ?? '',
  );
}
