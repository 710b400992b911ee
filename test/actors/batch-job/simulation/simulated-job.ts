/**
 * Simulates one batch job with a minimal store and dispatcher. Every command runs through the real transition
 * table. After each one, the invariants are checked and the state is compared with that after a restart.
 */
import { expect } from 'chai';
import type { JobCommand } from '../../../../actors/batch-job/state/commands.ts';
import type { JobEffect } from '../../../../actors/batch-job/state/effects.ts';
import { runPrefix } from '../../../../actors/batch-job/state/keys.ts';
import { baseRunOf, type RetryScope } from '../../../../actors/batch-job/state/record.ts';
import { jobSnapshotSchema, toSnapshot } from '../../../../actors/batch-job/state/snapshot.ts';
import { restore } from '../../../../actors/batch-job/life-cycle/fold.ts';
import { deliveryStatus } from '../../../../actors/batch-job/completion/deliveries.ts';
import { ARCHIVE_ROWS } from '../../../../actors/batch-job/completion/notices.ts';
import type { JobState, SubJobRow } from '../../../../actors/batch-job/state/state.ts';
import { isTerminal } from '../../../../actors/batch-job/state/status.ts';
import { laterAttempt } from '../../../../actors/batch-job/kinds/transfer.ts';
import { KINDS } from '../../../../actors/batch-job/life-cycle/stages.ts';
import { recover } from '../../../../actors/batch-job/life-cycle/recovery.ts';
import { JOB_MACHINE } from '../../../../actors/batch-job/life-cycle/transitions.ts';
import { targetsOf } from '../../../docs/state-diagrams.ts';
import type { ArchiveFinding, Range } from '../../../../domain/types.ts';
import { busyWith, doneWith, failedWith, LedJob, lose, type JobOutcome } from '../jobs.ts';
import {
  byKey,
  checkCoverage,
  checkNew,
  checkNoWork,
  checkOwed,
  checkRestored,
  expectedEnd,
  expectFinal,
  newRun,
  retriedRun,
  type Run,
  type Shape,
} from './simulated-checks.ts';
import { SimulatedFollower } from './simulated-follower.ts';
import { SimulatedOutbox, type Attempt } from './simulated-outbox.ts';

/** Outcome of a piece in a component. */
export type Fate = 'done' | 'warning' | 'nothing found' | 'failed' | 'lost' | 'busy';

export type Step =
  | { readonly type: 'work'; readonly pick: number; readonly fate: Fate; readonly found: readonly Range[] }
  | { readonly type: 'again'; readonly pick: number }
  | { readonly type: 'news'; readonly pick: number }
  | { readonly type: 'late news'; readonly pick: number }
  | { readonly type: 'reload' }
  /** Time passes until transfers may be retried. */
  | { readonly type: 'due' }
  | { readonly type: 'admit' | 'cancel' | 'shutdown' | 'resume' }
  /** The server crashes right after the next commit and loses its memory. */
  | { readonly type: 'crash' }
  | { readonly type: 'archive answers'; readonly pick: number; readonly finding: ArchiveFinding }
  | { readonly type: 'send'; readonly pick: number; readonly fate: Attempt }
  | { readonly type: 'report'; readonly pick: number }
  | { readonly type: 'deliverer dies' }
  | { readonly type: 'repost'; readonly fails: boolean }
  | { readonly type: 'remove' }
  | { readonly type: 'resubmit'; readonly admitted: boolean }
  | {
      readonly type: 'retry';
      readonly what: RetryScope;
      readonly admitted: boolean;
      /** Whether media are deleted meanwhile. */
      readonly loses: boolean;
    };

/** Kinds of work whose answers can have warnings. */
const WARNING: ReadonlySet<SubJobRow['kind']> = new Set([
  'PREPARE',
  'FINISH',
  'ARTIFACTS',
  'MARKUP',
  'UPLOAD',
]);
/** After this time every retry is due. */
const LONG_MS = 60_000;
const MAX_SNAPSHOT_BYTES = 64 * 1024;
const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

