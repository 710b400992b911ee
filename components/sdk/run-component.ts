/** Runs a component from its own folder on any host: registers it at a server and restarts its processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Access, type AccessOptions } from './connection/access.ts';
import { exchange } from '../../egress/node-http.ts';
import { messageOf, ProtocolError } from './failure.ts';
import { patiently } from './connection/retry.ts';

/** Options of a component on a separate host. */
export interface RunComponentOptions {
  /** Folder with `descriptor.json` and the compiled detector, which the descriptor names as `batchLibrary`. */
  readonly folder: string;
  readonly serverUrl: string;
  /** A token, or the client of an OpenID Connect provider. The client's credentials are used to get and renew tokens. */
  readonly access: AccessOptions;
  /** Number of processes for batch jobs; 1 if undefined. */
  readonly processes?: number;
  /** Number of processes for live streams, with one stream each; 0 if undefined. */
  readonly streams?: number;
  /** Cache for media that are not on this host: its folder and maximum size (10 GB). */
  readonly mediaCache?: { readonly folder?: string; readonly bytes?: number };
  /** Ends the component, like SIGTERM and SIGINT. */
  readonly signal?: AbortSignal;
  log?(message: string): void;
}

interface Descriptor {
  readonly batchLibrary?: string;
  readonly algorithm: { readonly name: string };
}

const HOST = fileURLToPath(new URL('../host/main.js', import.meta.url));
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Minimum life of a process that is restarted at once. */
const LIVED_MS = 60_000;
/** Timeout after SIGTERM. */
const STOP_MS = 5_000;

export async function run(options: RunComponentOptions): Promise<void> {
  const { folder, processes = 1, streams = 0, signal } = options;
  const written = await readFile(resolve(folder, 'descriptor.json'), 'utf8');
  const descriptor = JSON.parse(written) as Descriptor;
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once('SIGTERM', end).once('SIGINT', end);
  signal?.addEventListener('abort', end);
  if (signal?.aborted === true) end();
  try {
    await patiently(() => register(options, written), stop.signal);
    const kinds = Array.from({ length: processes + streams }, (_, n) => ({ stream: n >= processes }));
    const running = kinds.map((kind) =>
      keptUp(options, { ...bootstrapOf(options, descriptor), ...kind }, stop.signal),
    );
    await Promise.all(running);
  } finally {
    process.off('SIGTERM', end).off('SIGINT', end);
    signal?.removeEventListener('abort', end);
  }
}

async function register({ serverUrl, access }: RunComponentOptions, descriptor: string): Promise<void> {
  const answer = await exchange(false, `${serverUrl.replace(/\/$/, '')}/rest/components/registerUnmanaged`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await new Access(access).bearer()}`,
      'content-type': 'application/json',
    },
    body: descriptor,
  });
  const { statusCode = 0 } = answer;
  const said = await text(answer);
  if (statusCode < 200 || statusCode > 299)
    throw new ProtocolError(
      statusCode,
      `The component was not registered: ${statusCode} ${said.slice(0, 500)}`,
    );
}

function bootstrapOf({ folder, serverUrl, access, mediaCache }: RunComponentOptions, descriptor: Descriptor) {
  const library = descriptor.batchLibrary ?? 'dist/detector.js';
  const module = resolve(folder, library.endsWith('.js') ? library : `${library}.js`);
  const { name: algorithm } = descriptor.algorithm;
  const cache = mediaCache === undefined ? {} : { mediaCache };
  return { kind: 'detector', module, algorithm: algorithm.toUpperCase(), serverUrl, token: access, ...cache };
}

/** Restarts the process when it ends. The pause grows each time that it ends early. */
async function keptUp({ log }: RunComponentOptions, bootstrap: object, stop: AbortSignal): Promise<void> {
  let pause = FIRST_PAUSE_MS;
  while (!stop.aborted) {
    const began = performance.now();
    const why = await oneLife(bootstrap, stop).catch(messageOf);
    if (stop.aborted) return;
    if (performance.now() - began > LIVED_MS) pause = FIRST_PAUSE_MS;
    log?.(`A process of the component has ended (${why}); the next one starts in ${pause / 1_000} s.`);
    await sleep(pause, undefined, { signal: stop }).catch(() => undefined);
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  }
}

/** Runs the process once. Its standard input stays open, so the process ends when this one is gone. */
async function oneLife(bootstrap: object, stop: AbortSignal): Promise<string> {
  const child = spawn(process.execPath, [HOST], { stdio: ['pipe', 'inherit', 'inherit'] });
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  // If the process ends at once, writing to it fails. Its exit is handled below.
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${JSON.stringify(bootstrap)}\n`);
  let last: NodeJS.Timeout | undefined;
  const end = () => {
    child.kill('SIGTERM');
    last = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  };
  stop.addEventListener('abort', end);
  if (stop.aborted) end();
  const [code, killed] = await ended;
  stop.removeEventListener('abort', end);
  clearTimeout(last);
  return killed ?? `exit code ${code}`;
}
