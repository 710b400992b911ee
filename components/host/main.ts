/**
 * A component process. The first line of standard input says what it is and where the server is. It loads the detector (or the media
 * component) once and works until its parent ends or tells it to stop.
 */
import { register } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import type { AccessOptions } from '../sdk/connection/access.ts';
import { WorkerClient } from '../sdk/connection/client.ts';
import type {
  Detector,
  LoadDetector,
  LoadMarkup,
  MarkupComponent,
  ModelServerSettings,
  ModelSettings,
} from '../sdk/detector.ts';
import { secondThread } from '../sdk/work/heartbeat.ts';
import { MediaCache } from '../sdk/media/media-cache.ts';
import { streamQueue, streamTasksQueue } from '../../protocol/streams.ts';
import { runWorker, type WorkerOptions } from '../sdk/work/worker.ts';

/** The first line of standard input, which the server writes. */
type Bootstrap = {
  readonly serverUrl: string;
  readonly token: AccessOptions;
  /** Where media are kept that are not on this host. */
  readonly mediaCache?: { readonly folder?: string; readonly bytes?: number };
  readonly models?: Partial<ModelSettings>;
  readonly modelServers?: ModelServerSettings;
} & (
  | {
      readonly kind: 'detector';
      readonly module: string;
      readonly algorithm: string;
      /** It watches live streams, and does nothing else. */
      readonly stream?: boolean;
      /** Modules of other detectors that can watch a stream together with this one, by algorithm. */
      readonly others?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'media' | 'transfers'; readonly algorithms: readonly string[] }
);

/** Of media that are kept of servers whose files this host does not see. */
const MEDIA_CACHE_BYTES = 10_000_000_000;

const MODELS: ModelSettings = { roots: [], loaded: 2, checkMs: 60_000 };

/** Downloads and uploads at a time: each waits for the network. */
const TRANSFERS = 256;

/** Time to give work back before the process ends, once its parent is gone or asks it to. */
const LAST_WORDS_MS = 1_500;

/**
 * FFmpeg's binding does not give back some 0.18 MB of a connection over HTTP. A camera that breaks off every few seconds makes so many
 * of them in an hour, and 50 MB of memory.
 */
const MOST_CONNECTIONS = 300;

// A detector can hold up this thread for ever; then the second one ends the process when its parent is gone.
const thread = secondThread({ parent: process.ppid });
thread.unref();

/** Everything that was built with this host lies below. */
const PRODUCT = new URL('../../', import.meta.url).href;

const stop = new AbortController();
const log = (message: string) => process.stderr.write(`${message}\n`);

process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => end('stopping on request'));

const input = createInterface({ input: process.stdin });
input.once('line', (line) => {
  void main(JSON.parse(line) as Bootstrap).then(
    () => process.exit(0),
    (error: unknown) => {
      log(error instanceof Error ? (error.stack ?? error.message) : String(error));
      process.exit(1);
    },
  );
});
process.stdin.on('end', () => end('the server has stopped'));
process.stdin.on('error', () => end('the server has stopped'));

function end(why: string): void {
  if (stop.signal.aborted) return;
  stop.abort(new Error(why));
  // The event loop may be held up by a detector: then the process ends without last words.
  setTimeout(() => process.exit(0), LAST_WORDS_MS);
}

async function main(bootstrap: Bootstrap): Promise<void> {
  if (bootstrap.kind === 'transfers') return transfer(bootstrap);
  const component = bootstrap.kind === 'detector' ? await load(bootstrap) : undefined;
  const handle =
    component === undefined
      ? (await import('../builtin/media/handle.ts')).handleMediaWork
      : await handlerOf(component);
  const client = new WorkerClient(bootstrap.serverUrl, bootstrap.token);
  const algorithms = queuesOf(bootstrap);
  const watchStream = await watcherOf(bootstrap, component);
  const cache = cacheOf(bootstrap, client);
  const worker = { client, algorithms, thread, signal: stop.signal, handle, log };
  await runWorker({ ...worker, ...cache, ...watchStream });
  await component?.close?.();
}

