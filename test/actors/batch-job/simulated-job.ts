/**
 * One batch job with a store and a dispatcher that fit on a page. Every command goes through the real table; after each the
 * promises of a job are looked at, and the state is compared with what a restart would find.
 */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import type { JobCommand } from '../../../actors/batch-job/commands.ts';
import type { JobEffect } from '../../../actors/batch-job/effects.ts';
import { runPrefix } from '../../../actors/batch-job/planning.ts';
import { jobSnapshotSchema, restore, toSnapshot } from '../../../actors/batch-job/snapshot.ts';
import type { JobState, SubJobRow } from '../../../actors/batch-job/state.ts';
import { isTerminal } from '../../../actors/batch-job/status.ts';
import { recover, TRANSITIONS, type JobOutcome } from '../../../actors/batch-job/transitions.ts';
import type { Range } from '../../../pipeline/types.ts';
import { doneWith, failedWith, LedJob, lost, mediaOf, type GivenJob } from './jobs.ts';

/** What becomes of a piece in a component's hands. */
export type Fate = 'done' | 'warning' | 'nothing found' | 'failed' | 'lost';

export type Step =
  | { readonly type: 'work'; readonly pick: number; readonly fate: Fate; readonly found: readonly Range[] }
  | { readonly type: 'again'; readonly pick: number }
  | { readonly type: 'news'; readonly pick: number }
  | { readonly type: 'late news'; readonly pick: number }
  | { readonly type: 'reload' }
  | { readonly type: 'admit' | 'cancel' | 'shutdown' | 'resume' }
  | { readonly type: 'resubmit'; readonly admitted: boolean };

export interface Shape extends GivenJob {
  readonly window: number;
  readonly attempts: number;
  readonly admitted: boolean;
}

/** What happened in the run that goes on. */
interface Run {
  progress: number;
  failed: boolean;
  warned: boolean;
  documentFailed: boolean;
  cancelledBy: 'USER' | 'SHUTDOWN' | undefined;
  readonly made: Map<string, SubJobRow>;
  readonly answered: Set<string>;
}

const newRun = (shape: Shape): Run => ({
  progress: 0,
  failed: mediaOf(shape).some(({ problem }) => problem === true),
  warned: false,
  documentFailed: false,
  cancelledBy: undefined,
  made: new Map(),
  answered: new Set(),
});

const MAX_SNAPSHOT_BYTES = 64 * 1024;
const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

export class SimulatedJob {
  readonly #shape: Shape;
  readonly #job: LedJob;
  /** Whether the state is dropped and restored after every command. */
  readonly #forgetful: boolean;
  /** The store. */
  #snapshot: unknown;
  #rows = new Map<string, SubJobRow>();
  /** The dispatcher: what is queued or in a component's hands, and news for the job that is on its way. */
  readonly #work = new Map<string, SubJobRow>();
  readonly #cancelled = new Set<string>();
  readonly #news: JobCommand[] = [];
  readonly #past: JobCommand[] = [];
  #run: Run;
  ended = 0;

  constructor(shape: Shape, { forgetful = false } = {}) {
    this.#shape = shape;
    this.#job = new LedJob(shape, { window: shape.window, attempts: shape.attempts });
    this.#forgetful = forgetful;
    this.#run = newRun(shape);
    this.#send({ type: 'accept', record: this.#job.record, admitted: shape.admitted, objectId: 'object 1' });
  }

  get state(): JobState {
    return this.#job.state!;
  }

  /** With the number of the task. */
  get stage(): string {
    const { stage } = this.state;
    return stage.name === 'TASK' ? `TASK ${stage.index}` : stage.name;
  }

  get isOver(): boolean {
    return isTerminal(this.state.status);
  }

