import { setTimeout as sleep } from 'node:timers/promises';
import { ProtocolError, WorkerClient } from './client.ts';
import { failureOf, messageOf } from './failure.ts';
import { Heartbeat } from './heartbeat.ts';
import { runStream, type StreamWorkerOptions } from './stream-worker.ts';
import type { Assignment, SubJobAssignment } from '../../protocol/worker-protocol.ts';
import type { WorkContext } from './work-context.ts';

export interface WorkerOptions extends StreamWorkerOptions {
  readonly algorithms: readonly string[];
  /** Ends the loop; a sub-job in hand is given back. */
  readonly signal: AbortSignal;
  /** Turns one sub-job into the body of its answer; throws a DetectionError (or any error) to fail it. */
  handle(assignment: SubJobAssignment, context: WorkContext): AsyncIterable<string | Uint8Array>;
}

/** Results up to this many bytes are sent in one piece, and again when the server was busy; larger ones are streamed. */
const WHOLE_BYTES = 8 * 1024 * 1024;
const POLL_MS = 25_000;
const MAX_PAUSE_MS = 5_000;

/** Claims and works until the signal; one sub-job at a time. */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { client } = options;
  const heartbeat = new Heartbeat(client);
  try {
    await claimAndWork(options, heartbeat);
  } finally {
    await heartbeat.close();
  }
}

async function claimAndWork(options: WorkerOptions, heartbeat: Heartbeat): Promise<void> {
  const { client, algorithms, signal } = options;
  let pause = 100;
  while (!signal.aborted) {
    try {
      const work = await client.claim({ algorithms, max: 1, waitMs: POLL_MS }, signal);
      pause = 100;
      const todo = [...work];
      for (let next = todo.shift(); next !== undefined; next = todo.shift())
        if (next.kind === 'STREAM') await runStream(next, options, heartbeat);
        else todo.push(...(await runOne(next, options, heartbeat)));
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ProtocolError && (error.status === 401 || error.status === 403)) throw error;
      options.log(`no work: ${messageOf(error)}`);
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      pause = Math.min(pause * 2, MAX_PAUSE_MS);
    }
  }
}

/** Answers what else there was to do when the server took the answer. */
async function runOne(
  assignment: SubJobAssignment,
  options: WorkerOptions,
  heartbeat: Heartbeat,
): Promise<readonly Assignment[]> {
  const { client } = options;
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, options.signal]);
  heartbeat.begin(assignment, (why) => stop.abort(new Error(why)));
  try {
    signal.throwIfAborted();
    const body = options.handle(assignment, {
      signal,
      progress: (done, total) => heartbeat.progress(done, total),
      input: (path) => client.input(path),
    });
    return await answer(options, assignment, body, signal);
  } catch (error) {
    await giveUp(client, assignment, error, signal).catch((failed: unknown) =>
      options.log(`${assignment.id}: ${messageOf(failed)}`),
    );
    return [];
  } finally {
    heartbeat.end();
  }
}

/** Small answers are collected and sent whole; once one has grown large, the rest of it is streamed. */
async function answer(
  { client, algorithms }: WorkerOptions,
  { token }: Assignment,
  body: AsyncIterable<string | Uint8Array>,
  signal: AbortSignal,
): Promise<readonly Assignment[]> {
  const parts: Buffer[] = [];
  let size = 0;
  const iterator = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await iterator.next();
      signal.throwIfAborted();
      if (done === true) return await client.result(token, Buffer.concat(parts), algorithms);
      const part = Buffer.from(value as Uint8Array);
      parts.push(part);
      size += part.length;
      if (size > WHOLE_BYTES) return await client.result(token, rest(parts, iterator, signal), algorithms);
    }
  } finally {
    // Whoever stops early lets the handler close what it has open.
    await iterator.return?.();
  }
}

async function* rest(
  parts: readonly Buffer[],
  iterator: AsyncIterator<string | Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<string | Uint8Array> {
  yield* parts;
  for (;;) {
    const { done, value } = await iterator.next();
    signal.throwIfAborted();
    if (done === true) return;
    yield value;
  }
}

/** Work that was stopped or could not be handed over is given back; work that failed is said to have failed. */
async function giveUp(
  client: WorkerClient,
  { token }: Assignment,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted || isTransport(error)) {
    await client.release(token).catch((failed: unknown) => {
      if (!(failed instanceof ProtocolError && failed.status === 409)) throw failed;
    });
    return;
  }
  await client.failure(token, failureOf(error));
}

/** What Node says of a connection that broke, or did not come about. */
const BROKEN_CONNECTION: ReadonlySet<unknown> = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** The server is away or busy: somebody else may hand the same work over later. Any other refusal is final. */
function isTransport(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.status === 503 || error.status === 409;
  return BROKEN_CONNECTION.has((error as { code?: unknown }).code);
}
