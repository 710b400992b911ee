import type { FinishSummary } from '../../components/sdk/protocol.ts';
import { wantsArtifacts } from '../../pipeline/artifact-selection.ts';
import { booleanOf } from '../../pipeline/properties.ts';
import type { ArchiveFinding } from '../../pipeline/types.ts';
import type { Notice, Row } from '../../store/store.ts';
import type { JobEffect } from './effects.ts';
import { copiesResults, wantsUpload } from './archive.ts';
import { inForce } from './in-force.ts';
import { owedAtEnd } from './notices.ts';
import { artifactsRow, finishRow, pieceRow } from './pieces.ts';
import { planStage, stageIndex, underived } from './planning.ts';
import { take, withTime, type Answer } from './results.ts';
import type { JobState, Stage, SubJobRow, Unit } from './state.ts';
import { after, BATCH_JOB_STATUSES, isTerminal } from './status.ts';
import type { Given } from './transitions.ts';
import { weightOfAll } from './units.ts';

/** A new state with what is to be stored and done for it. */
export interface Change {
  readonly state: JobState;
  readonly rows: readonly SubJobRow[];
  readonly effects: readonly JobEffect[];
  /** Notices that the job owes from now on, and ids of those that it does not owe any more. */
  readonly notices?: readonly Notice[];
  readonly settled?: readonly string[];
  /** Rows that outlive the end: what is posted to the archive, for a repost. */
  readonly keptRows?: readonly Row[];
  /** The actor goes with all it has. */
  readonly gone?: boolean;
  /** Keys of rows that go. */
  readonly removed?: readonly string[];
  readonly synced?: boolean;
  /** Nothing to store: only effects. */
  readonly silent?: boolean;
}

/** Starts the first stage. */
export function begin(state: JobState, given: Given): Change {
  const failed = given.record.media.some(({ problem }) => problem !== undefined);
  const status = state.issues.length > 0 ? after(state.status, 'warning') : state.status;
  const started: JobState = {
    ...state,
    startedAt: given.at,
    status: failed ? after(status, 'error') : status,
  };
  // What an earlier job has done already is not done again.
  const first: Stage = started.pastOutput === null ? { name: 'PREPARE' } : afterMatch(started, given);
  return advance(enter(started, first, given), given);
}

/** What the archive says of earlier jobs: one that did the same stands for this one, all else goes on. */
export function archiveAnswered(state: JobState, answer: ArchiveFinding, given: Given): Change {
  const asked = withArchiveAnswer({ ...state, checkArchive: false }, answer);
  return advance(enter(asked, nextStage(asked, given), given), given);
}

export function withArchiveAnswer(state: JobState, answer: ArchiveFinding): JobState {
  switch (answer.kind) {
    case 'none':
      return state;
    case 'match':
      return { ...state, pastOutput: answer.match.outputUri, pastStatus: answer.match.jobStatus };
    case 'failed': {
      const message = `The archive could not be asked for an earlier job like this one: ${answer.reason}`;
      const issue = { severity: 'warning', code: 'ARCHIVE_BEFORE_JOB_CHECK', message } as const;
      // A job that waits for admission goes on waiting: it is marked when it begins.
      const status = state.status === 'INITIALIZED' ? state.status : after(state.status, 'warning');
      return { ...state, status, issues: [...state.issues, issue] };
    }
  }
}

/** Takes an answer: stores it, opens the finishing of a unit that is complete, makes more work, moves to the next stage. */
export function answered(state: JobState, row: SubJobRow, answer: Answer, ms: number, given: Given): Change {
  const outstanding = new Map(state.outstanding);
  outstanding.delete(row.key);
  const timed = withTime({ ...state, outstanding }, row, ms, given);
  // What was to be done is not kept once it is: rows stay small however large the properties are.
  const taken = take(timed, { ...row, work: null }, answer, given);
  const follow = followUp(taken.state, taken.row, given);
  const next = advance(follow.state, given);
  return {
    state: next.state,
    // The end removes every row; one that is written with it would stay for ever.
    rows: next.state.stage.name === 'ENDED' ? [] : [taken.row, ...follow.rows, ...next.rows],
    effects: [...offer(follow.rows), ...next.effects],
    ...endOf(next),
  };
}

/** What only the change that ends a job brings. */
function endOf({ removed, synced, notices, keptRows }: Change): Partial<Change> {
  return {
    ...(removed === undefined ? {} : { removed }),
    ...(synced === undefined ? {} : { synced }),
    ...(notices === undefined ? {} : { notices }),
    ...(keptRows === undefined ? {} : { keptRows }),
  };
}