  get stored(): unknown {
    return this.#snapshot;
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
      case 'cancel':
      case 'shutdown':
        if (this.#send({ type: step.type }).reply.kind === 'done')
          this.#run.cancelledBy = step.type === 'cancel' ? 'USER' : 'SHUTDOWN';
        return this.#checkEnd();
      case 'resubmit':
        return this.#resubmit(step.admitted);
      case 'admit':
      case 'resume':
        this.#send({ type: step.type });
    }
  }

  /** Whatever waits is done well, until the job has ended or comes to this stage. */
  drive(stage = 'ENDED'): void {
    if (this.state.status === 'INITIALIZED' && stage !== 'WAITING') this.#send({ type: 'admit' });
    while (!this.isOver && this.stage !== stage) {
      expect(
        this.#work.size + this.#news.length,
        'work or news for a job that has not ended',
      ).to.be.greaterThan(0);
      if (this.#news.length > 0) this.#bringNews(0);
      else this.#answer({ type: 'work', pick: 0, fate: 'done', found: [{ start: 0, stop: 3 }] });
    }
  }

  #answer({ pick, fate, found }: Extract<Step, { type: 'work' }>): void {
    const keys = [...this.#work.keys()].toSorted();
    const key = keys[pick % keys.length];
    if (key === undefined) return;
    const row = this.#work.get(key)!;
    this.#work.delete(key);
    if (this.#cancelled.has(key) && (fate === 'lost' || fate === 'failed')) {
      this.#news.push({ type: 'workDropped', keys: [key] });
      return;
    }
    const command = this.#commandOf(row, fate, found);
    const stillWanted = this.state.outstanding.has(key);
    const { reply } = this.#send(command);
    expect(reply.kind, `the reply to ${command.type} of ${key}`).to.equal(stillWanted ? 'done' : 'refused');
    if (stillWanted) this.#note(row, command, fate);
    this.#checkEnd();
    this.#past.push(command);
  }

  #commandOf(row: SubJobRow, fate: Fate, found: readonly Range[]): JobCommand {
    if (fate === 'failed') return failedWith(row);
    if (fate === 'lost') return lost(row);
    return doneWith(this.#shape, row, {
      warning: fate === 'warning',
      found: fate === 'nothing found' ? [] : found,
    });
  }

  /** What the end has to show of it. */
  #note(row: SubJobRow, { type }: JobCommand, fate: Fate): void {
    const failed = type === 'workFailed' || (type === 'workLost' && row.attempts + 1 >= this.#shape.attempts);
    if (failed && row.kind === 'DOCUMENT') this.#run.documentFailed = true;
    else if (failed) this.#run.failed = true;
    if (fate === 'warning' && (row.kind === 'PREPARE' || row.kind === 'FINISH')) this.#run.warned = true;
  }

  /** An answer that was given before arrives once more. */
  #again(pick: number): void {
    const command = this.#past[pick % this.#past.length];
    if (command === undefined || !('key' in command)) return;
    // A lost piece that is tried again under its old key is told apart by the dispatcher's tokens, not by the job.
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

  /** A component let go of a piece whose answer had been taken already. */
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

  #reload(): void {
    this.#job.state = this.#restored();
  }

  #restored(): JobState {
    const snapshot = jobSnapshotSchema.parse(this.#snapshot);
    const prefix = runPrefix(snapshot.run);
    const stored = isTerminal(snapshot.status)
      ? []
      : [...this.#rows.values()].filter(({ key }) => key.startsWith(prefix));
    const rows = stored.toSorted((a, b) => (a.key < b.key ? -1 : 1));
    return restore(this.#job.record, snapshot, rows);
  }

  #send(command: JobCommand): JobOutcome {
    const before = this.#job.state;
    this.#job.tell(command);
    const outcome = this.#job.last!;
    if (command.type === 'resubmit' && outcome.change !== undefined) this.#run = newRun(this.#shape);
    if (before !== undefined && isTerminal(before.status) && command.type !== 'resubmit')
      expect(outcome.change, `${before.status} is final, also for ${command.type}`).to.equal(undefined);
    if (outcome.change === undefined) return outcome;
    if (command.type !== 'accept')
      expect(TRANSITIONS[command.type].to, `where ${command.type} leads to`).to.include(this.state.status);
    if (outcome.change.silent === true) expect(this.state).to.equal(before);
    else this.#store(outcome.change);
    this.#check();
    this.#perform(outcome.change.effects);
    if (this.#forgetful) this.#reload();
    return outcome;
  }

  /** As the store does it: rows that go, then rows that come. */
  #store({ rows, removed }: NonNullable<JobOutcome['change']>): void {
    this.#snapshot = json(toSnapshot(this.#job.record, this.state));
    for (const prefix of removed ?? [])
      for (const key of this.#rows.keys()) if (key.startsWith(prefix)) this.#rows.delete(key);
    for (const row of rows) {
      this.#rows.set(row.key, json(row));
      if (row.state === 'QUEUED' && row.attempts === 0) this.#checkNew(row);
      else if (row.state !== 'QUEUED') {
        expect(this.#run.answered.has(row.key), `${row.key} is answered twice`).to.equal(false);
        this.#run.answered.add(row.key);
      }
    }
  }

  #checkNew(row: SubJobRow): void {
    const { made } = this.#run;
    const unit = [...made.values()].filter(
      (other) => other.medium === row.medium && other.action === row.action && sameStage(other, row),
    );
    expect(made.has(row.key), `${row.key} is made twice`).to.equal(false);
    if (row.kind === 'PREPARE') expect(unit, `medium ${row.medium} is prepared twice`).to.deep.equal([]);
    if (row.kind === 'FINISH') {
      expect(
        unit.filter(({ kind }) => kind === 'FINISH'),
        'finished twice',
      ).to.deep.equal([]);
      for (const { key } of unit)
        expect(this.state.outstanding.has(key), `${row.key} comes before ${key} is answered`).to.equal(false);
    }
    if (this.state.status === 'CANCELLING')
      expect(row.kind, 'new work of a cancelled job').to.be.oneOf(['FINISH', 'DOCUMENT']);
    made.set(row.key, row);
  }

  /** The dispatcher: takes what is offered (once), and lets go of what is cancelled sooner or later. */
  #perform(effects: readonly JobEffect[]): void {
    for (const effect of effects)
      if (effect.type === 'offer') for (const row of effect.rows) this.#work.set(row.key, row);
      else if (effect.type === 'cancelWork') this.#cancel(effect.rows);
      else if (effect.type === 'ended') this.ended++;
      else
        expect(effect.document, 'only a resubmission removes the document').to.equal(
          effect.run < this.state.run,
        );
  }

  /** Every other piece is in a component's hands and may still be answered; the rest is dropped at once. */
  #cancel(rows: readonly SubJobRow[]): void {
    const dropped = rows
      .filter(({ key }, index) => !this.#work.has(key) || index % 2 === 0)
      .map(({ key }) => key);
    for (const key of dropped) this.#work.delete(key);
    for (const { key } of rows) this.#cancelled.add(key);
    if (dropped.length > 0) this.#news.push({ type: 'workDropped', keys: dropped });
  }

  #check(): void {
    const { state } = this;
    const { progress } = jobSnapshotSchema.parse(this.#snapshot);
    expect(progress, 'progress falls').to.be.at.least(this.#run.progress);
    this.#run.progress = progress;
    expect(JSON.stringify(this.#snapshot).length, 'bytes of the snapshot').to.be.at.most(MAX_SNAPSHOT_BYTES);
    const pieces = [...state.outstanding.values()].filter(({ kind }) => kind !== 'FINISH');
    expect(pieces.length, 'pieces outstanding').to.be.at.most(this.#shape.window);
    expect(isTerminal(state.status)).to.equal(state.stage.name === 'ENDED');
    this.#checkRestored(this.#restored());
  }

  #checkRestored(restored: JobState): void {
    const { state } = this;
    expectSame(small(restored), small(state), 'the small part of the restored state');
    if (isTerminal(state.status)) return;
    expectSame(restored.media, state.media, 'restored media');
    expectSame(
      [...restored.outstanding.values()].toSorted(byKey),
      [...state.outstanding.values()].toSorted(byKey),
      'restored work',
    );
    // Pieces that were dropped have no row any more: a job that stops makes no more pieces, so their number does not matter.
    const stopping = state.status === 'CANCELLING';
    const units = (of: JobState) => of.units.map((unit) => (stopping ? { ...unit, made: 0 } : unit));
    expectSame(units(restored), units(state), 'restored units');
    if (!stopping) expect(nextUnit(restored), 'where the restored state goes on').to.equal(nextUnit(state));
  }

  #checkEnd(): void {
    if (!this.isOver) return;
    const { cancelledBy, failed, warned, documentFailed } = this.#run;
    expect(this.state.status).to.equal(expectedEnd(cancelledBy, failed || documentFailed, warned));
    expect(this.state.hasDocument).to.equal(this.#shape.buildOutput === true && !documentFailed);
    expect([...this.#rows.keys()], 'rows that an ended job leaves behind').to.deep.equal([]);
    expect(this.ended, 'ends that were told').to.equal(this.state.run);
    if (this.state.status === 'COMPLETE') this.#checkCoverage();
    this.#work.clear();
  }

  /** Every frame that was asked for is looked at once by each action of the first task. */
  #checkCoverage(): void {
    const pieces = [...this.#run.made.values()].filter(
      ({ kind, stage }) => kind === 'DETECT' && stage.name === 'TASK' && stage.index === 0,
    );
    for (const [medium, { type, frames, frameRanges }] of mediaOf(this.#shape).entries())
      for (let action = 0; action < (this.#shape.tasks?.[0] ?? 1); action++) {
        const mine = pieces.filter((piece) => piece.medium === medium && piece.action === action);
        if ((type ?? 'VIDEO') !== 'VIDEO') expect(mine).to.have.lengthOf(1);
        else
          expect(mine.flatMap(({ range }) => framesOf(range)).toSorted(ascending)).to.deep.equal(
            askedFrames(frames ?? 25, frameRanges ?? []),
          );
      }
  }
}

/** chai's comparison is slow and only needed for its message. */
function expectSame(actual: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, what).to.deep.equal(expected);
}

function expectedEnd(cancelledBy: Run['cancelledBy'], failed: boolean, warned: boolean): string {
  if (cancelledBy !== undefined) return cancelledBy === 'USER' ? 'CANCELLED' : 'CANCELLED_BY_SHUTDOWN';
  if (failed) return 'ERROR';
  return warned ? 'COMPLETE_WITH_WARNINGS' : 'COMPLETE';
}

function small(state: JobState): Partial<JobState> {
  const { media: _, units: __, cursor: ___, outstanding: ____, ...rest } = state;
  return rest;
}

const nextUnit = ({ units, cursor }: JobState): number =>
  units.findIndex((unit, index) => index >= cursor && unit.made < unit.ranges.length);

const sameStage = (a: SubJobRow, b: SubJobRow) => JSON.stringify(a.stage) === JSON.stringify(b.stage);
const byKey = (a: SubJobRow, b: SubJobRow) => (a.key < b.key ? -1 : 1);
const ascending = (a: number, b: number) => a - b;
const framesOf = ({ start, stop }: Range) => Array.from({ length: stop - start + 1 }, (_, i) => start + i);

function askedFrames(length: number, ranges: readonly Range[]): readonly number[] {
  const all = framesOf({ start: 0, stop: length - 1 });
  return ranges.length === 0
    ? all
    : all.filter((frame) => ranges.some(({ start, stop }) => start <= frame && frame <= stop));
}
