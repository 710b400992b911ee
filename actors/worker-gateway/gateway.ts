import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { Assignment, FailureRequest, FetchLimits } from '../../protocol/worker-protocol.ts';
import type { Logger } from '../../config/logger.ts';
import type { ResultChecker } from '../../results/check.ts';
import { answerPlace } from '../../results/answer-place.ts';
import { readFeedPiece } from '../../results/feed-index.ts';
import { keyOf, pathOf, type FileKey } from '../../results/file-keys.ts';
import { detectionFile, runFolder } from '../../results/layout.ts';
import type { MovedStart } from '../../results/moved-files.ts';
import { FloodError, receive, removeFile, syncFolder, type SpoolLimits } from '../../results/spool.ts';
import type { Lease } from '../../store/ledger.ts';
import type { Store } from '../../store/store.ts';

import type { JobCommand, JobReply } from '../batch-job/commands.ts';
import { answerFile } from '../batch-job/keys.ts';
import type { SubJobRow } from '../batch-job/state.ts';
import type { WorkWaiters } from '../dispatcher/waiters.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Family } from '../runtime/system.ts';
import { storedJob } from '../views/stored-job.ts';
import type { WorkMeter } from '../views/meter.ts';
import { assignmentOf, framesOf, rowOf } from './assignments.ts';
import { copyInput, documentInput } from './document-input.ts';
import { withKeys, withTracksAt } from './files.ts';

export interface WorkerGatewayDeps {
  readonly store: Store;
  readonly jobs: Family<JobCommand, JobReply>;
  readonly waiters: WorkWaiters;
  readonly checker: ResultChecker;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: WorkMeter;
  readonly dataDir: string;
  /** The same without symbolic links. */
  readonly realDataDir: string;
  /** Part of the names of answers: two servers that share the folder never write to one file. */
  readonly serverId: string;
  readonly fetchLimits: FetchLimits;
  readonly movedFiles: readonly MovedStart[];
  readonly heartbeatMs: number;
  readonly resultLimits: SpoolLimits;
  /** A token of the service; undefined when there is none to be had. */
  bearer(): Promise<string | undefined>;
  /** The real path of a `file:` medium that may be read; undefined for all else. */
  localPath(uri: string): Promise<string | undefined>;
}

/** What became of an answer. */
export type Taken =
  | { readonly kind: 'taken' }
  /** The lease ran out, was given to another, or its job has ended: whatever was answered is not used. */
  | { readonly kind: 'lost' }
  /** The answer is not what the protocol asks for; it counts as an attempt. */
  | { readonly kind: 'garbage'; readonly reason: string }
  /** The component hung up in the middle of its answer; its lease goes on. */
  | { readonly kind: 'broken' };

export interface Claim {
  readonly queues: readonly string[];
  readonly max: number;
  readonly waitMs: number;
  readonly worker: string;
  /** The component outlives this server. */
  readonly lasting: boolean;
}

export interface Claimed {
  readonly work: readonly Assignment[];
  /** To be called when the answer did not reach the component. */
  giveBack(): void;
}

const NOTHING: Claimed = { work: [], giveBack() {} };
const FULL_DISK = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

/**
 * Where components come for work and bring it back: between the worker protocol, the dispatcher and the jobs. The order of
 * an answer is part file, sync, check, name, commit, reply, so that a crash at any point loses nothing that was answered.
 */
export class WorkerGateway {
  readonly #deps: WorkerGatewayDeps;
  #arrivals = 0;
  #closed = false;

  constructor(deps: WorkerGatewayDeps) {
    this.#deps = deps;
  }

  /** From now on nobody is given any more work. */
  close(): void {
    this.#closed = true;
  }

  /** Waits for work up to `waitMs`; whoever hung up (`gone`) gets none. */
  async claim(claim: Claim, gone: AbortSignal): Promise<Claimed> {
    const { clock, waiters } = this.#deps;
    const until = clock.steady() + claim.waitMs;
    const waiter = waiters.join(claim.queues);
    try {
      for (;;) {
        if (gone.aborted) return NOTHING;
        // What is offered while we look wakes us.
        waiter.look();
        const claimed = await this.#claimed(claim);
        if (gone.aborted) {
          claimed.giveBack();
          return NOTHING;
        }
        const left = until - clock.steady();
        if (claimed.work.length > 0 || left <= 0) return claimed;
        await waiter.wait(left, gone);
      }
    } finally {
      waiter.leave();
    }
  }

