/** Short definitions of batch jobs, their media and the answers of components. */
import type { FinishSummary } from '../../../protocol/track-work.ts';
import type { JobCommand } from '../../../actors/batch-job/state/commands.ts';
import type { JobEffect } from '../../../actors/batch-job/state/effects.ts';
import type { JobSettings } from '../../../actors/batch-job/state/context.ts';
import type { JobRecord } from '../../../actors/batch-job/state/record.ts';
import type { JobState, SubJobRow } from '../../../actors/batch-job/state/state.ts';
import { JOB_MACHINE } from '../../../actors/batch-job/life-cycle/transitions.ts';
import { decide, type Decision } from '../../../actors/runtime/machine.ts';
import type { JobTypes } from '../../../actors/batch-job/state/change.ts';
import type { HttpNotice } from '../../../actors/delivery/notice.ts';
import type { PipelinePlan, PlannedAction, PlannedTask } from '../../../domain/plan.ts';
import { userRanges } from '../../../domain/frames/segments.ts';
import type {
  Algorithm,
  ArchiveFinding,
  Issue,
  MediaType,
  MediumFacts,
  Properties,
  Range,
} from '../../../domain/types.ts';
import type { Notice, Row } from '../../../store/store.ts';

export interface GivenMedium {
  readonly type?: MediaType;
  /** Number of frames of a video. */
  readonly frames?: number;
  readonly frameRanges?: readonly Range[];
  /** The medium is invalid at creation. */
  readonly problem?: boolean;
  /** The medium is on another host. */
  readonly remote?: boolean;
  readonly sha256?: string;
  /** Duration of a sound, as found by inspection. */
  readonly seconds?: number;
  /** URL of the archive for its results. */
  readonly archiveUrl?: string;
  readonly metadata?: Properties;
  readonly properties?: Properties;
}

export interface GivenJob {
  readonly media?: readonly GivenMedium[];
  /** Number of actions of each task. */
  readonly tasks?: readonly number[];
  readonly buildOutput?: boolean;
  readonly properties?: Properties;
  readonly priority?: number;
  readonly number?: number;
  readonly callback?: NonNullable<JobRecord['callback']>;
  readonly externalId?: string;
  readonly pipeline?: string;
  /** The last task annotates; it can do so only if it is fed tracks. */
  readonly annotates?: boolean;
  /** A further task draws the tracks. */
  readonly draws?: boolean;
  /** Properties that the algorithms support. */
  readonly declares?: readonly string[];
  /** Every piece of a document yields a picture. */
  readonly derives?: boolean;
}

const WARNING: Issue = { code: 'FRAME_COUNT', message: 'The number of frames is estimated.' };
const PROBLEM: Issue = { code: 'MEDIA_INITIALIZATION', message: 'The medium cannot be used.' };
const FPS = 10;
export const DOCUMENT_HASH = 'd0c'.repeat(21) + 'e';

export function settingsOf(more: Partial<JobSettings> = {}): JobSettings {
  const system = { version: '1.2.3', host: 'here.example' };
  return {
    dataDir: '/data',
    server: 'here',
    window: 4,
    attempts: 3,
    search: true,
    transferPauseMs: 1_000,
    system,
    maxDerived: 10,
    privateBuckets: false,
    allowedHosts: [],
    copiesAtOnce: 2,
    maxArchivedBytes: 1e9,
    ...more,
  };
}

export function recordOf(job: GivenJob = {}): JobRecord {
  const number = job.number ?? 7;
  return {
    number,
    jobId: `here-${number}`,
    siteId: 'here',
    user: 'somebody',
    owner: { user: 'somebody' },
    plan: planOf(job),
    media: mediaOf(job).map((medium, index) => ({
      mediaId: 100 + index,
      uri: medium.remote === true ? `http://media.example/${index}` : `file:///media/${index}`,
      metadata: medium.metadata ?? {},
      properties: medium.properties ?? {},
      frameRanges: medium.frameRanges ?? [],
      timeRanges: [],
      ...(medium.archiveUrl === undefined ? {} : { archiveUrl: medium.archiveUrl }),
      ...(medium.problem === true ? { problem: PROBLEM } : {}),
    })),
    priority: job.priority ?? 4,
    buildOutput: job.buildOutput ?? true,
    externalId: job.externalId ?? null,
    ...(job.callback === undefined ? {} : { callback: job.callback }),
    jobProperties: {
      TARGET_SEGMENT_LENGTH: '10',
      MIN_SEGMENT_LENGTH: '2',
      ARTIFACT_EXTRACTION_POLICY: 'NONE',
      ...job.properties,
    },
    algorithmProperties: {},
    serverProperties: {},
    environmentProperties: {},
  };
}

