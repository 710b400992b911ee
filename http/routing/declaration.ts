/** The declaration of an endpoint, from which `endpoint.ts` creates the endpoint. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Context } from 'koa';
import { z } from 'zod';
import { problem } from '../schemas/common.ts';
import type { Checked } from '../schemas/problems.ts';
import type { BodyLimits } from './json-body.ts';
import type { Sent } from '../schemas/sent-type.ts';

/** Limits of request bodies. */
export interface Limits {
  /** Limits of JSON bodies. */
  readonly bodyLimits: BodyLimits;
  /** Limits of operations, which may name a million jobs. */
  readonly operationLimits: BodyLimits;
  /** Limits of descriptors, pipelines, tasks and actions. */
  readonly descriptorLimits: BodyLimits;
  /** Limits of parameters that are sent as form fields. */
  readonly formLimits: BodyLimits;
  /** Refuses bodies with unknown members. */
  readonly strictRequests?: boolean;
}

export type LimitOfBody = 'bodyLimits' | 'descriptorLimits' | 'formLimits' | 'operationLimits';

/** Kind of caller of an operation: everyone, a role of specification 5, or another kind that the operation's description names. */
export type Caller = 'ANYONE' | 'USER' | 'ADMIN' | 'COMPONENT' | 'NODE' | 'METRICS';

/**
 * The jobs that an operation shows or changes: none, those that the caller may see, or the one whose `id` is in the path. The caller must
 * be allowed to see that job, and must own it to change it.
 */
export type JobScope = 'NONE' | 'LIST' | 'BATCH_JOB' | 'STREAMING_JOB';

/** A body of a request or an answer. */
export interface Content {
  readonly schema: z.ZodType;
  /** Absent: JSON. The body of a request with another type is passed on as a stream. */
  readonly type?: string;
  /** Further accepted content types. */
  readonly also?: readonly string[];
  /** Examples are part of the document. A test validates them against the schema. */
  readonly example?: unknown;
}

export interface RequestContent extends Content {
  /** Accepts a JSON body with comments and trailing commas, too, because people write it by hand. */
  readonly tolerant?: boolean;
  /** Noun for the body, such as `a job`. Unknown members are then reported, or refused with STRICT_REQUESTS. */
  readonly noun?: string;
  /** Limits of the body. Absent: those of all JSON bodies. */
  readonly limits?: LimitOfBody;
}

export interface DeclaredAnswer {
  readonly description: string;
  /** Absent: an empty body. */
  readonly content?: Content;
  /** Other formats of the body, by content type. */
  readonly others?: Readonly<Record<string, z.ZodType>>;
  /** True if the body is sent only on request. */
  readonly onRequest?: boolean;
  /** Descriptions of the headers, by name. The headers are always sent. */
  readonly headers?: Readonly<Record<string, string>>;
}
export type DeclaredAnswers = Readonly<Record<number, DeclaredAnswer>>;

/** An operation of the HTTP interface as clients see it. The tests validate every answer against it. */
export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Path with parameters as `{name}`. */
  readonly path: string;
  /** Unique name of the operation. Generated clients use it as the name of the function. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly caller: Caller;
  /** Required in every operation for USER. */
  readonly jobs?: JobScope;
  /** True if the operation only reads, although it is no GET. Every user who may see the job may use it. */
  readonly isReading?: boolean;
  /** Parameters of the path, one field each. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: RequestContent;
  /**
   * Answers by status. The common answers of all operations (401, 403, 413, 500, 503, and 400 for a body that is no JSON) are added. A
   * status declared here keeps its body in addition.
   */
  readonly answers: DeclaredAnswers;
}

/** Returns the message for a part of a request that does not match its schema. Needed if the list of problems is not sufficient. */
type Says = (problems: string, given: unknown) => string;

/** Refusal of a request before the endpoint runs. */
export interface Refusing {
  /** Members of the 403 body for a caller without the role. */
  readonly forbidden?: { readonly message: string };
  /** Returns more members of the 400 body, or null for an empty body. `seen`: the parts of the request that match their schemas. */
  refusal?(message: string, seen: { readonly params?: unknown; readonly query?: unknown }): object | null;
  readonly says?: Readonly<Partial<Record<'params' | 'query' | 'headers' | 'body', Says>>>;
  /** Validates a part. Absent: `checked`. */
  check?<T>(schema: z.ZodType<T>, given: unknown, whole: 'query' | 'body'): Checked<T>;
  /** True if the parameters of the query may also be sent as form fields. */
  readonly form?: boolean;
}

export type Shape = z.ZodObject;
export type None = z.ZodObject<Record<string, never>>;
export interface NoBody {
  readonly schema: z.ZodUndefined;
}

/** The parts of a request, as converted by their schemas. */
export interface Request<
  P extends Shape = None,
  Q extends Shape = None,
  H extends Shape = None,
  B extends RequestContent = NoBody,
> {
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
  readonly headers: z.output<H>;
  /** A body with a type of its own is a stream. */
  readonly body: B extends { readonly type: string } ? IncomingMessage : z.output<B['schema']>;
  /** The JSON body before its schema converted it. */
  readonly given: unknown;
  /** One sentence for each unknown member of the body. */
  readonly unknownMembers: readonly string[];
  readonly ctx: Context;
}

type BodyOf<A extends DeclaredAnswer> = A extends {
  readonly content: { readonly schema: infer S extends z.ZodType };
}
  ? Sent<z.output<S>> | Buffer | Readable | (A extends { readonly onRequest: true } ? undefined : never)
  : undefined;

/** A list of values is sent as several headers. */
type Headers = Readonly<Record<string, string | string[]>>;

/** One of the declared answers. Streams and buffers contain the body as sent. */
export interface Reply<S extends number = number, B = unknown> {
  readonly status: S;
  /** undefined: an empty body. */
  readonly body: B;
  readonly headers?: Headers;
  /** The content type with its parameters, where these are needed. */
  readonly type?: string;
  /** Number of bytes of a stream, if known. */
  readonly length?: number | undefined;
}
/** A reply with a declared status. An error status has no body here: errors with a body are thrown as an HttpError, which has a code. */
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
  /** Returns why the body is refused, before its schema validates it. */
  firstLook?(given: unknown, deps: D): string | undefined;
  /** Returns the answer for a job that does not exist, or that the caller must not see. Absent: an empty 404. */
  absent?(request: Request<P, Q, H, B>): ReplyOf<A>;
  handle(request: Request<P, Q, H, B>, deps: D): ReplyOf<A> | Promise<ReplyOf<A>>;
}

/** An answer with a JSON body. */
export function json<S extends z.ZodType>(description: string, schema: S, example?: unknown) {
  return { description, content: { schema, ...(example === undefined ? {} : { example }) } };
}

/** An error answer whose body has only `message`, `code` and `help`. */
export const sentence = (description: string) => json(description, problem);

/** A body with another type than JSON. */
export const content = <const T extends string>(description: string, type: T, example?: string) => ({
  description,
  content: { schema: z.string(), type, ...(example === undefined ? {} : { example }) },
});

/** 429 with the same members as other refusals of the endpoint. */
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
