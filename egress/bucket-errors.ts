/** Classifies failed requests to object stores. */
import type { BucketAccess } from '../domain/types.ts';
import { ForbiddenAddress } from './http/addresses.ts';
import { isBroken } from './http/no-answer.ts';
import { TooLarge } from './http/store-answer.ts';

/** An object store could not be reached, or refused. The message is part of a sentence and contains no secret. */
export class BucketError extends Error {}

interface Facts {
  /** The name of the error in the store. */
  readonly name: string;
  readonly status: number | undefined;
  readonly code: string;
  /** True if the library has just adopted the clock of the store. */
  readonly clockMended: boolean;
}

function factsOf(error: unknown): Facts {
  const { name, code, $metadata } = (error ?? {}) as {
    readonly name?: unknown;
    readonly code?: unknown;
    readonly $metadata?: { readonly httpStatusCode?: number; readonly clockSkewCorrected?: boolean };
  };
  return {
    name: typeof name === 'string' ? name : '',
    status: $metadata?.httpStatusCode,
    code: typeof code === 'string' ? code : '',
    clockMended: $metadata?.clockSkewCorrected === true,
  };
}

const BUSY = [429, 500, 502, 503, 504];

/** True if a retry may succeed: an error of the store itself, or a broken connection. */
export function isPassing(error: unknown): boolean {
  if (error instanceof BucketError) return isPassing(error.cause);
  const { name, status, clockMended } = factsOf(error);
  if (clockMended || (status !== undefined && BUSY.includes(status))) return true;
  return name === 'TimeoutError' || isBroken(error);
}

/** True if the store itself refused, and not the network. */
export function isAnswer(error: unknown): boolean {
  const { status } = factsOf(error);
  return status !== undefined && !BUSY.includes(status);
}

/** Messages by the store's name of the refusal. */
const REFUSALS: Readonly<Record<string, (access: BucketAccess) => string>> = {
  NoSuchBucket: ({ name }) => `the object store has no bucket "${name}"`,
  NoSuchKey: ({ name }) => `the bucket "${name}" holds no such object`,
  NoSuchVersion: ({ name }) => `the bucket "${name}" holds no such version of the object`,
  InvalidAccessKeyId: () => 'the object store does not know the key given in S3_ACCESS_KEY',
  SignatureDoesNotMatch: () => 'S3_SECRET_KEY is not the secret that belongs to S3_ACCESS_KEY',
  AccessDenied: ({ name }) => `S3_ACCESS_KEY does not have this permission in the bucket "${name}"`,
  ExpiredToken: () => 'S3_SESSION_TOKEN has expired',
  InvalidToken: () => 'S3_SESSION_TOKEN is not valid',
  EntityTooLarge: () => 'the object store does not accept an object of this size',
  RequestTimeTooSkewed: () => 'the clock of this host differs too much from that of the object store',
  AuthorizationHeaderMalformed: ({ region }) => `S3_REGION "${region}" is not the region of the bucket`,
  PermanentRedirect: ({ region }) => `S3_REGION "${region}" or the host is not that of the bucket`,
};

const CONNECTIONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before everything was through',
  EPIPE: 'the connection was closed before everything was through',
  ENOTFOUND: 'the name of the host is not known',
  EAI_AGAIN: 'the name of the host could not be resolved just now',
  ETIMEDOUT: 'the host could not be connected to',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network of the host cannot be reached',
};

/** The error for users. It contains only the store's name of the error, because the store may repeat parts of the request. */
export function bucketError(error: unknown, access: BucketAccess): BucketError {
  return new BucketError(reasonOf(error, access), { cause: error });
}

function reasonOf(error: unknown, access: BucketAccess): string {
  if (error instanceof ForbiddenAddress || error instanceof TooLarge) return error.message;
  const { name, status, code } = factsOf(error);
  const known = REFUSALS[name]?.(access) ?? CONNECTIONS[code];
  if (known !== undefined) return known;
  if (name === 'TimeoutError') return 'the object store was silent for too long';
  const shown = /^[A-Za-z]{3,40}$/.test(name) && !['Error', 'Unknown', 'UnknownError'].includes(name);
  if (status === undefined) return `the request failed (${code === '' ? name : code})`;
  return `the object store answered with status ${status}${shown ? ` (${name})` : ''}`;
}