export const mediaOf = (job: GivenJob): readonly GivenMedium[] => job.media ?? [{}];

function planOf({
  tasks = [1],
  pipeline = 'PIPELINE',
  annotates,
  draws,
  declares = [],
}: GivenJob): PipelinePlan {
  const found = tasks.map((actions, task) => {
    const last = annotates === true && task > 0 && task === tasks.length - 1;
    return taskOf(task, actions, 'DETECTION', last ? { IS_ANNOTATOR: 'TRUE' } : {});
  });
  const drawn = draws === true ? [taskOf(tasks.length, 1, 'MARKUP', {})] : [];
  const properties = declares.map(
    (name) => ({ name, description: '', type: 'INT', defaultValue: '0' }) as const,
  );
  const declareAction = ({ algorithm, ...action }: PlannedAction): PlannedAction => ({
    ...action,
    algorithm: { ...algorithm, providesCollection: { states: [], properties } },
  });
  const all = [...found, ...drawn].map((task) => ({ ...task, actions: task.actions.map(declareAction) }));
  return { name: pipeline, description: '', tasks: all };
}

function taskOf(
  task: number,
  actions: number,
  actionType: Algorithm['actionType'],
  properties: Properties,
): PlannedTask {
  return {
    name: `TASK ${task}`,
    description: '',
    actionType,
    actions: Array.from({ length: actions }, (_, action) => ({
      name: `ACTION ${task}.${action}`,
      description: '',
      properties,
      algorithm: algorithmOf(`ALGORITHM ${task}.${action}`, actionType),
    })),
  };
}

function algorithmOf(name: string, actionType: Algorithm['actionType']): Algorithm {
  return {
    name,
    description: '',
    actionType,
    trackType: 'FACE',
    supportsBatchProcessing: true,
    supportsStreamProcessing: false,
    requiresCollection: { states: [] },
    providesCollection: { states: [], properties: [] },
  };
}

function factsOf(medium: GivenMedium): MediumFacts {
  const mediaType = medium.type ?? 'VIDEO';
  const base = {
    mediaType,
    mimeType: `${mediaType.toLowerCase()}/test`,
    sha256: medium.sha256 ?? 'ab',
    metadata: medium.seconds === undefined ? {} : { DURATION: String(medium.seconds * 1000) },
  };
  if (mediaType !== 'VIDEO') return { ...base, length: mediaType === 'IMAGE' ? 1 : -1 };
  return { ...base, length: medium.frames ?? 25, frameTimes: { fps: FPS, constantRate: true, startTime: 0 } };
}

export interface Answer {
  /** Adds a warning to the answer. */
  readonly warning?: boolean;
  /** Frames in which a finishing piece found tracks; default: all. For a detector, [] means none. */
  readonly found?: readonly Range[];
  /** Number of pieces that a unit is fed; default: 2. */
  readonly pieces?: number;
}

type WorkDone = Extract<JobCommand, { type: 'workDone' }>;
type WorkFailed = Extract<JobCommand, { type: 'workFailed' }>;

/** A successful answer of a component to this row. */
export function doneWith(job: GivenJob, row: SubJobRow, answer: Answer = {}): WorkDone {
  const token = `token of ${row.id}.${row.attempts}`;
  return {
    type: 'workDone',
    key: row.key,
    token,
    file: `/spool/${row.id}`,
    result: resultOf(job, row, answer),
    ms: 5,
  };
}

