/** Sends callbacks and archive posts with one attempt each, and decides whether a retry may succeed. */
import { secretsFor, webhookHeaders, type ReceiverSecrets } from '../domain/job/webhook.ts';
import type { OutgoingAgents } from './http/agent.ts';
import { sendCallback } from './http/callback-request.ts';
import type { Answer } from './http/exchange.ts';
import { NoAnswer } from './http/no-answer.ts';
import type { Failure, Outcome, OutgoingRequest, Send } from './request.ts';
import { NoToken, type ServiceToken } from './service-token.ts';

export interface SendDeps {
  readonly agents: OutgoingAgents;
  readonly token: ServiceToken;
  readonly secrets: readonly ReceiverSecrets[];
  /** Timeout of the whole request in milliseconds. */
  readonly timeoutMs: number;
  /** Version of the product, for the User-Agent. */
  readonly version: string;
}

const MAX_ANSWER_BYTES = 64 * 1024;
/** Characters of the receiver's answer in an error. */
const EXCERPT = 200;
/**
 * Statuses of a receiver that accepts nothing now. 500 is not among them: it may concern only some requests, and the others must not wait
 * for it.
 */
const OVERLOADED = [408, 425, 429, 502, 503, 504];

export function createSend(deps: SendDeps): Send {
  return async (request, signal) => {
    try {
      return await attempt(deps, request, signal);
    } catch (error) {
      if (error instanceof NoToken) return failure('service', error.message);
      if (error instanceof NoAnswer)
        return failure(error.final ? 'request' : 'receiver', error.message, error.final);
      return failure('service', error instanceof Error ? error.message : String(error));
    }
  };
}

async function attempt(deps: SendDeps, request: OutgoingRequest, signal: AbortSignal): Promise<Outcome> {
  const token = request.addToken ? await deps.token.get() : undefined;
  const body = request.method === 'GET' ? undefined : (request.text ?? JSON.stringify(request.body));
  const answer = await sendCallback(deps.agents, {
    method: request.method,
    url: request.url,
    headers: {
      ...request.headers,
      'User-Agent': `Troupe/${deps.version}`,
      'Idempotency-Key': request.idempotencyKey,
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...signatureOf(deps, request, body),
    },
    ...(body === undefined ? {} : { body }),
    timeoutMs: deps.timeoutMs,
    maxBytes: MAX_ANSWER_BYTES,
    signal,
  });
  // The next attempt requests a new token.
  if (answer.status === 401 && token !== undefined) deps.token.drop(token);
  return outcomeOf(answer, request, token);
}

function signatureOf({ secrets }: SendDeps, { webhook, url }: OutgoingRequest, body = '') {
  if (webhook === undefined) return {};
  const own = webhook.secrets ?? secretsFor(url, secrets);
  return webhookHeaders({ id: webhook.id, at: Date.now(), body, secrets: own });
}

function outcomeOf(answer: Answer, { finalAnswer }: OutgoingRequest, token: string | undefined): Outcome {
  const { status } = answer;
  if (status >= 200 && status < 300) return { kind: 'sent', status };
  if (status >= 300 && status < 400)
    return {
      ...failure(
        'request',
        `the receiver answered with status ${status}, and redirections are not followed: give the address that it leads to`,
        isFinal(status, false),
      ),
      status,
    };
  const excerpt = shorten(token === undefined ? answer.text : answer.text.replaceAll(token, '***'));
  const reason = `the receiver answered with status ${status}${excerpt === '' ? '' : `: ${excerpt}`}`;
  const trouble = OVERLOADED.includes(status) ? 'receiver' : 'request';
  const hopeless = finalAnswer !== undefined && answer.text.includes(finalAnswer);
  const final = hopeless || isFinal(status, token !== undefined);
  const wait = status === 429 || status === 503 ? retryAfter(answer.header('retry-after')) : undefined;
  return {
    ...failure(trouble, reason, final),
    status,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
}

const failure = (trouble: Failure['trouble'], reason: string, final = false): Failure => ({
  kind: 'failed',
  reason,
  trouble,
  final,
});

/** Statuses of temporary refusals: an expired token, or a receiver that is busy, locked or not the intended one. */
const PASSING = [408, 409, 421, 423, 425, 429];

/** True if the same request will never be accepted: a refusal, or a permanently moved address. */
function isFinal(status: number, withToken: boolean): boolean {
  if (status === 301 || status === 308) return true;
  if (status === 401 && withToken) return false;
  return status >= 400 && status < 500 && !PASSING.includes(status);
}

/** In one line, without control characters. */
function shorten(text: string): string {
  const line = text
    .slice(0, 4 * EXCERPT)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  return line.length > EXCERPT ? `${line.slice(0, EXCERPT - 3)}...` : line;
}

/** Wait in milliseconds. The header has seconds or a date. */
function retryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
