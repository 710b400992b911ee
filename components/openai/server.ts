/**
 * A model server that speaks the OpenAI protocol, asked with patience: one that is away is waited for, one that answers with errors is asked again
 * COMPONENT_HTTP_RETRY_MAX_ATTEMPTS times, one that answers nonsense not at all. No error holds the key.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { maskUri } from '../../domain/censor.ts';
import { outgoingAgents, type OutgoingAgents } from '../../egress/agent.ts';
import { exchange, NoAnswer, type Answer } from '../../egress/exchange.ts';
import { DetectionError, type DetectionJob, type ModelServerSettings } from '../sdk/detector.ts';
import type { ServerProperties } from './server-properties.ts';

export interface Question {
  readonly method: 'GET' | 'POST';
  /** Below API_URI, with a slash before it; or a whole URI. */
  readonly path: string;
  readonly body?: string | Buffer;
  readonly contentType?: string;
}

/** An answer of a model of words has some kilobytes. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Characters of what a server says that an error tells. */
const SAID = 300;
/** How often somebody who waits tells that it goes on. */
const TELL_MS = 1_000;
const DENIED: ModelServerSettings = { allowPrivate: false, allowedHosts: [], waitMs: 0 };
const SETTINGS = 'the settings MODEL_SERVER_PRIVATE and MODEL_SERVER_ALLOWED_HOSTS';

/** What came of one request. */
type Outcome =
  | { readonly kind: 'answer'; readonly body: unknown }
  | { readonly kind: 'final'; readonly why: string }
  /** `waitMs`: the server asks for a longer wait. */
  | { readonly kind: 'away' | 'failed'; readonly why: string; readonly waitMs?: number };

export class ModelServer {
  readonly #agents: OutgoingAgents;
  readonly #waitMs: number;

  constructor({ allowPrivate, allowedHosts, waitMs }: ModelServerSettings = DENIED) {
    this.#agents = outgoingAgents({ allowPrivate, allowedHosts, settings: SETTINGS });
    this.#waitMs = waitMs;
  }

  close(): void {
    this.#agents.close();
  }

  /** The JSON of the answer. Errors: NETWORK_ERROR with what to do. */
  async ask(question: Question, server: ServerProperties, job: DetectionJob): Promise<unknown> {
    return this.#patiently(server, job, () => this.#once(question, server, job, false));
  }

  async #patiently(
    server: ServerProperties,
    job: DetectionJob,
    once: () => Promise<Outcome>,
  ): Promise<unknown> {
    let [attempts, delay] = [0, server.firstDelayMs];
    let awaySince: number | undefined;
    for (;;) {
      job.signal.throwIfAborted();
      const outcome = await once();
      if (outcome.kind === 'answer') return outcome.body;
      if (outcome.kind === 'failed') attempts++;
      // It is there, if only to fail.
      awaySince = outcome.kind === 'away' ? (awaySince ?? performance.now()) : undefined;
      const awayMs = awaySince === undefined ? 0 : performance.now() - awaySince;
      if (outcome.kind === 'final' || attempts >= server.attempts || awayMs > this.#waitMs)
        throw failure(outcome.why, server);
      // However long a server asks to be left alone: nobody waits longer than for one that is away.
      const left = Math.max(0, this.#waitMs - awayMs);
      await waited(Math.max(delay, Math.min(outcome.waitMs ?? 0, left)), job);
      delay = Math.min(delay * 2, server.maxDelayMs);
    }
  }

  /** Waits until API_HEALTH_URI answers that all is well; what it answers with does not matter. */
  async healthy(server: ServerProperties, job: DetectionJob): Promise<void> {
    await this.#patiently(server, job, () =>
      this.#once({ method: 'GET', path: server.healthUri }, server, job, true),
    );
  }

  async #once(
    { method, path, body, contentType }: Question,
    server: ServerProperties,
    job: DetectionJob,
    anyBody: boolean,
  ): Promise<Outcome> {
    const url = /^https?:/i.test(path) ? path : `${server.uri}${path}`;
    // The key is for the server that answers questions, wherever API_HEALTH_URI leads.
    const isHome = URL.canParse(url) && new URL(url).origin === new URL(server.uri).origin;
    const telling = setInterval(() => job.working?.(), TELL_MS);
    try {
      const answer = await exchange(this.#agents, {
        method,
        url,
        headers: {
          Accept: 'application/json',
          ...(server.token === '' || !isHome ? {} : { Authorization: `Bearer ${server.token}` }),
        },
        timeoutMs: server.timeoutMs,
        maxBytes: MAX_BYTES,
        signal: job.signal,
        ...(body === undefined ? {} : { body }),
        ...(contentType === undefined ? {} : { contentType }),
      });
      if (anyBody && answer.status === 200) return { kind: 'answer', body: undefined };
      return outcomeOf(
        server.token === '' ? answer : { ...answer, text: answer.text.replaceAll(server.token, '***') },
      );
    } catch (error) {
      job.signal.throwIfAborted();
      if (!(error instanceof NoAnswer)) throw error;
      return withoutAnswer(error);
    } finally {
      clearInterval(telling);
    }
  }
}

function withoutAnswer(error: NoAnswer): Outcome {
  if (error.final) return { kind: 'final', why: error.message };
  const { code } = (error.cause ?? {}) as { code?: string };
  // Who takes a request and is too slow is there.
  return { kind: code === 'ECONNABORTED' ? 'failed' : 'away', why: error.message };
}

function outcomeOf(answer: Answer): Outcome {
  const { status, text, cut } = answer;
  if (status === 200) return bodyOf(text, cut);
  const why = `it answered with status ${status}: ${saidIn(text)}`;
  if (status === 401 || status === 403)
    return { kind: 'final', why: `it does not accept API_TOKEN (status ${status})` };
  const waitMs = waitOf(answer.header('retry-after'));
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

function bodyOf(text: string, cut: boolean): Outcome {
  if (cut) return { kind: 'final', why: `its answer has more than ${MAX_BYTES} bytes` };
  try {
    return { kind: 'answer', body: JSON.parse(text) as unknown };
  } catch {
    const what = /^\s*</.test(text) ? 'a web page' : 'no JSON';
    return {
      kind: 'final',
      why: `it answered with ${what}; API_URI must be the address of an OpenAI interface, which mostly ends in /v1`,
    };
  }
}

/** What the server says is wrong, without what might steer a terminal. */
function saidIn(text: string): string {
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

function failure(why: string, { uri, token }: ServerProperties): DetectionError {
  const message = `The model server ${maskUri(uri)} could not be used: ${why}.`;
  return new DetectionError('NETWORK_ERROR', token === '' ? message : message.replaceAll(token, '***'));
}

async function waited(ms: number, { signal, working }: DetectionJob): Promise<void> {
  const until = performance.now() + ms;
  for (let left = ms; left > 0; left = until - performance.now()) {
    await sleep(Math.min(left, TELL_MS), undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
    working?.();
  }
}
