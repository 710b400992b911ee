/** The declaration of an endpoint, from which `endpoint.ts` creates the endpoint. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Context } from 'koa';
import { z } from 'zod';
import { problem } from '../schemas/common.ts';
import type { Checked } from '../schemas/problems.ts';
import type { BodyLimits } from './json-body.ts';
import type { Sent } from '../schemas/sent-type.ts';

/** What the bodies of requests are held against. */
export interface Limits {
  /** Of JSON. */
  readonly bodyLimits: BodyLimits;
  /** Of operations, which may name a million jobs. */
  readonly operationLimits: BodyLimits;
  /** Of descriptors, pipelines, tasks and actions. */
  readonly descriptorLimits: BodyLimits;
  /** Of parameters that come as the fields of a form. */
  readonly formLimits: BodyLimits;
  /** Refuses bodies with members that their schema does not have. */
  readonly strictRequests?: boolean;
}

export type LimitOfBody = 'bodyLimits' | 'descriptorLimits' | 'formLimits' | 'operationLimits';

/** Who may call an operation: anybody, a role of specification 5, or another kind of caller that its description names. */
export type Caller = 'ANYONE' | 'USER' | 'ADMIN' | 'COMPONENT' | 'NODE' | 'METRICS';

/**
 * What of jobs an operation shows or changes: none; those that the caller sees; or the one whose `id` is in the path, which the caller must
 * see, and own to change it.
 */
export type JobScope = 'NONE' | 'LIST' | 'BATCH_JOB' | 'STREAMING_JOB';

/** A body of a request or an answer. */
export interface Content {
  readonly schema: z.ZodType;
  /** Absent: JSON. The body of a request of another type is handed on as a stream. */
  readonly type?: string;
  /** Content types that are taken besides. */
  readonly also?: readonly string[];
  /** Examples are part of the document and held against the schema by a test. */
  readonly example?: unknown;
}

export interface RequestContent extends Content {
  /** A JSON body with comments and trailing commas is taken, too: people write it by hand. */
  readonly tolerant?: boolean;
  /** What the body is, such as `a job`: members that the schema does not have are reported, or refused with STRICT_REQUESTS. */
  readonly noun?: string;
  /** The limits of its size; absent: those of all JSON bodies. */
  readonly limits?: LimitOfBody;
}

export interface DeclaredAnswer {
  readonly description: string;
  /** Absent: an empty body. */
  readonly content?: Content;
  /** Other forms of the body, by content type. */
  readonly others?: Readonly<Record<string, z.ZodType>>;
  /** The body is sent only when it is asked for. */
  readonly onRequest?: boolean;
  /** Headers by name, with what they say; they are always sent. */
  readonly headers?: Readonly<Record<string, string>>;
}
export type DeclaredAnswers = Readonly<Record<number, DeclaredAnswer>>;

/** An operation of the HTTP interface as clients see it; the tests hold every answer against it. */
export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With parameters as `{name}`. */
  readonly path: string;
  /** Name of the operation, unique; clients generated from the document call it so. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly caller: Caller;
  /** Every operation for USER says it. */
  readonly jobs?: JobScope;
  /** It only reads, although it is no GET: whoever sees the job may use it. */
  readonly isReading?: boolean;
  /** What the parts of the path are, one field each. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: RequestContent;
  /**
   * By status. What all operations have in common (401, 403, 413, 500, 503, and 400 for a body that is no JSON) is
   * added; a status that is declared here keeps this body besides.
   */
  readonly answers: DeclaredAnswers;
}

/** What the endpoint says when a part of a request does not fit its schema, where it is more than the problems. */
type Says = (problems: string, given: unknown) => string;

/** How a request is turned down before the endpoint does anything. */
export interface Refusing {
  /** Members of the body of 403 for a caller without the role. */
  readonly forbidden?: { readonly message: string };
  /** More members of the body of 400, or null for an empty one. `seen`: the parts of the request that fit their schemas. */
  refusal?(message: string, seen: { readonly params?: unknown; readonly query?: unknown }): object | null;
  readonly says?: Readonly<Partial<Record<'params' | 'query' | 'headers' | 'body', Says>>>;
  /** Finds what is wrong; absent: `checked`. */
  check?<T>(schema: z.ZodType<T>, given: unknown, whole: 'query' | 'body'): Checked<T>;
  /** The query may also come as the fields of a form. */
  readonly form?: boolean;
}