function resultOf(job: GivenJob, row: SubJobRow, answer: Answer): WorkDone['result'] {
  const { warning, found } = answer;
  const medium = mediaOf(job)[row.medium] ?? { type: 'IMAGE' };
  const warnings = warning === true ? [WARNING] : [];
  switch (row.kind) {
    case 'PREPARE': {
      if (row.work !== null && 'step' in row.work && row.work.step === 'FETCH')
        return { ok: true, kind: 'PREPARE', fetched: { bytes: 1_000 } };
      const facts = factsOf(medium);
      const { frameTimes, length } = facts;
      const ranges =
        frameTimes === undefined
          ? []
          : userRanges({ frameRanges: medium.frameRanges ?? [], timeRanges: [], frameTimes, length });
      return {
        ok: true,
        kind: 'PREPARE',
        prepared: { facts, path: `/media/${row.medium}`, warnings, ranges, inspected: true },
      };
    }
    case 'DETECT':
      return {
        ok: true,
        kind: 'DETECT',
        tracks: found?.length === 0 ? 0 : 1,
        detections: found?.length === 0 ? 0 : 3,
        derived: found?.length !== 0 && job.derives === true && medium.type === 'UNKNOWN' ? 1 : 0,
        warnings: 0,
      };
    case 'FEED': {
      const pieces = answer.pieces ?? 2;
      return { ok: true, kind: 'FEED', summary: { tracks: pieces, pieces, indexAt: 100 } };
    }
    case 'ARTIFACTS':
    case 'FINISH': {
      const more = moreFound(row);
      const ranges = found ?? [{ start: 0, stop: Math.max(0, factsOf(medium).length - 1) }];
      const summary = {
        tracks: ranges.length,
        detections: ranges.length,
        types: { FACE: ranges.length },
        warnings,
        ranges,
        ...more,
      };
      return { ok: true, kind: row.kind, summary };
    }
    case 'MARKUP':
      return { ok: true, kind: 'MARKUP', stored: { path: '/m', uri: 'file:///m', warnings } };
    case 'UPLOAD':
      return { ok: true, kind: 'UPLOAD', stored: { uri: 'https://bucket.example/d', warnings } };
    case 'COPY':
      return { ok: true, kind: 'COPY', bytes: 1_000, sha256: DOCUMENT_HASH };
    case 'DOCUMENT':
      return { ok: true, kind: 'DOCUMENT', bytes: 1_000, sha256: DOCUMENT_HASH };
  }
}

/** The parts of the finishing summary about annotated tracks and derived media. */
function moreFound({ work, medium, run }: SubJobRow): Pick<FinishSummary, 'sections' | 'derived'> {
  if (work === null || !('parts' in work)) return {};
  const { annotated, derive } = work;
  const mediaId = run * 1_000 + medium;
  return {
    ...(annotated === undefined
      ? {}
      : { sections: annotated.map(({ task, count }) => ({ task, count, types: { FACE: count } })) }),
    ...(derive === undefined || derive.most === 0
      ? {}
      : { derived: [{ mediaId, path: `/derived/${mediaId}`, uri: `file:///derived/${mediaId}` }] }),
  };
}

export const failedWith = (row: SubJobRow): JobCommand => ({
  type: 'workFailed',
  key: row.key,
  token: `token of ${row.id}.${row.attempts}`,
  code: 'DETECTION_FAILED',
  message: 'It did not work.',
  ms: 5,
});

/** A failure because another host is unreachable or busy. */
export const busyWith = (row: SubJobRow): WorkFailed => ({
  type: 'workFailed',
  key: row.key,
  token: `token of ${row.id}.${row.attempts}.${row.transfer?.failures ?? 0}`,
  code: 'REMOTE_STORAGE_DOWNLOAD',
  message: 'The host does not answer.',
  mayPass: true,
  ms: 5,
});

export const lose = (row: SubJobRow): JobCommand => ({
  type: 'workLost',
  key: row.key,
  attempt: row.attempts + 1,
  reason: 'the process died',
});

type Acceptance = Pick<Extract<JobCommand, { type: 'accept' }>, 'admitted' | 'archive'>;
export const OBJECT_ID = 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6';

/** Job properties that store the results in a bucket. */
export const BUCKET: Properties = {
  S3_RESULTS_BUCKET: 'https://bucket.example/results',
  S3_ACCESS_KEY: 'key',
  S3_SECRET_KEY: 'secret',
};

export const PAST_OUTPUT = 'http://past.example/1.json';
/** The archive has results of an equal earlier job. */
export const MATCH: ArchiveFinding = {
  kind: 'match',
  match: { outputUri: PAST_OUTPUT, jobId: 'there-1', jobStatus: 'COMPLETE', processedAt: 0 },
};

export const noticeFailed = (id: string, reason: string, next: Notice | null = null): JobCommand => ({
  type: 'noticeFailed',
  id,
  reason,
  next,
});

/** The outcome of a command, with sub-jobs, notices and archive checks listed separately. */
export interface JobOutcome {
  readonly reply: Decision<JobTypes>['reply'];
  readonly change?: ChangeOfJob;
}
export interface ChangeOfJob {
  readonly state: JobState;
  /** The new record, if it is replaced. */
  readonly record?: JobRecord;
  readonly effects: readonly JobEffect[];
  /** Sub-jobs that are written. */
  readonly rows: readonly SubJobRow[];
  /** Other rows that are written. */
  readonly keptRows: readonly Row[];
  readonly removed: readonly string[];
  readonly notices: readonly Notice[];
  /** Ids of notices that are no longer pending. */
  readonly settled: readonly string[];
  readonly synced: boolean;
  readonly gone: boolean;
  /** Nothing is stored. */
  readonly silent: boolean;
}

