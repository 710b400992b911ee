import type { z } from 'zod';

/** Who may call an operation: anybody, a role of specification 5, or another kind of caller that its description names. */
export type Caller = 'ANYONE' | 'USER' | 'ADMIN' | 'COMPONENT' | 'METRICS';

/** A body of a request or an answer. JSON unless `type` says otherwise. */
export interface Content {
  readonly schema: z.ZodType;
  readonly type?: string;
  /** Content types that are taken besides. */
  readonly also?: readonly string[];
  /** Examples are part of the document and held against the schema by a test. */
  readonly example?: unknown;
}

export interface DeclaredAnswer {
  readonly description: string;
  /** Absent: an empty body. */
  readonly content?: Content;
  /** The body is sent only when it is asked for. */
  readonly onRequest?: boolean;
  /** Headers by name, with what they say; they are always sent. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * One operation of the HTTP interface as clients see it. `http/operations/` has one file beside each file of routes; a
 * test holds routes and declarations together, and the tests hold every answer against its declaration.
 */
export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** With parameters as `{name}`. */
  readonly path: string;
  /** Name of the operation, unique; clients generated from the document call it so. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly caller: Caller;
  /** What the parts of the path are, one field each. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: Content;
  /**
   * By status. What all operations have in common (401, 403, 413, 500, 503, and 400 for a body that is no JSON) is
   * added; a status that is declared here keeps this body besides.
   */
  readonly answers: Readonly<Record<number, DeclaredAnswer>>;
}

/** An answer with a JSON body. */
export function json(description: string, schema: z.ZodType, example?: unknown): DeclaredAnswer {
  return { description, content: { schema, ...(example === undefined ? {} : { example }) } };
}

/** An answer without a body. */
export const nothing = (description: string): DeclaredAnswer => ({ description });
