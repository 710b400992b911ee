/** How answers of components are taken in. */
import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import {
  ANSWER_FORMS,
  type FailureRequest,
  type SubJobAnswer,
  type WorkKind,
} from '../../protocol/worker-protocol.ts';
import type { Logger } from '../../config/logger.ts';
import type { ResultChecker } from '../../results/check.ts';
import { answerName } from '../../results/answer-place.ts';
import type { Place } from '../../results/lines.ts';
import { keyOf, pathOf, type FileKey } from '../../results/file-keys.ts';
import { detectionFile, runFolder } from '../../results/layout.ts';
import { FloodError, receive, removeFile, syncFolder, type SpoolLimits } from '../../results/spool.ts';
import type { Lease } from '../../store/ledger.ts';
import type { Store } from '../../store/store.ts';
import type { JobCommand, JobReply, WorkDone, WorkFailed } from '../batch-job/commands.ts';
import { answerFile } from '../batch-job/keys.ts';
import type { SubJobRow } from '../batch-job/state.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Family } from '../runtime/system.ts';
import type { WorkMeter } from '../views/meter.ts';
import { storedJob } from '../views/stored-job.ts';
import { framesOf, rowOf } from './assignments.ts';
import { withKeys } from './files.ts';
import { isReadAgain, NOWHERE, placesOf, type Good, type Held, type Looked } from './small-answers.ts';

/** Jobs that are told of their answers at a time. */
const JOBS_AT_ONCE = 8;

type FrameRange = Awaited<ReturnType<typeof framesOf>>;
const rangeOf = async (row: SubJobRow, dataDir: string): Promise<{ readonly of: FrameRange }> => ({
  of: await framesOf(row, dataDir),
});

export interface IntakeDeps {
  readonly store: Store;
  readonly jobs: Family<JobCommand, JobReply>;
  readonly checker: ResultChecker;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: WorkMeter;
  readonly dataDir: string;
  /** The same without symbolic links. */
  readonly realDataDir: string;
  /** Part of the names of answers: two servers that share the folder never write to one file. */
  readonly serverId: string;
  readonly heartbeatMs: number;
  readonly resultLimits: SpoolLimits;
  /** Takes what goes wrong with live streams. */
  readonly streams: { failed(lease: Lease, failure: FailureRequest): Promise<Taken> };
  /** Takes frames that were made. */
  readonly frames: { answered(lease: Lease, failure?: FailureRequest): Promise<Taken> };
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
  /** It answers what was not asked; the lease goes on. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The component hung up in the middle of its answer; its lease goes on. */
  | { readonly kind: 'broken' };

const FULL_DISK = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);
const isFull = (error: unknown) => FULL_DISK.has((error as NodeJS.ErrnoException).code ?? '');
const WATCHES_A_STREAM: Taken = {
  kind: 'refused',
  reason:
    'The lease is of a live stream, which has no result: tell of it by segments, events and its end. The lease goes on.',
};
const NOT_THE_MEDIUM = 'The answer names a file that is not the medium.';