export class SimulatedJob {
  readonly #shape: Shape;
  readonly #job: LedJob;
  /** Whether the state is dropped and restored after every command. */
  readonly #forgetful: boolean;
  /** Stored snapshot and rows. */
  #snapshot: unknown;
  readonly #rows = new Map<string, unknown>();
  readonly outbox = new SimulatedOutbox();
  readonly follower = new SimulatedFollower();
  /** The dispatcher: queued and claimed work, and messages on their way to the job. */
  readonly #work = new Map<string, SubJobRow>();
  readonly #cancelled = new Set<string>();
  /** Transfers that wait for their next attempt. */
  readonly #later = new Set<string>();
  readonly #news: JobCommand[] = [];
  readonly #past: JobCommand[] = [];
  /** Runs whose archive check is pending. */
  readonly #asked: number[] = [];
  #crashes = false;
  #run: Run;
  /** Kinds of work created so far. */
  readonly kinds = new Set<string>();
  /** Runs whose end was reported, or found at a start. */
  readonly ended = new Set<number>();

  constructor(shape: Shape, { forgetful = false } = {}) {
    this.#shape = shape;
    this.#job = new LedJob(shape, { window: shape.window, attempts: shape.attempts });
    this.#forgetful = forgetful;
    this.#run = newRun(shape);
    const { admitted, archive } = shape;
    if (typeof archive !== 'string') this.#noteFinding(archive);
    this.#send({ type: 'accept', record: this.#job.record, admitted, objectId: 'object 1', archive });
    this.#checkEnd();
  }

  get state(): JobState {
    return this.#job.state!;
  }

  /** Includes the number of the task. */
  get stage(): string {
    const { stage } = this.state;
    return stage.name === 'TASK' ? `TASK ${stage.index}` : stage.name;
  }

  get isOver(): boolean {
    return isTerminal(this.state.status);
  }

