/** What the page asks of the server. Addresses are relative to the page, wherever a proxy has put it. */

/** An answer that is no success, in the server's own words where it has any. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: unknown;
  constructor(status: number, message: string, body: unknown) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.body = body;
  }
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Told when a request was answered 401: the session has ended. */
const unauthorized = new Set<() => void>();
export function onUnauthorized(told: () => void): () => void {
  unauthorized.add(told);
  return () => unauthorized.delete(told);
}

export function urlOf(path: string, query: Query = {}): string {
  const url = new URL(path, document.baseURI.replace(/#.*$/, ''));
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value));
  return url.href;
}

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return (await answer(fetch(urlOf(path, query), { ...(signal && { signal }) }))) as T;
}

/** Sends a JSON body, or none. */
export async function send<T>(
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
  query: Query = {},
): Promise<T> {
  const json =
    body === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  return (await answer(fetch(urlOf(path, query), { method, ...json }))) as T;
}

/** Why the server does not answer with a file; undefined: it does. Of the file only its first byte is asked for. */
export async function refusalOf(url: string, signal: AbortSignal): Promise<ApiError | undefined> {
  try {
    await answer(fetch(url, { headers: { Range: 'bytes=0-0' }, signal }));
    return undefined;
  } catch (error) {
    return error instanceof ApiError ? error : new ApiError(0, String(error), undefined);
  }
}

async function answer(asked: Promise<Response>): Promise<unknown> {
  let response: Response;
  try {
    response = await asked;
  } catch (error) {
    if (error instanceof DOMException) throw error;
    throw new ApiError(0, 'The service cannot be reached.', undefined);
  }
  const text = await response.text();
  const body = parsed(text);
  if (response.ok) return body;
  if (response.status === 401) for (const told of unauthorized) told();
  throw new ApiError(response.status, messageOf(body) ?? withoutMessage(response.status), body);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The sentence of an answer: `message`, or that of its coreResponse. */
export function messageOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { message, coreResponse } = body as { message?: unknown; coreResponse?: unknown };
  if (typeof message === 'string' && message !== '') return message;
  return messageOf(coreResponse);
}

const withoutMessage = (status: number) =>
  (
    {
      400: 'The service does not know this.',
      401: 'You are not logged in.',
      403: 'You may not do this.',
      404: 'There is no such thing any more.',
    } as Readonly<Record<number, string>>
  )[status] ?? `The service answered ${status}.`;
