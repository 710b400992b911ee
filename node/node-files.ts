/**
 * Files in a node's own folder, with which it can run without its server: the configuration, the memory of its services, its token, and the
 * number of its last start.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { NodeConfiguration } from '../actors/node-gateway/messages.ts';
import type { KeptMemory } from '../actors/service/memory.ts';
import { memoryOf, NEW_SERVICE, fromMemory, type ServiceMemory } from '../actors/service/state.ts';
import type { Logger } from '../config/logger.ts';
import { PART, writeWholeSync } from '../files/part-file.ts';
import { identityOf } from '../processes/process-notes.ts';

const start = z.object({ instance: z.string(), pid: z.number(), process: z.string().nullable() });
const memories = z.record(z.string(), z.object({ restartCount: z.number(), stopped: z.boolean() }));
const configuration = z.object({
  version: z.string(),
  services: z.array(
    z.object({
      serviceName: z.string(),
      serviceDescription: z.string(),
      serviceLauncher: z.enum(['simple', 'generic']),
      cmd: z.string(),
      args: z.array(z.string()),
      serviceCount: z.number(),
      workingDirectory: z.string(),
      environmentVariables: z.array(
        z.object({ name: z.string(), value: z.string(), sep: z.string().optional() }),
      ),
    }),
  ),
  queues: z.record(z.string(), z.array(z.string())),
});

const drainOrder = z.object({ withinMs: z.number() });

/** Error: another node uses the same folder. */
export class FolderHeld extends Error {}

export class NodeFiles {
  readonly #folder: string;
  readonly #logger: Logger;
  readonly #memories: Map<string, ServiceMemory>;
  #configuration: NodeConfiguration | undefined;

  constructor(dataDir: string, logger: Logger) {
    this.#folder = path.join(dataDir, 'node');
    this.#logger = logger;
    // The folder contains passwords of services.
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#memories = new Map(Object.entries(this.#read('services.json', memories) ?? {}));
    this.#configuration = this.#read('configuration.json', configuration);
  }

  /** The ids of this start of the node and of the one before it. @throws FolderHeld */
  begin(): { readonly instance: string; readonly formerly: string | null } {
    const before = this.#read('start.json', start);
    rmSync(path.join(this.#folder, 'drain.json'), { force: true });
    if (before?.process != null && before.pid !== process.pid && identityOf(before.pid) === before.process)
      throw new FolderHeld(
        `Another node works in ${path.dirname(this.#folder)} (process ${before.pid}): stop that one, or set DATA_DIR to another folder.`,
      );
    const instance = randomBytes(16).toString('base64url');
    this.#write('start.json', { instance, pid: process.pid, process: identityOf(process.pid) ?? null });
    return { instance, formerly: before?.instance ?? null };
  }

  /** The node that runs in this folder. Undefined if none does. */
  get running(): { readonly pid: number; readonly identity: string } | undefined {
    const last = this.#read('start.json', start);
    const isThere = last?.process != null && identityOf(last.pid) === last.process;
    return isThere ? { pid: last.pid, identity: last.process! } : undefined;
  }

  /** Time limit of a drain that another process has requested. Undefined if there is no request. */
  takeDrainOrder(): number | undefined {
    const order = this.#read('drain.json', drainOrder);
    rmSync(path.join(this.#folder, 'drain.json'), { force: true });
    return order?.withinMs;
  }

  orderDrain(withinMs: number): void {
    this.#write('drain.json', { withinMs });
  }

  get configuration(): NodeConfiguration | undefined {
    return this.#configuration;
  }

  set configuration(wanted: NodeConfiguration) {
    this.#configuration = wanted;
    this.#write('configuration.json', wanted);
  }

  get token(): string | undefined {
    return this.#read('token.json', z.object({ token: z.string() }))?.token;
  }

  set token(token: string | undefined) {
    if (token === undefined) rmSync(path.join(this.#folder, 'token.json'), { force: true });
    else this.#write('token.json', { token });
  }

  /** The memory of a service over restarts of the node. */
  memoryOf(service: string): KeptMemory {
    return {
      load: () => Promise.resolve(fromMemory(this.#memories.get(service) ?? memoryOf(NEW_SERVICE))),
      keep: (state) => {
        const wanted = memoryOf(state);
        const { restartCount, stopped } = this.#memories.get(service) ?? memoryOf(NEW_SERVICE);
        if (wanted.restartCount === restartCount && wanted.stopped === stopped) return Promise.resolve();
        this.#memories.set(service, wanted);
        this.#write('services.json', Object.fromEntries(this.#memories));
        return Promise.resolve();
      },
    };
  }

  /** Reads a file. A missing or damaged one is ignored, because the server sends the data again. */
  #read<T>(name: string, schema: z.ZodType<T>): T | undefined {
    try {
      return schema.parse(JSON.parse(readFileSync(path.join(this.#folder, name), 'utf8')));
    } catch (err) {
      if ((err as NodeJS.ErrnoException).code !== 'ENOENT')
        this.#logger.warn({ err, file: name }, 'the saved state of the node cannot be read');
      return undefined;
    }
  }

  /** Writes a file atomically. If it cannot be written, the node continues anyway. */
  #write(name: string, value: unknown): void {
    const file = path.join(this.#folder, name);
    try {
      writeWholeSync(file, JSON.stringify(value), { part: `${file}${PART}` });
    } catch (err) {
      this.#logger.error({ err, file }, 'the state of the node cannot be saved');
    }
  }
}
