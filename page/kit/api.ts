/** Requests to the server. Addresses are relative to the page, so that they work behind any proxy. */
import { answer } from './answer.ts';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export function urlOf(path: string, query: Query = {}): string {
  const url = new URL(path, document.baseURI.replace(/#.*$/, ''));
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value));
  return url.href;
}

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return (await answer(fetch(urlOf(path, query), { ...(signal && { signal }) }))) as T;
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
