/** The REST interface for tools. Every request passes its checks: a tool shows nothing that REST would refuse to its caller. */

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface RestCall {
  readonly method: 'GET' | 'POST';
  /** Path without the query. */
  readonly path: string;
  /** Parameters of the query. Undefined values are omitted. */
  readonly query?: Query;
  readonly body?: object;
}

export interface RestAnswer {
  readonly status: number;
  readonly bytes: Buffer;
}

/** The REST interface with the rights of one user. */
export interface Rest {
  /** URL of the web page, without a slash at its end. It is known after the first request. */
  readonly pageUrl: string;
  /** Returns every answer, including errors. @throws Refusal if the service does not answer */
  ask(call: RestCall, signal: AbortSignal): Promise<RestAnswer>;
}

/** The reason why a tool has no answer, as a sentence for the agent. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** Returns the path with its query. */
export function targetOf({ path, query = {} }: RestCall): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/** Returns the JSON of a successful answer. @throws Refusal with the message of the answer, or `unknown` if it has none */
export function jsonOf(answer: RestAnswer, unknown = 'There is no such job, or you cannot see it.'): unknown {
  const text = answer.bytes.toString('utf8');
  if (answer.status < 300) return JSON.parse(text);
  throw new Refusal(messageOf(text) ?? unknown);
}

function messageOf(text: string): string | undefined {
  try {
    const body = JSON.parse(text) as { message?: unknown; coreResponse?: { message?: unknown } } | null;
    const message = body?.coreResponse?.message ?? body?.message;
    return typeof message === 'string' && message.trim() !== '' ? message.trim() : undefined;
  } catch {
    return undefined;
  }
}

export const jobPath = (id: string): string => `/rest/jobs/${encodeURIComponent(id)}`;
export const mediumPath = (id: string, medium: number): string => `${jobPath(id)}/media/${medium}`;
