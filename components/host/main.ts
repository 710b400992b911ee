/**
 * A component process. The first line of standard input contains its configuration, including the server's address. It loads the detector
 * (or the media component) once, and works until its parent ends or stops it.
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
  /** Cache for media that are not on this host. */
  readonly mediaCache?: { readonly folder?: string; readonly bytes?: number };
  readonly models?: Partial<ModelSettings>;
  readonly modelServers?: ModelServerSettings;
  /** Socket of the process that runs networks for this one. */
  readonly networks?: string;
} & (
  | {
      readonly kind: 'detector';
      readonly module: string;
      readonly algorithm: string;
      /** True if the process only watches live streams. */
      readonly stream?: boolean;
      /** Modules of other detectors, by algorithm, that watch a stream together with this one. */
      readonly others?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'media' | 'transfers'; readonly algorithms: readonly string[] }
);

/** Default size of the cache for media of remote servers. */
const MEDIA_CACHE_BYTES = 10_000_000_000;

const MODELS: ModelSettings = { roots: [], loaded: 2, checkMs: 60_000 };

/** Maximum number of concurrent downloads and uploads, which mostly wait for the network. */
const TRANSFERS = 256;

/** Timeout for giving work back, after the parent ended or requested a stop. */
const RELEASE_MS = 1_500;

/**
 * Maximum number of HTTP connections before the process is replaced. FFmpeg's binding leaks about 0.18 MB per connection. A camera that
 * disconnects every few seconds causes this many connections, and 50 MB of memory, in an hour.
 */
const MOST_CONNECTIONS = 300;

// A detector can block this thread forever. Then the second thread ends the process when the parent is dead.
const thread = secondThread({ parent: process.ppid });
thread.unref();

/** Folder of all code that was built with this host. */
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
  // A detector may block the event loop. Then the process ends without giving work back.
  setTimeout(() => process.exit(0), RELEASE_MS);
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

/** Returns the cache. The media component needs none, because it runs beside the server. */
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

/** Loads the reader of live video only in processes that watch streams. */
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

/** Returns the detectors of a stream with several actions. Each is loaded on first use. */
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
  networks,
}: Bootstrap & { readonly kind: 'detector' }): Promise<Detector | MarkupComponent> {
  const url = pathToFileURL(module).href;
  if (!url.startsWith(PRODUCT)) {
    register('./sdk-of-server.js', import.meta.url);
    // Source maps show lines of the author's code. The product has no such maps, and searching for them slows down each start.
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
    ...(networks === undefined ? {} : { networks }),
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