  get stored(): unknown {
    return [this.#snapshot, this.outbox.stored];
  }

  /** The stored sub-jobs of all runs, with their inputs and results. */
  get work(): readonly unknown[] {
    const named = this.#job.record.media.length;
    return this.#storedRows()
      .map(({ key, kind, medium, range, state, summary, tracks }) => ({
        // A retry may derive media in another order.
        key: medium < named ? key : `derived${key.slice(key.indexOf('/', 5))}`,
        ...{ kind, range, state, tracks },
        found: summary === undefined ? undefined : [summary.tracks, summary.ranges],
      }))
      .toSorted(byKey);
  }

  get isGone(): boolean {
    return this.#job.state === undefined;
  }

  take(step: Step): void {
    switch (step.type) {
      case 'work':
        return this.#answer(step);
      case 'again':
        return this.#again(step.pick);
      case 'news':
        return this.#bringNews(step.pick);
      case 'late news':
        return this.#lateNews(step.pick);
      case 'reload':
        this.#reload();
        return this.#perform(recover(this.state));
      case 'due':
        return this.#passTime();
      case 'cancel':
      case 'shutdown':
        if (this.#send({ type: step.type }).reply.kind === 'done')
          this.#run.cancelledBy = step.type === 'cancel' ? 'USER' : 'SHUTDOWN';
        return this.#checkEnd();
      case 'resubmit':
        return this.#resubmit(step.admitted);
      case 'retry':
        this.#retry(step);
        return this.#checkEnd();
      case 'admit':
      case 'resume':
        this.#send({ type: step.type });
        return this.#checkEnd();
      case 'crash':
        this.#crashes = true;
        return;
      case 'archive answers':
        return this.#archiveAnswers(step.pick, step.finding);
      case 'send':
        return this.outbox.send(step.pick, step.fate);
      case 'report':
        return this.#report(step.pick);
      case 'deliverer dies':
        return this.outbox.delivererDies();
      case 'repost':
        return this.#repost(step.fails);
      case 'remove':
        return this.#remove();
    }
  }

  /** Completes all waiting work successfully until the job ends or reaches this stage. */
  drive(stage = 'ENDED'): void {
    if (this.state.status === 'INITIALIZED' && stage !== 'WAITING') this.#send({ type: 'admit' });
    this.#checkEnd();
    while (!this.isOver && this.stage !== stage) {
      expect(
        this.#work.size + this.#news.length + this.#asked.length + this.#later.size,
        'work or news for a job that has not ended',
      ).to.be.greaterThan(0);
      if (this.#news.length > 0) this.#bringNews(0);
      else if (this.#asked.length > 0) this.#archiveAnswers(0, { kind: 'none' });
      else if (this.#work.size === 0) this.#passTime();
      else this.#answer({ type: 'work', pick: 0, fate: 'done', found: [{ start: 0, stop: 3 }] });
    }
  }

  /** Delivers everything that is pending. */
  deliverAll(): void {
    for (let left = 1_000; this.outbox.owed.length > 0; left--) {
      expect(left, 'attempts until everything has arrived').to.be.greaterThan(0);
      this.outbox.send(0, 'arrives');
      this.#report(0);
    }
    const { status, callback, archive } = this.state;
    for (const delivery of [callback, archive])
      expect(deliveryStatus(delivery !== null, status, delivery)).to.not.equal('IN PROGRESS');
    expect(this.outbox.outcomes(this.#job.record.jobId, this.state.run)).to.not.include(undefined);
  }

  #passTime(): void {
    this.#job.at += LONG_MS;
    this.#later.clear();
    this.#send({ type: 'transfersDue' });
    this.#checkEnd();
  }

  #archiveAnswers(pick: number, finding: ArchiveFinding): void {
    const [run] = this.#asked.splice(pick % Math.max(1, this.#asked.length), 1);
    if (run === undefined) return;
    const awaited = this.stage === 'CHECK' && this.state.status !== 'CANCELLING' && run === this.state.run;
    if (awaited) this.#noteFinding(finding);
    const { reply } = this.#send({ type: 'archiveChecked', run, answer: finding });
    expect(reply.kind, `the reply to the archive in ${this.stage}`).to.equal(awaited ? 'done' : 'refused');
    this.#checkEnd();
  }

  #noteFinding({ kind }: ArchiveFinding): void {
    if (kind === 'match') this.#run.pastFound = true;
    if (kind === 'failed') this.#run.warned = true;
  }

  #report(pick: number): void {
    const told = this.outbox.report(pick);
    if (told === undefined) return;
    const { reply, change } = this.#send(told.report);
    expect(reply.kind, `the reply to ${told.report.type} of ${told.report.id}`).to.equal(told.expected);
    if (reply.kind === 'refused') expect(change, 'what a refusal changes').to.equal(undefined);
  }

  /** Reposts all results of the job. The posts may be older than the current run. */
  #repost(fails: boolean): void {
    const kept = [...this.#rows].filter(([key]) => key.startsWith(ARCHIVE_ROWS));
    const ids = kept.map(([, body]) => (body as { id: string }).id);
    const owed = this.outbox.owed;
    const { reply } = this.#send({
      type: 'archiveReposted',
      arrived: fails ? [] : ids,
      failed: fails ? ids.map((id) => ({ id, reason: 'it hung up' })) : [],
    });
    expect(reply.kind).to.equal(this.isOver && this.state.archive !== null ? 'done' : 'refused');
    if (fails || reply.kind === 'refused') expect(this.outbox.owed, 'still owed').to.deep.equal(owed);
  }

  #remove(): void {
    const over = this.isOver;
    const { reply } = this.#send({ type: 'remove' });
    expect(reply.kind).to.equal(over ? 'done' : 'refused');
    if (over) expect([...this.#rows.keys(), ...this.outbox.owed], 'left of it').to.deep.equal([]);
  }

  /** A deleted job refuses all commands and eventually disappears. */
  finishRemoval(commands: readonly JobCommand[]): void {
    for (const command of commands) {
      const outcome = this.#send(command);
      expect(outcome.reply, command.type).to.deep.equal({
        kind: 'refused',
        reason: 'NO_SUCH_JOB',
        status: 'UNKNOWN',
      });
    }
    while (this.#news.length > 0) this.#bringNews(0);
  }

  #answer({ pick, fate, found }: Extract<Step, { type: 'work' }>): void {
    const keys = [...this.#work.keys()].toSorted();
    const key = keys[pick % keys.length];
    if (key === undefined) return;
    const row = this.#work.get(key)!;
    this.#work.delete(key);
    if (this.#cancelled.has(key) && (fate === 'lost' || fate === 'failed' || fate === 'busy')) {
      this.#news.push({ type: 'workDropped', keys: [key] });
      return;
    }
    const command = this.#commandOf(row, fate, found);
    const stillWanted = this.state.outstanding.has(key);
    if (stillWanted && !this.#goesOn(row, command)) this.#note(row, command, fate);
    const { reply } = this.#send(command);
    expect(reply.kind, `the reply to ${command.type} of ${key}`).to.equal(stillWanted ? 'done' : 'refused');
    this.#checkEnd();
    this.#past.push(command);
  }

  #commandOf(row: SubJobRow, fate: Fate, found: readonly Range[]): JobCommand {
    if (fate === 'failed') return failedWith(row);
    if (fate === 'busy') return busyWith(row);
    if (fate === 'lost') return lose(row);
    return doneWith(this.#shape, row, {
      warning: fate === 'warning',
      found: fate === 'nothing found' ? [] : found,
    });
  }

  /** Whether the sub-job continues: this was the answer to a step of it, or a failure that is retried. */
  #goesOn(row: SubJobRow, command: JobCommand): boolean {
    const { nextStep, isTransfer } = KINDS[row.kind];
    const { record, settings, at } = this.#job;
    if (command.type === 'workDone') return nextStep?.(row, command, record) !== undefined;
    if (command.type !== 'workFailed' || isTransfer !== true || this.state.status === 'CANCELLING')
      return false;
    return laterAttempt(row, command, { at, settings }) !== undefined;
  }

  /** Records what the end of the job must show. */
  #note(row: SubJobRow, { type }: JobCommand, fate: Fate): void {
    const failed = type === 'workFailed' || (type === 'workLost' && row.attempts + 1 >= this.#shape.attempts);
    if (failed && row.kind === 'UPLOAD') this.#run.warned = true;
    else if (failed && row.kind === 'DOCUMENT') this.#run.documentFailed = true;
    else if (failed) this.#run.failed = true;
    const derived = row.stage.name === 'DERIVED';
    if (failed && row.kind === 'PREPARE' && !derived) this.#run.fetchFailed = true;
    if (type === 'workDone' && row.kind === 'PREPARE' && !derived) this.#run.prepared.add(row.medium);
    if (type === 'workDone' && row.kind === 'COPY') this.#run.copied = true;
    if (fate === 'warning' && WARNING.has(row.kind)) this.#run.warned = true;
  }

  /** Delivers an earlier answer again. */
  #again(pick: number): void {
    const command = this.#past[pick % this.#past.length];
    if (command === undefined || !('key' in command)) return;
    // The dispatcher's tokens, not the job, distinguish a lost piece from its retry with the same key.
    if (this.state.outstanding.has(command.key)) return;
    const { reply, change } = this.#send(command);
    expect(reply).to.include({
      kind: 'refused',
      reason: this.state.status === 'INITIALIZED' ? 'WRONG_STATE' : 'NOT_OUTSTANDING',
    });
    expect(change, 'a repeated answer changes nothing').to.equal(undefined);
  }

