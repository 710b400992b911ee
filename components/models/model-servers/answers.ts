/** Interprets answers of model servers, independent of the protocol, and checks their addresses. */
import type { Answer } from '../../../egress/http/exchange.ts';
import { HttpClient } from '../../../egress/http/http-client.ts';
import { NoAnswer } from '../../../egress/http/no-answer.ts';
import type { ModelServerSettings } from '../../sdk/detector.ts';
import type { Outcome } from './outcome.ts';

/** Maximum length of a server's message in an error. */
const SAID = 300;
/** Rules without settings. */
export const DENIED: ModelServerSettings = { allowPrivate: false, allowedHosts: [], waitMs: 0 };
const SETTINGS = 'the settings MODEL_SERVER_PRIVATE and MODEL_SERVER_ALLOWED_HOSTS';

export const modelServerClient = ({ allowPrivate, allowedHosts }: ModelServerSettings): HttpClient =>
  new HttpClient({ allowPrivate, allowedHosts, settings: SETTINGS });

type Refused = Exclude<Outcome<never>, { readonly kind: 'answer' }>;

/** Interprets a missing answer. Rethrows errors that are not of the network. */
export function withoutAnswer(error: unknown): Refused {
  if (!(error instanceof NoAnswer)) throw error;
  if (error.final) return { kind: 'final', why: error.message };
  // A server that accepts a request but answers too late is available.
  return { kind: error.code === 'LATE' ? 'failed' : 'away', why: error.message };
}

/** Interprets an answer with a status other than 200. */
export function refusalOf({ status, text, header }: Answer): Refused {
  const why = `it answered with status ${status}: ${saidIn(text)}`;
  if (status === 401 || status === 403)
    return { kind: 'final', why: `it does not accept API_TOKEN (status ${status})` };
  const waitMs = waitOf(header('retry-after'));
  if ([502, 503, 504].includes(status)) return { kind: 'away', why, waitMs };
  return status >= 500 || [408, 409, 425, 429].includes(status)
    ? { kind: 'failed', why, waitMs }
    : { kind: 'final', why };
}

/** Reads Retry-After, which is in seconds or a date. */
function waitOf(header: string | undefined): number {
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header ?? '') - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}

/** Returns the server's error message without control characters, which could control a terminal. */
export function saidIn(text: string): string {
  let said = text;
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } | string | null };
    const told = typeof error === 'object' ? error?.message : error;
    if (typeof told === 'string') said = told;
  } catch {
    // The text is not JSON and is used unchanged.
  }
  const clean = said.replaceAll(/\p{Cc}+/gu, ' ').trim();
  return clean === '' ? 'nothing more' : clean.slice(0, SAID);
}

/** Returns a text with the key replaced. An empty key is no key. */
export const withoutKey = (text: string, key: string): string =>
  key === '' ? text : text.replaceAll(key, '***');

/** Removes slashes from the end of an address. */
export function withoutSlash(uri: string): string {
  let end = uri.length;
  while (uri[end - 1] === '/') end--;
  return uri.slice(0, end);
}
