/** What answers of model servers mean, whatever they were asked, and where such servers may be. */
import type { Answer } from '../../../egress/http/exchange.ts';
import { HttpClient } from '../../../egress/http/http-client.ts';
import { NoAnswer } from '../../../egress/http/no-answer.ts';
import type { ModelServerSettings } from '../../sdk/detector.ts';
import type { Outcome } from './outcome.ts';

/** Characters of what a server says that an error tells. */
const SAID = 300;
/** Without given settings. */
export const DENIED: ModelServerSettings = { allowPrivate: false, allowedHosts: [], waitMs: 0 };
const SETTINGS = 'the settings MODEL_SERVER_PRIVATE and MODEL_SERVER_ALLOWED_HOSTS';

export const modelServerClient = ({ allowPrivate, allowedHosts }: ModelServerSettings): HttpClient =>
  new HttpClient({ allowPrivate, allowedHosts, settings: SETTINGS });

type Refused = Exclude<Outcome<never>, { readonly kind: 'answer' }>;

/** What it means that there was no answer. Errors: all that are none of the network. */
export function withoutAnswer(error: unknown): Refused {
  if (!(error instanceof NoAnswer)) throw error;
  if (error.final) return { kind: 'final', why: error.message };
  // Who takes a request and is too slow is there.
  return { kind: error.code === 'LATE' ? 'failed' : 'away', why: error.message };
}

/** What an answer with another status than 200 means. */
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

/** Retry-After: seconds, or a date. */
function waitOf(header: string | undefined): number {
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header ?? '') - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}

/** What the server says is wrong, without what might steer a terminal. */
export function saidIn(text: string): string {
  let said = text;
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } | string | null };
    const told = typeof error === 'object' ? error?.message : error;
    if (typeof told === 'string') said = told;
  } catch {
    // It is told as it is.
  }
  const clean = said.replaceAll(/\p{Cc}+/gu, ' ').trim();
  return clean === '' ? 'nothing more' : clean.slice(0, SAID);
}

/** A text that holds no key; an empty key is none. */
export const withoutKey = (text: string, key: string): string =>
  key === '' ? text : text.replaceAll(key, '***');

/** An address without the slashes at its end. */
export function withoutSlash(uri: string): string {
  let end = uri.length;
  while (uri[end - 1] === '/') end--;
  return uri.slice(0, end);
}