function outcomeOf(before: JobState | undefined, decision: Decision<JobTypes>): JobOutcome {
  const { reply, state, record, effects = [], putRows = [], removeRows = [], outbox = {} } = decision;
  if (state === undefined && effects.length === 0 && reply.kind === 'refused') return { reply };
  const { synced = false, gone = false } = decision;
  const isSubJob = ({ key, body }: Row) => (body as Partial<SubJobRow>).key === key;
  return {
    reply,
    change: {
      state: state ?? before!,
      ...(record === undefined ? {} : { record: record as JobRecord }),
      effects,
      rows: putRows.filter(isSubJob).map(({ body }) => body as SubJobRow),
      keptRows: putRows.filter((row) => !isSubJob(row)),
      removed: removeRows,
      notices: outbox.put ?? [],
      settled: outbox.remove ?? [],
      synced,
      gone,
      silent: state === undefined,
    },
  };
}

/** Drives a job one command at a time. */
export class LedJob {
  readonly given: GivenJob;
  record: JobRecord;
  readonly settings: JobSettings;
  state: JobState | undefined;
  last: JobOutcome | undefined;
  /** Rows as a store would have them. */
  readonly rows = new Map<string, unknown>();
  /** Time of the last command. */
  at = 999;

  constructor(given: GivenJob = {}, settings: Partial<JobSettings> = {}) {
    this.given = given;
    this.record = recordOf(given);
    this.settings = settingsOf(settings);
  }

  static accept(
    given: GivenJob = {},
    { admitted = true, archive = 'notAsked', ...settings }: Partial<JobSettings & Acceptance> = {},
  ): LedJob {
    const job = new LedJob(given, settings);
    job.tell({ type: 'accept', record: job.record, admitted, objectId: OBJECT_ID, archive });
    return job;
  }

  /** Sends a command and returns the reply. */
  tell(command: JobCommand): JobOutcome['reply'] {
    const context = { record: this.record, at: ++this.at, settings: this.settings };
    this.last = outcomeOf(this.state, decide(JOB_MACHINE, this.state, command, context));
    const { change } = this.last;
    if (change === undefined) return this.last.reply;
    this.state = change.gone ? undefined : change.state;
    this.record = change.record ?? this.record;
    for (const prefix of change.removed)
      for (const key of this.rows.keys()) if (key.startsWith(prefix)) this.rows.delete(key);
    for (const row of change.rows) this.rows.set(row.key, row);
    for (const { key, body } of change.keptRows) this.rows.set(key, body);
    return this.last.reply;
  }

  get status(): string {
    return this.state?.status ?? 'NONE';
  }

  /** Notices created by the last command. */
  get notices(): readonly (Notice & { readonly body: HttpNotice })[] {
    return (this.last?.change?.notices ?? []) as readonly (Notice & { readonly body: HttpNotice })[];
  }

  get effects(): readonly JobEffect[] {
    return this.last?.change?.effects ?? [];
  }

  get outstanding(): readonly SubJobRow[] {
    return [...(this.state?.outstanding.values() ?? [])];
  }

  /** The first outstanding row of this kind. */
  row(kind: SubJobRow['kind']): SubJobRow {
    const row = this.outstanding.find((candidate) => candidate.kind === kind);
    if (row === undefined)
      throw new Error(
        `The job has no ${kind} outstanding, but ${this.outstanding.map(({ id }) => id).join(', ')}.`,
      );
    return row;
  }

  finish(row: SubJobRow, answer: Answer = {}): this {
    this.tell(doneWith(this.given, row, answer));
    return this;
  }

  fail(row: SubJobRow): this {
    this.tell(failedWith(row));
    return this;
  }

  lose(row: SubJobRow): this {
    this.tell(lose(row));
    return this;
  }

  /**
   * Answers all outstanding rows repeatedly until one of another kind appears. With all kinds: until the job
   * ends.
   */
  doAll(...kinds: readonly SubJobRow['kind'][]): this {
    for (;;) {
      const row = this.outstanding.find(({ kind }) => kinds.length === 0 || kinds.includes(kind));
      if (row === undefined) return this;
      this.finish(row);
    }
  }

  /** Releases all waiting sub-jobs. */
  dropAll(): this {
    const keys = this.outstanding
      .filter(({ kind }) => kind === 'PREPARE' || kind === 'DETECT')
      .map(({ key }) => key);
    this.tell({ type: 'workDropped', keys });
    return this;
  }
}