  async #claimed({ queues, max, worker, lasting }: Claim): Promise<Claimed> {
    if (this.#closed) return NOTHING;
    const { work: ledger } = this.#deps.store;
    const leases = await ledger.claim({ queues, max, worker, lasting });
    const giveBack = () => {
      for (const { token } of leases) void ledger.release(token, worker).catch(() => undefined);
    };
    try {
      return { work: await this.#assignments(leases), giveBack };
    } catch (error) {
      // Nobody would work on them until their leases run out, and whoever claimed them would be ended for that.
      giveBack();
      throw error;
    }
  }

  heartbeat(
    token: string,
    worker: string,
    done: number,
    total: number,
  ): Promise<'on' | 'cancelled' | 'lost'> {
    return this.#deps.store.work.beat(token, worker, done, total);
  }

  /** Takes the body of an answer. */
  async result(token: string, worker: string, body: Readable): Promise<Taken> {
    const lease = await this.#lease(token, worker);
    if (typeof lease === 'string') return { kind: lease };
    const row = await rowOf(this.#deps.store, lease.item);
    if (row === undefined) return this.#end(token);
    // Committed, but its lease has not ended yet: the same answer comes twice.
    if (row.token === token) return { kind: 'taken' };
    // A name of its own for every arrival: an answer that is sent twice must not touch what the first one left.
    const file = this.#pathOf(answerFile(row, `${token}.${this.#deps.serverId}-${++this.#arrivals}`));
    try {
      await receive(body, file, this.#deps.resultLimits, this.#arriving(token));
    } catch (error) {
      return this.#notReceived(lease, body, error);
    }
    await this.#deps.store.work.arriving(token, true);
    const range = await framesOf(row, this.#deps.dataDir);
    const checked = await this.#deps.checker.checkResult(file, row.kind, { range });
    if (!checked.ok) return this.#garbage(token, checked.reason, file);
    if (checked.kind === 'PREPARE' && !(await this.#mayRead(row, checked.prepared.path)))
      return this.#garbage(token, 'The answer names a file that is not the medium.', file);
    // The lease may have run out while we looked, or the same answer may have been taken meanwhile.
    const now = await this.#lease(token, worker);
    if (typeof now === 'string') {
      await removeFile(file);
      return { kind: now };
    }
    const final = isDocument(row.kind) ? await moved(file, await this.#documentOf(lease, row)) : file;
    return this.#toJob(lease, {
      type: 'workDone',
      key: row.key,
      token,
      file: this.#keyOf(final),
      result: withKeys(checked, (named) => this.#keyOf(named)),
      ms: this.#timeOf(lease),
    });
  }

  async failure(token: string, worker: string, { code, message }: FailureRequest): Promise<Taken> {
    const lease = await this.#lease(token, worker);
    if (typeof lease === 'string') return { kind: lease };
    const row = await rowOf(this.#deps.store, lease.item);
    const range = row === undefined ? {} : { range: await framesOf(row, this.#deps.dataDir) };
    const command = { type: 'workFailed', key: lease.item.key, token, code, message, ...range } as const;
    return this.#toJob(lease, { ...command, ms: this.#timeOf(lease) });
  }

  /** Work given back unharmed: it is handed out again and does not count as an attempt. */
  async release(token: string, worker: string): Promise<Taken> {
    return { kind: (await this.#deps.store.work.release(token, worker)) ? 'taken' : 'lost' };
  }

  /** The lines that a document is written from, or the tracks that a sub-job is fed; undefined when the lease is lost or needs none. */
  async input(token: string, worker: string): Promise<AsyncIterable<string | Uint8Array> | undefined> {
    const lease = await this.#lease(token, worker);
    if (typeof lease === 'string') return undefined;
    const { item } = lease;
    const at = (key: FileKey) => this.#pathOf(key);
    if (item.kind === 'DOCUMENT')
      return lines(withTracksAt(documentInput(this.#deps.store, Number(item.actor.id)), at));
    if (item.kind === 'COPY') return lines(copyInput(this.#deps.store, Number(item.actor.id)));
    const row = await rowOf(this.#deps.store, item);
    return row?.fed === undefined ? undefined : fedLines({ ...row.fed, file: at(row.fed.file) });
  }

  async #assignments(leases: readonly Lease[]): Promise<readonly Assignment[]> {
    const work: Assignment[] = [];
    for (const lease of leases) {
      const assignment = await this.#assignmentOf(lease);
      if (assignment === undefined) continue;
      const { id, token, attempt } = assignment;
      const { kind, queue } = lease.item;
      this.#deps.logger.debug(
        { subJob: id, kind, queue, token, attempt, worker: lease.worker },
        'handed out a sub-job',
      );
      work.push(assignment);
    }
    return work;
  }

  /** Undefined: nobody can do it. */
  async #assignmentOf(lease: Lease): Promise<Assignment | undefined> {
    try {
      const assignment = await assignmentOf(this.#deps, lease);
      if (assignment === undefined) await this.#end(lease.token);
      return assignment;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // It is gone for good (a restored backup has no spool): whoever came for it next would be turned away as well.
      await this.#toJob(lease, {
        type: 'workFailed',
        key: lease.item.key,
        token: lease.token,
        code: 'LOCAL_STORAGE',
        message:
          'The results that this sub-job works on are gone from the disk of the server: resubmit the job.',
        ms: 0,
      });
      return undefined;
    }
  }

  /** To be called for each piece of an answer; says so once in a while. */
  #arriving(token: string): () => void {
    const { clock } = this.#deps;
    let told = clock.steady();
    return () => {
      const now = clock.steady();
      if (now - told < this.#deps.heartbeatMs) return;
      told = now;
      void this.#deps.store.work.arriving(token, false).catch(() => undefined);
    };
  }

  /** The lease behind a token; `taken` when its answer was taken before, so that a repeated answer gets the same reply. */
  async #lease(token: string, worker: string): Promise<Lease | 'taken' | 'lost'> {
    const found = await this.#deps.store.work.look(token, worker);
    return found === 'settled' ? 'taken' : found;
  }

  /** The job commits before the component hears of it; the token makes a repeated command the same command. */
  async #toJob(
    { item, token }: Lease,
    command: Extract<JobCommand, { type: 'workDone' | 'workFailed' }>,
  ): Promise<Taken> {
    const reply = await this.#deps.jobs.ask(item.actor.id, command, { envelopeId: token });
    if (reply.kind === 'done') {
      this.#count(item.queue, command);
      return { kind: 'taken' };
    }
    await this.#end(token);
    // A document has one name for all who write it: what lies there may be that of the one who was taken.
    if (command.type === 'workDone' && !isDocument(item.kind)) await removeFile(this.#pathOf(command.file));
    return { kind: 'lost' };
  }

  #count(queue: string, command: Extract<JobCommand, { type: 'workDone' | 'workFailed' }>): void {
    const { meter } = this.#deps;
    const done = command.type === 'workDone';
    meter.subJobEnded(queue, done ? 'done' : 'failed', command.ms / 1_000);
    if (!done || command.result.kind !== 'FINISH') return;
    const { sections, tracks, detections } = command.result.summary;
    // An annotator writes the tracks of others once more.
    if (sections === undefined) meter.found(tracks, detections);
  }

  /** Other components will read this path: it is the place we gave for a fetched medium, or the file that was asked for. */
  async #mayRead({ work }: SubJobRow, path: string): Promise<boolean> {
    if (work === null || !('fetchTo' in work)) return false;
    return path === this.#pathOf(work.fetchTo) || path === (await this.#deps.localPath(work.uri));
  }

  #pathOf(key: FileKey): string {
    return pathOf(this.#deps.dataDir, key);
  }

  #keyOf(named: string): FileKey {
    const { dataDir: folder, realDataDir: real } = this.#deps;
    return keyOf({ folder, real }, named);
  }

  async #documentOf({ item }: Lease, { jobId, run }: SubJobRow): Promise<string> {
    const job = await storedJob(this.#deps.store, Number(item.actor.id));
    return this.#pathOf(detectionFile(runFolder(jobId, run, job?.snapshot.unnumbered ?? null)));
  }

  async #notReceived(lease: Lease, body: Readable, error: unknown): Promise<Taken> {
    if (error instanceof FloodError) return this.#garbage(lease.token, error.message);
    if (FULL_DISK.has((error as NodeJS.ErrnoException).code ?? '')) {
      const message = 'The result could not be stored: the disk of the server is full or read-only.';
      const { token, item } = lease;
      return this.#toJob(lease, {
        type: 'workFailed',
        key: item.key,
        token,
        code: 'LOCAL_STORAGE',
        message,
        ms: this.#timeOf(lease),
      });
    }
    if (body.readableAborted || body.errored !== null) return { kind: 'broken' };
    throw error;
  }

  async #garbage(token: string, reason: string, file?: string): Promise<Taken> {
    this.#deps.logger.warn({ token, reason }, 'refused the answer of a component');
    await this.#deps.store.work.reject(token, `its answer was refused: ${reason}`);
    if (file !== undefined) await removeFile(file);
    return { kind: 'garbage', reason };
  }

  /** Milliseconds that a component has had its work. */
  #timeOf({ startedAt }: Lease): number {
    return Math.max(0, this.#deps.clock.steady() - startedAt);
  }

  async #end(token: string): Promise<Taken> {
    await this.#deps.store.work.forget(token);
    return { kind: 'lost' };
  }
}

async function fedLines({ file, indexAt, piece }: NonNullable<SubJobRow['fed']>): Promise<Readable> {
  const { offset, bytes } = await readFeedPiece(file, indexAt, piece);
  if (bytes === 0) return Readable.from([]);
  return createReadStream(answerPlace(file).path, { start: offset, end: offset + bytes - 1 });
}

/** Whether the answer is the detection document of its job. */
const isDocument = (kind: string) => kind === 'DOCUMENT' || kind === 'COPY';

async function moved(file: string, final: string): Promise<string> {
  const folder = path.dirname(final);
  await mkdir(folder, { recursive: true });
  await rename(file, final);
  await syncFolder(folder);
  await syncFolder(path.dirname(folder));
  return final;
}

async function* lines(messages: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const message of messages) yield `${JSON.stringify(message)}\n`;
}