/** Puts a lost sub-job back to be tried again. */
export function requeue(state: JobState, row: SubJobRow): Change {
  const outstanding = new Map(state.outstanding).set(row.key, row);
  return { state: { ...state, outstanding }, rows: [row], effects: offer([row]) };
}

/** Makes as much work as the window allows; when the stage has none left, goes on to the next. */
export function advance(state: JobState, given: Given): Change {
  const rows: SubJobRow[] = [];
  let current = state;
  for (;;) {
    if (current.stage.name === 'ENDED') break;
    const made = isStopping(current) ? finishFound(current, given) : fill(current, given);
    rows.push(...made.rows);
    current = made.state;
    const waits = current.stage.name === 'WAITING' || current.stage.name === 'CHECK';
    if (current.outstanding.size > 0 || (waits && !isStopping(current))) break;
    current = enter(current, nextStage(current, given), given);
  }
  if (current.stage.name === 'ENDED') return ended(current, given);
  const asked: JobEffect[] =
    current.stage.name === 'CHECK' && state.stage.name !== 'CHECK' ? [{ type: 'checkArchive' }] : [];
  const strays: JobEffect[] =
    current.stage.name === 'DOCUMENT' && state.stage.name !== 'DOCUMENT' ? [{ type: 'removeStrays' }] : [];
  return { state: current, rows, effects: [...offer(rows), ...asked, ...strays] };
}

/** The end: rows and files go, notices go out. */
function ended(state: JobState, { record, at, settings }: Given): Change {
  const { callback, archive, notices, rows } = owedAtEnd(record, state, settings, at);
  // Admission hears of it first: whoever sees the end and resubmits at once must not keep the place of the run before.
  const effects: JobEffect[] = [
    { type: 'ended' },
    // Before the files: to remove many takes a while.
    ...deliver(notices),
    { type: 'removeFiles', run: state.run, document: false },
  ];
  // Synced: the files that could do the work again go right after it.
  return {
    state: { ...state, callback, archive },
    rows: [],
    effects,
    removed: [''],
    synced: true,
    notices,
    keptRows: rows,
  };
}

export function deliver(notices: readonly Notice[]): JobEffect[] {
  if (notices.length === 0) return [];
  return [{ type: 'deliver', destinations: [...new Set(notices.map(({ destination }) => destination))] }];
}

const isStopping = (state: JobState) => state.status === 'CANCELLING';

/** While work is wanted: the next pieces in order of media, up to the window. */
function fill(state: JobState, given: Given): { state: JobState; rows: SubJobRow[] } {
  const rows: SubJobRow[] = [];
  let { units, cursor } = state;
  const room = given.settings.window - state.outstanding.size;
  for (let at = cursor; rows.length < room && at < units.size; at++) {
    let unit = units.get(at)!;
    // A unit that waits to hear what it is fed is passed over, and looked at again.
    while (rows.length < room && hasNext(unit)) {
      rows.push(pieceRow(state, at, unit, given));
      unit = unit.feed === 'WANTED' ? { ...unit, feed: 'MADE' } : { ...unit, made: unit.made + 1 };
    }
    units = units.set(at, unit);
    if (at === cursor && unit.feed !== 'MADE' && !hasNext(unit)) cursor++;
  }
  return { state: { ...withRows(state, rows), units, cursor }, rows };
}

const hasNext = ({ feed, made, pieces }: Unit) => feed === 'WANTED' || (feed !== 'MADE' && made < pieces);

/** When the job is to stop: no new pieces; what was found already is still finished. */
function finishFound(state: JobState, given: Given): { state: JobState; rows: SubJobRow[] } {
  if (state.stage.name === 'DOCUMENT' || state.stage.name === 'UPLOAD') return fill(state, given);
  if (state.stage.name !== 'TASK' || state.outstanding.size > 0) return { state, rows: [] };
  if (given.record.plan.tasks[state.stage.index]?.actionType === 'MARKUP') return { state, rows: [] };
  const rows: SubJobRow[] = [];
  const units = state.units.map((unit, index): Unit => {
    if (unit.done === 0 || unit.finish !== 'NONE') return unit;
    rows.push(finishRow(state, index, unit, given));
    return { ...unit, finish: 'MADE' };
  });
  return { state: { ...withRows(state, rows), units }, rows };
}