/** The order of an answer is part file, sync, check, name, commit, reply, so that a crash at any point loses nothing that was answered. */
export class Intake {
  readonly #deps: IntakeDeps;
  #arrivals = 0;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  /** Takes the body of an answer. */
  async result(token: string, worker: string, body: Readable): Promise<Taken> {
    const lease = await this.lease(token, worker);
    if (typeof lease === 'string') return { kind: lease };
    if (lease.item.kind === 'STREAM') return WATCHES_A_STREAM;
    if (lease.item.kind === 'FRAME') {
      body.resume();
      return this.#deps.frames.answered(lease);
    }
    const row = await rowOf(this.#deps.store, lease.item);
    if (row === undefined) return this.end(token);
    // Committed, but its lease has not ended yet: the same answer comes twice.
    if (row.token === token) return { kind: 'taken' };
    // A name of its own for every arrival: an answer that is sent twice must not touch what the first one left.
    const file = this.#newFile(row, token);
    try {
      await receive(body, file, this.#deps.resultLimits, this.#arriving(token));
    } catch (error) {
      return this.#notReceived(lease, body, error);
    }
    await this.#deps.store.work.arriving(token, true);
    const range = await framesOf(row, this.#deps.dataDir);
    const checked = await this.#deps.checker.checkResult(file, row.kind, { range });
    if (!checked.ok) return this.#garbage(token, checked.reason, file);
    if (!(await this.#isOfMedium(row, checked))) return this.#garbage(token, NOT_THE_MEDIUM, file);
    // The lease may have run out while we looked, or the same answer may have been taken meanwhile.
    const now = await this.lease(token, worker);
    if (typeof now === 'string') {
      await removeFile(file);
      return { kind: now };
    }
    const final = isDocument(row.kind) ? await moved(file, await this.#documentOf(lease, row)) : file;
    return this.toJob(lease, {
      type: 'workDone',
      key: row.key,
      token,
      file: this.#keyOf(final),
      result: withKeys(checked, (named) => this.#keyOf(named)),
      ms: this.#timeOf(lease),
    });
  }

  async failure(token: string, worker: string, failure: FailureRequest): Promise<Taken> {
    const { code, message } = failure;
    const lease = await this.lease(token, worker);
    if (typeof lease === 'string') return { kind: lease };
    if (lease.item.kind === 'STREAM') return this.#deps.streams.failed(lease, failure);
    if (lease.item.kind === 'FRAME') return this.#deps.frames.answered(lease, failure);
    const row = await rowOf(this.#deps.store, lease.item);
    const range = row === undefined ? {} : { range: await framesOf(row, this.#deps.dataDir) };
    const command = { type: 'workFailed', key: lease.item.key, token, code, message, ...range } as const;
    return this.toJob(lease, { ...command, ms: this.#timeOf(lease) });
  }

  /**
   * Takes small answers to several sub-jobs: those of a job are one file, if any, and one commit. Each is taken or refused on its own, as if it
   * had come alone; what is neither result nor failure is given back.
   */
  async answers(worker: string, answers: readonly SubJobAnswer[]): Promise<readonly Taken[]> {
    const outcomes: Outcomes = new Map();
    const all: Held[] = [];
    for (const answer of answers) {
      const held = await this.#orGivenBack(answer, worker, outcomes, () => this.#heldBy(worker, answer));
      if (held === undefined) continue;
      if ('kind' in held) outcomes.set(answer, held);
      else all.push(held);
    }
    const jobs = new Map<string, Looked[]>();
    for (const one of await this.#looked(all, worker, outcomes)) {
      const job = one.lease.item.actor.id;
      jobs.set(job, [...(jobs.get(job) ?? []), one]);
    }
    const failed = (await this.#toldToAll([...jobs], outcomes)).find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
    return answers.map((answer) => outcomes.get(answer) ?? { kind: 'lost' });
  }

  /** Several jobs at once, so that what the answers lead to shares a transaction and a sync; not all, so that others have their turn. */
  async #toldToAll(
    jobs: readonly (readonly [string, readonly Looked[]])[],
    outcomes: Outcomes,
  ): Promise<readonly PromiseSettledResult<void>[]> {
    const told: PromiseSettledResult<void>[] = [];
    for (let at = 0; at < jobs.length; at += JOBS_AT_ONCE) {
      const some = jobs.slice(at, at + JOBS_AT_ONCE);
      told.push(
        ...(await Promise.allSettled(some.map(([job, looked]) => this.#toldTo(job, looked, outcomes)))),
      );
    }
    return told;
  }

  /** What goes wrong with one answer costs its own sub-job, which is handed out again, and none of those whose answers came with it. */
  async #orGivenBack<T>(
    answer: SubJobAnswer,
    worker: string,
    outcomes: Outcomes,
    look: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await look();
    } catch (err) {
      const { store, logger } = this.#deps;
      logger.warn({ err }, 'an answer could not be looked at; its sub-job is handed out again');
      await store.work.release(answer.token, worker, true);
      outcomes.set(answer, { kind: 'lost' });
      return undefined;
    }
  }

  async #heldBy(worker: string, answer: SubJobAnswer): Promise<Held | Taken> {
    const { token, lines, failure } = answer;
    const { work } = this.#deps.store;
    if (lines === undefined && failure === undefined)
      return { kind: (await work.release(token, worker, false)) ? 'taken' : 'lost' };
    const lease = await this.lease(token, worker);
    if (typeof lease === 'string') return { kind: lease };
    if (lease.item.kind === 'STREAM')
      return failure === undefined ? WATCHES_A_STREAM : this.#deps.streams.failed(lease, failure);
    if (lease.item.kind === 'FRAME') return this.#deps.frames.answered(lease, failure);
    const row = await rowOf(this.#deps.store, lease.item);
    if (row === undefined) return this.end(token);
    if (row.token === token) return { kind: 'taken' };
    await work.arriving(token, true);
    return { answer, lease, row };
  }

  /** Looks at answers, all at once; what is refused goes into `outcomes`. */
  async #looked(all: readonly Held[], worker: string, outcomes: Outcomes): Promise<readonly Looked[]> {
    const looked: Looked[] = [];
    const found: (Held & { readonly range: FrameRange })[] = [];
    for (const one of all) {
      const { answer, row } = one;
      const wrong = this.#outsideOfLimits(one);
      if (answer.lines !== undefined && wrong !== undefined) {
        outcomes.set(answer, await this.#garbage(answer.token, wrong));
        continue;
      }
      const range = await this.#orGivenBack(answer, worker, outcomes, () => rangeOf(row, this.#deps.dataDir));
      if (range === undefined) continue;
      if (answer.lines === undefined) looked.push({ ...one, said: this.#failed(one, range.of) });
      else found.push({ ...one, range: range.of });
    }
    const expected = found.map(({ row: { kind }, range, answer: { lines: text = '' } }) => ({
      ...{ kind, text },
      expectations: { range },
    }));
    const results = await this.#deps.checker.checkResults(expected);
    for (const [n, one] of found.entries()) {
      const result = results[n]!;
      const { token } = one.answer;
      if (!result.ok) outcomes.set(one.answer, await this.#garbage(token, result.reason));
      else if (!(await this.#isOfMedium(one.row, result)))
        outcomes.set(one.answer, await this.#garbage(token, NOT_THE_MEDIUM));
      else looked.push({ ...one, said: withKeys(result, (named) => this.#keyOf(named)) });
    }
    return looked;
  }

  /** Stores in one file what is to be read again of the answers to a job, and tells the job of all of them. */
  async #toldTo(job: string, looked: readonly Looked[], outcomes: Outcomes): Promise<void> {
    const [first] = looked;
    if (first === undefined) return;
    const kept = looked.filter(isReadAgain);
    const places = placesOf(kept);
    const file = this.#newFile(first.row, first.answer.token);
    const isStored = kept.length > 0 && (await this.#isStored(kept, file));
    const commands = new Map<Held, WorkDone | WorkFailed>();
    for (const one of looked) {
      const place = places.get(one);
      if ('type' in one.said) commands.set(one, one.said);
      else if (place !== undefined && !isStored)
        commands.set(one, notStored(one.lease, this.#timeOf(one.lease)));
      else commands.set(one, this.#doneBy(one, one.said, file, place));
    }
    await this.#allToJob(job, commands, outcomes);
    const isUsed = kept.some(({ answer }) => outcomes.get(answer)?.kind === 'taken');
    if (isStored && !isUsed) await removeFile(file);
  }

  /** False: the disk is full. */
  async #isStored(kept: readonly Looked[], file: string): Promise<boolean> {
    try {
      const bytes = Buffer.concat(kept.map(({ answer: { lines = '' } }) => Buffer.from(lines)));
      await receive(Readable.from([bytes]), file, ANY_SIZE);
      return true;
    } catch (error) {
      if (!isFull(error)) throw error;
      return false;
    }
  }

  #doneBy({ row: { key }, ...one }: Held, result: Good, path: string, place: Place = NOWHERE): WorkDone {
    const { token } = one.answer;
    const file = this.#keyOf(answerName(path, place.offset, place.bytes));
    return { type: 'workDone', key, token, file, result, ms: this.#told(one) };
  }

  #outsideOfLimits({ answer: { lines = '' }, row: { kind } }: Held): string | undefined {
    if (isDocument(kind)) return `The answer to ${kind} cannot come with others.`;
    const { maxBytes, maxLines } = this.#deps.resultLimits;
    if (Buffer.byteLength(lines) > maxBytes) return new FloodError('maxBytes', maxBytes).message;
    let [count, from] = [lines === '' || lines.endsWith('\n') ? 0 : 1, 0];
    for (let at = lines.indexOf('\n'); at >= 0; at = lines.indexOf('\n', from))
      [count, from] = [count + 1, at + 1];
    return count > maxLines ? new FloodError('maxLines', maxLines).message : undefined;
  }

  #failed({ answer, lease }: Held, range: FrameRange): WorkFailed {
    const { code = 'DETECTION_FAILED', message = '' } = answer.failure ?? {};
    const { token } = answer;
    const ms = this.#told({ answer, lease });
    return {
      type: 'workFailed',
      key: lease.item.key,
      token,
      code,
      message,
      range,
      ms,
    };
  }

  async #allToJob(
    job: string,
    commands: ReadonlyMap<Held, WorkDone | WorkFailed>,
    outcomes: Outcomes,
  ): Promise<void> {
    const { jobs } = this.#deps;
    // Leases may have run out while we looked, or the same answers may have been taken meanwhile.
    const current: Held[] = [];
    for (const one of commands.keys()) {
      const now = await this.lease(one.lease.token, one.lease.worker);
      if (typeof now === 'string') outcomes.set(one.answer, { kind: now });
      else current.push(one);
    }
    const [first] = current;
    if (first === undefined) return;
    const answers = current.map((one) => commands.get(one)!);
    const envelopeId = `${first.lease.token} and ${current.length - 1}`;
    await jobs.ask(job, { type: 'workAnswered', answers }, { envelopeId });
    for (const [n, { answer, lease }] of current.entries()) {
      const isTaken = await this.#isTaken(lease);
      outcomes.set(answer, isTaken ? { kind: 'taken' } : await this.end(lease.token));
      if (isTaken) this.#count(lease.item.queue, answers[n]!);
    }
  }

  /**
   * What the job has taken in is over for the ledger with the commit. Whoever answered may have died before that, and its lease with it:
   * then the row says so.
   */
  async #isTaken({ token, worker, item }: Lease): Promise<boolean> {
    const { store } = this.#deps;
    return (
      (await store.work.look(token, worker)) === 'settled' || (await rowOf(store, item))?.token === token
    );
  }

  /** Milliseconds that a component worked on one of several sub-jobs that it had, as it says. */
  #told({ answer: { ms = 0 }, lease }: Pick<Held, 'answer' | 'lease'>): number {
    return Math.min(ms, this.#timeOf(lease));
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
  async lease(token: string, worker: string): Promise<Lease | 'taken' | 'lost'> {
    const found = await this.#deps.store.work.look(token, worker);
    return found === 'settled' ? 'taken' : found;
  }

  /** The job commits before the component hears of it; the token makes a repeated command the same command. */
  async toJob({ item, token }: Lease, command: WorkDone | WorkFailed): Promise<Taken> {
    const reply = await this.#deps.jobs.ask(item.actor.id, command, { envelopeId: token });
    if (reply.kind === 'done') {
      this.#count(item.queue, command);
      return { kind: 'taken' };
    }
    await this.end(token);
    // A document has one name for all who write it: what lies there may be that of the one who was taken.
    if (command.type === 'workDone' && !isDocument(item.kind)) await removeFile(this.#pathOf(command.file));
    return { kind: 'lost' };
  }

  #count(queue: string, command: WorkDone | WorkFailed): void {
    const { meter } = this.#deps;
    const done = command.type === 'workDone';
    meter.subJobEnded(queue, done ? 'done' : 'failed', command.ms / 1_000);
    if (!done || command.result.kind !== 'FINISH') return;
    const { sections, tracks, detections } = command.result.summary;
    // An annotator writes the tracks of others once more.
    if (sections === undefined) meter.found(tracks, detections);
  }

  /** Other components will read this path: it is the place we gave for a fetched medium, or the file that was asked for. */
  async #isOfMedium({ work }: SubJobRow, checked: WorkDone['result']): Promise<boolean> {
    if (checked.kind !== 'PREPARE') return true;
    if (work === null || !('fetchTo' in work)) return false;
    const { path: named } = checked.prepared;
    return named === this.#pathOf(work.fetchTo) || named === (await this.#deps.localPath(work.uri));
  }

  async #documentOf({ item }: Lease, { jobId, run }: SubJobRow): Promise<string> {
    const job = await storedJob(this.#deps.store, Number(item.actor.id));
    return this.#pathOf(detectionFile(runFolder(jobId, run, job?.snapshot.unnumbered ?? null)));
  }

  #newFile(row: SubJobRow, token: string): string {
    return this.#pathOf(answerFile(row, `${token}.${this.#deps.serverId}-${++this.#arrivals}`));
  }

  #pathOf(key: FileKey): string {
    return pathOf(this.#deps.dataDir, key);
  }

  #keyOf(named: string): FileKey {
    const { dataDir: folder, realDataDir: real } = this.#deps;
    return keyOf({ folder, real }, named);
  }

  async #notReceived(lease: Lease, body: Readable, error: unknown): Promise<Taken> {
    if (error instanceof FloodError) return this.#garbage(lease.token, error.message);
    if (isFull(error)) return this.toJob(lease, notStored(lease, this.#timeOf(lease)));
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

  async end(token: string): Promise<Taken> {
    await this.#deps.store.work.forget(token);
    return { kind: 'lost' };
  }
}

type Outcomes = Map<SubJobAnswer, Taken>;

/** The size of each has been looked at already. */
const ANY_SIZE = { maxBytes: Infinity, maxLines: Infinity };

function notStored({ token, item }: Lease, ms: number): WorkFailed {
  const message = 'The result could not be stored: the disk of the server is full or read-only.';
  return { type: 'workFailed', key: item.key, token, code: 'LOCAL_STORAGE', message, ms };
}

/** Whether the answer is the detection document of its job. */
const isDocument = (kind: string) => ANSWER_FORMS[kind as WorkKind] === 'document';

async function moved(file: string, final: string): Promise<string> {
  const folder = path.dirname(final);
  await mkdir(folder, { recursive: true });
  await rename(file, final);
  await syncFolder(folder);
  await syncFolder(path.dirname(folder));
  return final;
}
