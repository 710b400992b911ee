/** Requests to the server. Addresses are relative to the page, so that they work behind any proxy. */
import { answer } from './answer.ts';

declare global {
  /** Answers that `first-requests.ts` has requested, by address. */
  var firstAnswers: Map<string, Promise<Response>> | undefined;
}

/** Maximum age of the page when a first answer is used: milliseconds. */
const FIRST_MS = 10_000;

/** Returns an answer that was requested before the modules were loaded. Each is used once. */
function takeFirst(url: string): Promise<Response> | undefined {
  const asked = globalThis.firstAnswers?.get(url);
  globalThis.firstAnswers?.delete(url);
  return performance.now() < FIRST_MS ? asked : undefined;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export function urlOf(path: string, query: Query = {}): string {
  const url = new URL(path, document.baseURI.replace(/#.*$/, ''));
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value));
  return url.href;
}

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const url = urlOf(path, query);
  return (await answer(takeFirst(url) ?? fetch(url, { ...(signal && { signal }) }))) as T;
}

/** Loads a file. */
export async function getBlob(url: string, signal: AbortSignal): Promise<Blob> {
  const response = await fetch(url, { signal });
  if (!response.ok) await answer(Promise.resolve(response));
  return response.blob();
}

/** Sends a request with a JSON body or without one. */
export async function send<T>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  query: Query = {},
  signal?: AbortSignal,
): Promise<T> {
  const json =
    body === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  return (await answer(fetch(urlOf(path, query), { method, ...json, ...(signal && { signal }) }))) as T;
}
