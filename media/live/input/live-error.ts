/** Errors of opening or reading a live stream. */

/**
 * UNREACHABLE: no server or no answer; FORBIDDEN: an address that is never connected to; UNAUTHORIZED: wrong user or password; REFUSED: the
 * server refuses; NOT_VIDEO: the stream has no video; UNSUPPORTED: the format is not supported; LOST: the connection broke; SILENT: no more
 * data arrives; DAMAGED: the data cannot be decoded.
 */
export type LiveFault =
  | 'UNREACHABLE'
  | 'FORBIDDEN'
  | 'UNAUTHORIZED'
  | 'REFUSED'
  | 'NOT_VIDEO'
  | 'UNSUPPORTED'
  | 'LOST'
  | 'SILENT'
  | 'DAMAGED';

/** `message` is a sentence for people. It names the cause and never contains a password. */
export class LiveError extends Error {
  readonly fault: LiveFault;
  constructor(fault: LiveFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LiveError';
    this.fault = fault;
  }
}

const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [/^(ENOTFOUND|EAI_NONAME|EAI_NODATA)$/, 'The host of the stream is unknown'],
  [/^EAI_/, 'The name of the host cannot be resolved now'],
  [/^ECONNREFUSED$/, 'The host of the stream refuses connections at this port'],
  [/^(EHOSTUNREACH|ENETUNREACH|ENETDOWN)$/, 'There is no route to the host of the stream'],
  [
    /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT)$/,
    'The host of the stream does not answer in time',
  ],
  [/^(ERR_SSL_WRONG_VERSION_NUMBER|EPROTO)$/, 'The host of the stream does not speak TLS'],
  [
    /CERT|LEAF_SIGNATURE|^ERR_TLS|^ERR_SSL|SELF_SIGNED/,
    'The certificate of the host of the stream is not trusted',
  ],
];

/** Converts a network error; most mean a lost connection. Other errors are thrown. */
export function networkError(error: unknown): LiveError {
  if (error instanceof LiveError) return error;
  const code = codeOf(error);
  if (code === 'FORBIDDEN_ADDRESS' && error instanceof Error)
    return new LiveError('FORBIDDEN', `The stream cannot be opened: ${error.message}.`, { cause: error });
  if (code === '') throw error;
  if (code.startsWith('HPE_'))
    return new LiveError('NOT_VIDEO', 'The server at this port does not speak HTTP.', {
      cause: error,
    });
  const known = SENTENCES.find(([pattern]) => pattern.test(code))?.[1];
  if (known !== undefined) return new LiveError('UNREACHABLE', `${known} (${code}).`, { cause: error });
  const detail = /^[A-Z][A-Z0-9_]+$/.test(code) ? ` (${code})` : '';
  return new LiveError('LOST', `The connection to the stream was lost${detail}.`, { cause: error });
}

/** Returns the code of an error or of its cause. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return codeOf(error.cause);
}
