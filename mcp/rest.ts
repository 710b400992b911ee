/** How tools reach the REST interface. Every request passes its checks: a tool shows nothing that REST would refuse to its caller. */

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface RestCall {
  readonly method: 'GET' | 'POST';
  /** Without the query. */
  readonly path: string;
  /** Undefined values are left out. */
  readonly query?: Query;
  readonly body?: object;
}

export interface RestAnswer {
  readonly status: number;
  readonly bytes: Buffer;
}

/** The REST interface as one user. */
export interface Rest {
  /** The address of the web page, without a slash at its end; known once something was asked. */
  readonly pageUrl: string;
  /** Hands on whatever is answered. @throws Refusal when nobody answers */
  ask(call: RestCall, signal: AbortSignal): Promise<RestAnswer>;
}

/** Why a tool has no answer, in a sentence for the agent. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** The path with its query. */
export function targetOf({ path, query = {} }: RestCall): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/** The JSON of a good answer. @throws Refusal with the message of the answer, or `unknown` where it has none */
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