/** What an answer opens in its unit: the finishing when it was the last piece, and after that the artifacts. */
function followUp(state: JobState, row: SubJobRow, given: Given): { state: JobState; rows: SubJobRow[] } {
  const unit = state.units.get(row.unit);
  const none = { state, rows: [] };
  if (state.stage.name !== 'TASK' || unit === undefined) return none;
  if (row.kind === 'DETECT') {
    if (unit.done + unit.failed < unit.pieces || unit.done === 0 || unit.finish !== 'NONE') return none;
    const finish = finishRow(state, row.unit, unit, given);
    const units = state.units.set(row.unit, { ...unit, finish: 'MADE' });
    return { state: { ...withRows(state, [finish]), units }, rows: [finish] };
  }
  if (row.kind !== 'FINISH' || row.summary === undefined || isStopping(state)) return none;
  if (!extracts(state, unit, row.summary, given)) return none;
  const artifacts = artifactsRow(state, row.unit, unit, row.file!, given);
  return { state: withRows(state, [artifacts]), rows: [artifacts] };
}

/** Whether any of the tracks gets artifacts; those that an annotator gave back have theirs already. */
function extracts(
  { media, stage }: JobState,
  { medium, action }: Unit,
  { tracks, types, sections }: FinishSummary,
  { record }: Given,
): boolean {
  const planned = record.plan.tasks[stageIndex(stage)]?.actions[action];
  const mediaType = media.get(medium)?.prepared?.facts.mediaType;
  if (tracks === 0 || sections !== undefined || planned === undefined || mediaType === undefined)
    return false;
  const properties = inForce(record, media, planned, medium, mediaType);
  if (booleanOf(properties, 'SUPPRESS_TRACKS')) return false;
  return wantsArtifacts(properties, Object.keys(types), mediaType);
}

/** The stage after this one. A job that stops goes straight to its document; one without any goes to its end. */
function nextStage(state: JobState, { record }: Given): Stage {
  const { stage } = state;
  const document: Stage = record.buildOutput ? { name: 'DOCUMENT' } : { name: 'ENDED' };
  if (stage.name === 'DOCUMENT' && state.hasDocument && wantsUpload(record)) return { name: 'UPLOAD' };
  if (stage.name === 'DOCUMENT' || stage.name === 'UPLOAD') return { name: 'ENDED' };
  if (state.pastOutput !== null) return afterMatch(state, { record });
  if (state.status === 'CANCELLING') return document;
  if (stage.name === 'PREPARE' && state.checkArchive && allPrepared(state)) return { name: 'CHECK' };
  if (stage.name === 'TASK' && underived(state.media).length > 0)
    return { name: 'DERIVED', index: stage.index };
  const next = stageIndex(stage) + 1;
  return next < record.plan.tasks.length ? { name: 'TASK', index: next } : document;
}

/** An earlier job's document stands for this job's, also when it is cancelled before its turn; else it may be wanted elsewhere. */
function afterMatch({ stage, status }: JobState, { record }: Pick<Given, 'record'>): Stage {
  const copies = stage.name !== 'COPY' && status !== 'CANCELLING' && copiesResults(record);
  return { name: copies ? 'COPY' : 'ENDED' };
}

/** A job with a medium that could not be had has no likeness among earlier jobs. */
const allPrepared = ({ media }: Pick<JobState, 'media'>) => media.every(({ prepared }) => prepared !== null);

function enter(state: JobState, stage: Stage, given: Given): JobState {
  const units = planStage(state, stage, given);
  const entered: JobState = { ...state, stage, units, weight: weightOfAll(units), cursor: 0 };
  if (stage.name === 'DOCUMENT') return { ...entered, endedAt: given.at };
  if (stage.name === 'ENDED')
    return { ...entered, endedAt: state.endedAt ?? given.at, status: finalStatus(state) };
  return entered;
}

/** What the job will have ended as when its document is written without trouble. */
function finalStatus(state: JobState): JobState['status'] {
  const past = BATCH_JOB_STATUSES.find((status) => status === state.pastStatus);
  // What was copied is as good as it was.
  const copied = state.stage.name === 'COPY' && state.hasDocument && state.status !== 'CANCELLING';
  if (copied && past !== undefined && isTerminal(past)) return past;
  return after(state.status, state.cancelledBy === 'SHUTDOWN' ? 'shutdown' : 'complete');
}

function withRows(state: JobState, rows: readonly SubJobRow[]): JobState {
  if (rows.length === 0) return state;
  const outstanding = new Map(state.outstanding);
  for (const row of rows) outstanding.set(row.key, row);
  return { ...state, outstanding };
}

const offer = (rows: readonly SubJobRow[]): JobEffect[] =>
  rows.length === 0 ? [] : [{ type: 'offer', rows }];
