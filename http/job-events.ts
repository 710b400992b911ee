import { PassThrough } from 'node:stream';
import type Router from '@koa/router';
import type { Context } from 'koa';
import type { JobWatch } from '../actors/views/job-watch.ts';
import { jobNumber, type JobProgressEvent } from '../actors/views/jobs.ts';
import { empty, overloaded } from './errors.ts';

export interface JobEventDeps {
  readonly watch: JobWatch;
  readonly events: {
    /** Open streams of all clients at most. */
    readonly maxStreams: number;
    /** Time between two signs of life. */
    readonly heartbeatMs: number;
  };
}

/** Time after which a client comes again when its stream broke off. */
const RETRY_MS = 2_000;

/** Server-sent events of a job (ours): how it stands at once, then every change, then the end of the stream. */
export function jobEventRoutes(router: Router, deps: JobEventDeps): void {
  const open = new Set<EventStream>();
  router.get('/rest/jobs/:id/events', (ctx) => events(ctx, deps, open));
  // There are no streaming jobs.
  router.get('/rest/streaming/jobs/:id/events', (ctx) => empty(ctx, 400));
}

async function events(
  ctx: Context,
  { watch, events: limits }: JobEventDeps,
  open: Set<EventStream>,
): Promise<void> {
  const id = jobNumber((ctx['params'] as { id: string }).id);
  if (id === null) return empty(ctx, 400);
  if (open.size >= limits.maxStreams)
    throw overloaded(
      `There are ${limits.maxStreams} event streams already (MAX_EVENT_STREAMS); try again later.`,
    );
  const stream = new EventStream(lastId(ctx), limits.heartbeatMs);
  open.add(stream);
  stream.body.once('close', () => open.delete(stream));
  const leave = await watch.watch(id, stream).catch((error: unknown) => {
    stream.body.destroy();
    throw error;
  });
  if (leave === undefined) {
    stream.body.destroy();
    return empty(ctx, 400);
  }
  stream.body.once('close', leave);
  // Whoever has hung up in the meantime is known only by this.
  if (ctx.res.destroyed) stream.body.destroy();
  if (stream.body.destroyed) leave();
  ctx.type = 'text/event-stream';
  ctx.set('Cache-Control', 'no-store, no-transform');
  ctx.set('X-Accel-Buffering', 'no');
  ctx.body = stream.body;
}

/** A client that comes again goes on counting. */
function lastId(ctx: Context): number {
  const given = ctx.get('last-event-id');
  return /^\d{1,15}$/.test(given) ? Number(given) : 0;
}

/** One client's stream. A client that reads slowly misses what is out of date by then, and never makes the server keep more. */
class EventStream {
  readonly body = new PassThrough();
  #id: number;
  /** Written when the client has read what is under way. */
  #latest: JobProgressEvent | undefined;
  #over = false;
  /** It has not read anything since the last sign of life. */
  #stuck = false;

  constructor(id: number, heartbeatMs: number) {
    this.#id = id;
    this.body.write(`retry: ${RETRY_MS}\n\n`);
    const beat = setInterval(() => this.#beat(), heartbeatMs).unref();
    this.body.on('drain', () => this.#flush());
    // A client that hangs up is no error.
    this.body.on('error', () => undefined);
    this.body.once('close', () => clearInterval(beat));
  }

  seen(event: JobProgressEvent): void {
    this.#latest = event;
    this.#flush();
  }

  ended(): void {
    this.#over = true;
    this.#flush();
  }

  #flush(): void {
    if (this.body.destroyed || this.body.writableEnded || this.body.writableNeedDrain) return;
    this.#stuck = false;
    if (this.#latest !== undefined)
      this.body.write(`id: ${++this.#id}\nevent: job\ndata: ${JSON.stringify(this.#latest)}\n\n`);
    this.#latest = undefined;
    if (this.#over) this.body.end();
  }

  #beat(): void {
    if (!this.body.writableNeedDrain && !this.body.writableEnded) this.body.write(': \n\n');
    else if (this.#stuck) this.body.destroy();
    else this.#stuck = true;
  }
}