  #bringNews(pick: number): void {
    const [command] = this.#news.splice(pick % Math.max(1, this.#news.length), 1);
    if (command !== undefined) this.#send(command);
    this.#checkEnd();
  }

  /** A component releases a piece whose answer was already accepted. */
  #lateNews(pick: number): void {
    const answered = [...this.#run.answered];
    const key = answered[pick % answered.length];
    if (key === undefined || this.state.outstanding.has(key)) return;
    this.#send({ type: 'workDropped', keys: [key] });
  }

  #resubmit(admitted: boolean): void {
    const over = this.isOver;
    const { run } = this.state;
    const { reply } = this.#send({ type: 'resubmit', priority: 5, admitted, objectId: `object ${run + 1}` });
    expect(reply.kind).to.equal(over ? 'done' : 'refused');
    if (!over) return;
    expect(this.state.run).to.equal(run + 1);
    expect(this.#work.size, 'work that the run before left behind').to.equal(this.state.outstanding.size);
  }

  #retry({ what, admitted, loses }: Extract<Step, { type: 'retry' }>): void {
    const { run, retryable = false } = this.state;
    const rows = this.#storedRows();
    const usable = new Set(
      this.#job.record.media.flatMap(({ problem }, n) => (problem === undefined ? [] : [n])),
    );
    const lost = new Set(loses ? rows.map(({ medium }) => medium) : []);
    const { reply } = this.#send({
      ...{ type: 'retry', what, ended: run, rows, usable, lost },
      ...{ priority: 5, admitted, objectId: `object ${run + 1}` },
    });
    if (!this.isOver || (reply.kind === 'refused' && this.state.run === run)) return;
    expect(retryable, 'only what was kept can be retried').to.equal(true);
  }

  #storedRows(): readonly SubJobRow[] {
    const prefix = runPrefix(baseRunOf(jobSnapshotSchema.parse(this.#snapshot)));
    const stored = [...this.#rows].filter(([key]) => key.startsWith(prefix));
    return stored.map(([, row]) => row as SubJobRow).toSorted(byKey);
  }

  #reload(): void {
    this.#job.state = this.#restoreState();
  }

  #restoreState(): JobState {
    const snapshot = jobSnapshotSchema.parse(this.#snapshot);
    const rows = isTerminal(snapshot.status) ? [] : this.#storedRows();
    return restore(this.#job.record, snapshot, rows);
  }

  #send(command: JobCommand): JobOutcome {
    const before = this.#job.state;
    this.#job.tell(command);
    const outcome = this.#job.last!;
    if (command.type === 'resubmit' && outcome.change !== undefined) this.#run = newRun(this.#shape);
    if (command.type === 'retry' && outcome.change !== undefined)
      this.#run = retriedRun(this.#job.record, this.#rows, outcome.change);
    const isNewRun = command.type === 'resubmit' || command.type === 'retry';
    if (before !== undefined && isTerminal(before.status) && !isNewRun)
      expectFinal(before, outcome.change, command);
    if (outcome.change === undefined) return outcome;
    if (outcome.change.gone) return this.#withoutLostWork(outcome);
    const [was, is] = [JOB_MACHINE.statusOf(before ?? JOB_MACHINE.initial), JOB_MACHINE.statusOf(this.state)];
    const targets = targetsOf(JOB_MACHINE.on[command.type].to, was);
    expect(targets, `where ${command.type} leads to from ${was}`).to.include(is);
    if (outcome.change.silent) expect(this.state).to.equal(before);
    else this.#store(outcome.change, command, before);
    this.#check();
    if (this.#crashes && !outcome.change.silent) this.#restart();
    else this.#perform(outcome.change.effects);
    if (this.#forgetful) this.#reload();
    return outcome;
  }

  #withoutLostWork(outcome: JobOutcome): JobOutcome {
    this.#snapshot = undefined;
    this.#rows.clear();
    return outcome;
  }

  /** Loses the memory: effects, claimed work, and messages on their way. */
  #restart(): void {
    this.#crashes = false;
    this.#work.clear();
    this.#later.clear();
    this.#cancelled.clear();
    this.#news.length = 0;
    this.#asked.length = 0;
    this.outbox.serverDies();
    this.#reload();
    if (this.isOver) this.ended.add(this.state.run);
    this.#perform(recover(this.state));
  }

  /** Like the store: deletes rows first, then writes rows. */
  #store(change: NonNullable<JobOutcome['change']>, command: JobCommand, before?: JobState): void {
    const { rows, removed, keptRows } = change;
    const ends = isTerminal(this.state.status) && (before === undefined || !isTerminal(before.status));
    if (ends) checkOwed(this.#job.record, this.#run, change);
    this.outbox.store(change, command, ends);
    this.#snapshot = json(toSnapshot(this.#job.record, this.state));
    for (const prefix of removed)
      for (const key of this.#rows.keys()) if (key.startsWith(prefix)) this.#rows.delete(key);
    for (const row of rows) {
      this.#rows.set(row.key, json(row));
      const isNew = !this.#run.made.has(row.key);
      if (row.state === 'QUEUED' && isNew) {
        this.kinds.add(row.stage.name === 'DERIVED' ? 'DERIVED' : row.kind);
        checkNew(this.#run, this.state, row);
      } else if (row.state === 'QUEUED') {
        const isNext = before?.outstanding.get(row.key)?.state === 'QUEUED';
        expect(isNext, `${row.key} is made twice`).to.equal(true);
      } else if (command.type !== 'retry') {
        expect(this.#run.answered.has(row.key), `${row.key} is answered twice`).to.equal(false);
        this.#run.answered.add(row.key);
      }
    }
    for (const { key, body } of keptRows) this.#rows.set(key, json(body));
    this.follower.noteCommit(
      rows.map(({ key }) => key),
      removed.length > 0,
    );
  }

  /** The dispatcher: queues offered work once, and eventually releases cancelled work. */
  #perform(effects: readonly JobEffect[]): void {
    for (const effect of effects)
      if (effect.type === 'offer') for (const row of effect.rows) this.#work.set(row.key, row);
      else if (effect.type === 'offerLater') for (const { key } of effect.rows) this.#later.add(key);
      else if (effect.type === 'cancelWork') this.#cancel(effect.rows);
      else if (effect.type === 'ended') this.#noteEnd();
      else if (effect.type === 'checkArchive') this.#ask();
      else if (effect.type === 'forget') this.#news.push({ type: 'forget' });
      else if (effect.type === 'removeFiles')
        expect(effect.files === 'ALL', 'only a resubmission or a removal removes the document').to.equal(
          effect.run < baseRunOf(this.state) || this.state.removed,
        );
  }

  #noteEnd(): void {
    expect(this.ended.has(this.state.run), 'an end that is told twice').to.equal(false);
    this.ended.add(this.state.run);
  }

  /** At most one check per run at a time. */
  #ask(): void {
    expect(this.stage).to.equal('CHECK');
    if (!this.#asked.includes(this.state.run)) this.#asked.push(this.state.run);
  }

  /** Every second piece is claimed and may still be answered. The others are dropped at once. */
  #cancel(rows: readonly SubJobRow[]): void {
    // A restored state may have the rows in another order.
    const keys = rows.map(({ key }) => key).toSorted();
    const dropped = keys.filter((key, index) => !this.#work.has(key) || index % 2 === 0);
    for (const key of dropped) this.#work.delete(key);
    for (const key of keys) this.#later.delete(key);
    for (const key of keys) this.#cancelled.add(key);
    if (dropped.length > 0) this.#news.push({ type: 'workDropped', keys: dropped });
  }

  #check(): void {
    const { state } = this;
    const { progress } = jobSnapshotSchema.parse(this.#snapshot);
    expect(progress, 'progress falls').to.be.at.least(this.#run.progress);
    this.#run.progress = progress;
    expect(JSON.stringify(this.#snapshot).length, 'bytes of the snapshot').to.be.at.most(MAX_SNAPSHOT_BYTES);
    const kinds = [...state.outstanding.values()].map(({ kind }) => kind);
    const inspections = kinds.filter((kind) => kind === 'PREPARE');
    expect(inspections.length, 'inspections outstanding').to.be.at.most(this.#shape.window);
    const pieces = kinds.filter((kind) => kind !== 'PREPARE' && kind !== 'FINISH' && kind !== 'ARTIFACTS');
    expect(pieces.length, 'pieces outstanding').to.be.at.most(this.#shape.window);
    expect(isTerminal(state.status)).to.equal(state.stage.name === 'ENDED');
    const { callback, archive, removed } = state;
    this.outbox.check(removed ? null : callback, removed ? null : archive);
    checkRestored(this.#restoreState(), state);
    const stored = { record: this.#job.record, snapshot: this.#snapshot, rows: this.#rows };
    this.follower.look(stored, state, () => this.#restoreState());
  }

  #checkEnd(): void {
    if (this.isGone || !this.isOver || this.state.removed) return;
    const { documentFailed, pastFound, copied } = this.#run;
    expect(this.state.status).to.equal(expectedEnd(this.#run));
    const written = this.#shape.buildOutput === true && !documentFailed && !pastFound;
    expect(this.state.hasDocument).to.equal(written || copied);
    expect(this.state.pastOutput !== null).to.equal(pastFound);
    const left = [...this.#rows.keys()].filter((key) => !key.startsWith(ARCHIVE_ROWS));
    if (this.state.retryable !== true) expect(left, 'rows that an ended job leaves behind').to.deep.equal([]);
    expect([...this.ended], 'ends that were told').to.have.lengthOf(this.state.run);
    if (pastFound) checkNoWork(this.#run);
    else if (this.state.status === 'COMPLETE') checkCoverage(this.#shape, this.#run);
    this.#work.clear();
  }
}