async function transfer({
  serverUrl,
  token,
  algorithms,
}: Extract<Bootstrap, { readonly kind: 'media' | 'transfers' }>): Promise<void> {
  const [{ handleTransfer: handle }, { SideWorker }] = await Promise.all([
    import('../builtin/media/handle.ts'),
    import('../sdk/work/side-by-side.ts'),
  ]);
  const client = new WorkerClient(serverUrl, token);
  await new SideWorker({ client, algorithms, places: TRANSFERS, signal: stop.signal, log, handle }).run();
}

/** The media component works beside the server. */
function cacheOf(
  { kind, mediaCache: given = {} }: Bootstrap,
  client: WorkerClient,
): Pick<WorkerOptions, 'cache'> {
  if (kind !== 'detector') return {};
  const folder = given.folder ?? join(tmpdir(), `troupe-media-${userInfo().uid}`);
  const maxBytes = given.bytes ?? MEDIA_CACHE_BYTES;
  return { cache: new MediaCache({ folder, maxBytes, client, log }) };
}

function queuesOf(bootstrap: Bootstrap): readonly string[] {
  if (bootstrap.kind !== 'detector') return bootstrap.algorithms;
  const { algorithm, stream, others } = bootstrap;
  if (stream !== true) return [algorithm];
  return others === undefined
    ? [streamQueue(algorithm)]
    : [streamQueue(algorithm), streamTasksQueue(algorithm)];
}

/** The reader of live video is loaded by those who watch streams alone. */
async function watcherOf(
  bootstrap: Bootstrap,
  component: Detector | MarkupComponent | undefined,
): Promise<Pick<WorkerOptions, 'watchStream'>> {
  if (bootstrap.kind !== 'detector' || bootstrap.stream !== true) return {};
  if (component === undefined || 'markup' in component) return {};
  const [{ watchStream }, { openLive }] = await Promise.all([
    import('./stream.ts'),
    import('../../media/live/live-frames.ts'),
  ]);
  const renewal = { after: MOST_CONNECTIONS, leave: () => end('many connections') };
  const detectorOf = detectorsBeside(bootstrap, component);
  return {
    watchStream: (assignment, context) => watchStream(detectorOf, assignment, context, openLive, renewal),
  };
}

/** Detectors of a stream with several actions, each loaded when it is first asked for. */
function detectorsBeside(
  bootstrap: Bootstrap & { readonly kind: 'detector' },
  own: Detector,
): (algorithm: string) => Promise<Detector> {
  const loaded = new Map([[bootstrap.algorithm, Promise.resolve(own)]]);
  return (algorithm) => {
    const known = loaded.get(algorithm);
    if (known !== undefined) return known;
    const module = bootstrap.others?.[algorithm];
    if (module === undefined) throw new Error(`This component cannot load the detector of ${algorithm}.`);
    const detector = load({ ...bootstrap, module }).then((one) => one as Detector);
    loaded.set(algorithm, detector);
    return detector;
  };
}

async function load({
  module,
  models,
  modelServers,
}: Bootstrap & { readonly kind: 'detector' }): Promise<Detector | MarkupComponent> {
  const url = pathToFileURL(module).href;
  if (!url.startsWith(PRODUCT)) {
    register('./sdk-of-server.js', import.meta.url);
    // Errors name lines of what its author wrote. The product itself has no such maps, and to look for them slows each start.
    process.setSourceMapsEnabled(true);
  }
  const loaded = (await import(url)) as { default?: unknown };
  if (typeof loaded.default !== 'function')
    throw new Error(
      `${module} has no default export that is a function. Export a function that returns the detector.`,
    );
  return (loaded.default as LoadDetector | LoadMarkup)({
    models: { ...MODELS, ...models },
    ...(modelServers === undefined ? {} : { modelServers }),
  });
}

async function handlerOf(component: Detector | MarkupComponent): Promise<WorkerOptions['handle']> {
  const { detect } = await import('./detect.ts');
  return (assignment, context) => {
    if (assignment.kind === 'DETECT' && !('markup' in component))
      return detect(component, assignment.work, context);
    if (assignment.kind === 'MARKUP' && 'markup' in component)
      return component.markup(assignment.work, context);
    throw new Error(`This component cannot do ${assignment.kind}.`);
  };
}