export type Shape = z.ZodObject;
export type None = z.ZodObject<Record<string, never>>;
export interface NoBody {
  readonly schema: z.ZodUndefined;
}

/** The parts of a request, as their schemas make them. */
export interface Request<
  P extends Shape = None,
  Q extends Shape = None,
  H extends Shape = None,
  B extends RequestContent = NoBody,
> {
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
  readonly headers: z.output<H>;
  /** A body of a type of its own comes as a stream. */
  readonly body: B extends { readonly type: string } ? IncomingMessage : z.output<B['schema']>;
  /** The JSON body before its schema has changed anything. */
  readonly given: unknown;
  /** A sentence for each member of the body that its schema does not have. */
  readonly unknownMembers: readonly string[];
  readonly ctx: Context;
}

type BodyOf<A extends DeclaredAnswer> = A extends {
  readonly content: { readonly schema: infer S extends z.ZodType };
}
  ? Sent<z.output<S>> | Buffer | Readable | (A extends { readonly onRequest: true } ? undefined : never)
  : undefined;

/** One of several values is a header of its own. */
type Headers = Readonly<Record<string, string | string[]>>;

/** One of the answers that are declared. Streams and buffers have the text of their body already. */
export interface Reply<S extends number = number, B = unknown> {
  readonly status: S;
  /** undefined: an empty body. */
  readonly body: B;
  readonly headers?: Headers;
  /** The content type with its parameters, where these matter. */
  readonly type?: string;
  /** Bytes of a stream, when they are known. */
  readonly length?: number | undefined;
}
/** An error with a body is thrown as an HttpError, which has a code. */
type ReplyOf<A extends DeclaredAnswers> = {
  [S in keyof A & number]: Reply<S, `${S}` extends `${4 | 5}${string}` ? undefined : BodyOf<A[S]>>;
}[keyof A & number];

export interface Declaration<
  P extends Shape,
  Q extends Shape,
  H extends Shape,
  B extends RequestContent,
  A extends DeclaredAnswers,
  D,
>
  extends Operation, Refusing {
  readonly params?: P;
  readonly query?: Q;
  readonly headers?: H;
  readonly body?: B;
  readonly answers: A;
  /** Why the body is refused, found before its schema looks at it. */
  firstLook?(given: unknown, deps: D): string | undefined;
  /** What is answered for a job of the path that does not exist, or that the caller must not see; absent: an empty 404. */
  absent?(request: Request<P, Q, H, B>): ReplyOf<A>;
  handle(request: Request<P, Q, H, B>, deps: D): ReplyOf<A> | Promise<ReplyOf<A>>;
}

/** An answer with a JSON body. */
export function json<S extends z.ZodType>(description: string, schema: S, example?: unknown) {
  return { description, content: { schema, ...(example === undefined ? {} : { example }) } };
}

/** An error answer whose body has `message`, `code` and `help` alone. */
export const sentence = (description: string) => json(description, problem);

/** A body of another type than JSON. */
export const content = <const T extends string>(description: string, type: T, example?: string) => ({
  description,
  content: { schema: z.string(), type, ...(example === undefined ? {} : { example }) },
});

/** 429 in the shape of the endpoint's other refusals. */
export const limitReached = <S extends z.ZodType>(schema: S) => ({
  ...json('The user has reached a limit (USER_LIMITS). The message names it.', schema),
  headers: { 'Retry-After': 'Seconds after which to try again' },
});

/** An answer without a body. */
export const nothing = (description: string) => ({ description });

export const ok = <const B>(body: B): Reply<200, B> => ({ status: 200, body });
export const answerWith = <S extends number, const B>(
  status: S,
  body: B,
  headers: Headers = {},
): Reply<S, B> => ({ status, body, headers });
export const withoutBody = <S extends number>(status: S): Reply<S, undefined> => ({
  status,
  body: undefined,
});
