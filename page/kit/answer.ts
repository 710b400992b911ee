/** Answers of the server, and the messages of its refusals. */

/** An unsuccessful response. Its message is that of the server, or a text for the status. */
import { TEXT } from './text.ts';

export class ApiError extends Error {
  readonly status: number;
  readonly body: unknown;
  /** Milliseconds after which the server expects to answer, from the header Retry-After. */
  readonly retryAfterMs: number | undefined;
  constructor(status: number, message: string, body: unknown, retryAfterMs?: number) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.body = body;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Functions that are called when the server answers 401, because the session has ended. */
const unauthorized = new Set<() => void>();
export function onUnauthorized(onRefusal: () => void): () => void {
  unauthorized.add(onRefusal);
  return () => unauthorized.delete(onRefusal);
}

/** Timeout of a request for a file: milliseconds. */
const ANSWER_MS = 10_000;

/**
 * Returns why the server does not send a file within the timeout. Returns undefined if the server sends it. Only the first byte of the file
 * is requested, and the function does not wait for it.
 */
export async function refusalOf(
  url: string,
  signal: AbortSignal,
  withinMs = ANSWER_MS,
): Promise<ApiError | undefined> {
  const asking = new AbortController();
  const stop = () => asking.abort();
  signal.addEventListener('abort', stop);
  const timer = setTimeout(stop, withinMs);
  try {
    const response = await fetch(url, { headers: { Range: 'bytes=0-0' }, signal: asking.signal });
    if (!response.ok) await answer(Promise.resolve(response));
    return undefined;
  } catch (error) {
    return error instanceof ApiError ? error : new ApiError(0, String(error), undefined);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    // A proxy that ignores the range would send the whole file.
    stop();
  }
}

export async function answer(asked: Promise<Response>): Promise<unknown> {
  let response: Response;
  try {
    response = await asked;
  } catch (error) {
    if (error instanceof DOMException) throw error;
    throw new ApiError(0, TEXT.kit.theServiceCannotBeReached, undefined);
  }
  const text = await response.text();
  const body = parseJson(text);
  if (response.ok) return body;
  if (response.status === 401) for (const onRefusal of unauthorized) onRefusal();
  const { status, headers } = response;
  throw new ApiError(status, messageOf(body) ?? withoutMessage(status), body, retryAfterOf(headers));
}

function retryAfterOf(headers: Headers): number | undefined {
  const seconds = Number(headers.get('Retry-After') ?? NaN);
  return Number.isFinite(seconds) ? seconds * 1_000 : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the message of an answer: `message`, or that of its coreResponse. */
export function messageOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { message, coreResponse } = body as { message?: unknown; coreResponse?: unknown };
  if (typeof message === 'string' && message !== '') return message;
  return messageOf(coreResponse);
}

const withoutMessage = (status: number) =>
  (
    {
      400: TEXT.kit.theServiceDoesNotKnow,
      401: TEXT.kit.youAreNotLoggedIn,
      403: TEXT.kit.youMayNotDoThis,
      404: TEXT.kit.thisDoesNotExistOr,
    } as Readonly<Record<number, string>>
  )[status] ?? TEXT.kit.theServiceAnswered(status);
