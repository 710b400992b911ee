/** State of the media of a job, and the changes by answers of sub-jobs. */
import type { FinishSummary } from '../../../protocol/track-work.ts';
import { List } from '../../basics/immutable.ts';
import type { JobRecord } from './record.ts';
import type { JobState, MediumState, Stage, SubJobRow } from './state.ts';

/**
 * Returns the media before inspection, with the problems found at creation. A retry reserves places for derivative media of earlier runs.
 */
export function untouchedMedia({ media, retry }: JobRecord): List<MediumState> {
  const named = media.map(({ problem }) => ({ ...UNKNOWN, failedIn: problem === undefined ? null : -1 }));
  const derived = Array.from({ length: (retry?.known ?? media.length) - media.length }, () => UNKNOWN);
  return List([...named, ...derived]);
}

const UNKNOWN: MediumState = { prepared: null, failedIn: null, processed: [], found: {}, derived: null };

/** Returns derivative media that are not inspected yet. */
export const findUnderived = (media: List<MediumState>): readonly number[] =>
  media
    .toArray()
    .flatMap(({ derived, prepared, failedIn }, index) =>
      derived !== null && prepared === null && failedIn === null ? [index] : [],
    );

/**
 * Returns the first medium of the request from `from` on that is neither inspected nor failed. Returns the number of media if there is
 * none.
 */
export function firstUninspected({ media }: JobRecord, known: List<MediumState>, from = 0): number {
  let at = from;
  while (at < media.length && isInspected(known.get(at)!)) at++;
  return at;
}

/** True if a medium was inspected, or has failed. */
export const isInspected = ({ prepared, failedIn }: MediumState): boolean =>
  prepared !== null || failedIn !== null;

/** Returns the first medium of the request from `from` on that has no problem and is not inspected yet. */
export function firstUsable(
  { media }: Pick<JobRecord, 'media'>,
  from: number,
  known: List<MediumState>,
): number {
  let at = from;
  while (at < media.length && (media[at]!.problem !== undefined || isInspected(known.get(at)!))) at++;
  return at;
}

/** Returns the media with a change in the medium of a row. */
export function withMedium(
  media: List<MediumState>,
  row: Pick<SubJobRow, 'medium'>,
  change: (medium: MediumState) => MediumState,
): List<MediumState> {
  const medium = media.get(row.medium);
  return medium === undefined ? media : media.set(row.medium, change(medium));
}

/** Marks the medium of a failed sub-job, so that later stages skip the medium. The first failure counts. */
export const failedBy = (media: List<MediumState>, row: SubJobRow): List<MediumState> =>
  withMedium(media, row, (medium) => ({ ...medium, failedIn: medium.failedIn ?? stageIndex(row.stage) }));

/** Adds a task that was fed nothing. It has no tracks, and consumes no earlier tracks. */
export function withNothingFed(
  medium: MediumState,
  { action, stage, file = '' }: Pick<SubJobRow, 'action' | 'stage' | 'file'>,
): MediumState {
  if (action !== 0) return medium;
  const nothing = { task: stageIndex(stage), file, tracks: 0, ranges: [], sections: [] };
  return { ...medium, processed: [...medium.processed, nothing] };
}

/** Adds the result of FINISH or ARTIFACTS to a medium. */
export function withFound(
  medium: MediumState,
  { action, stage, kind, file = '' }: Pick<SubJobRow, 'action' | 'stage' | 'kind' | 'file'>,
  { types, tracks, ranges, sections }: FinishSummary,
): MediumState {
  const task = stageIndex(stage);
  // Artifacts and annotators find nothing new.
  const found = kind === 'FINISH' && sections === undefined ? sumOf(medium.found, types) : medium.found;
  if (action !== 0) return { ...medium, found };
  const processed = { task, file, tracks, ranges, ...(sections === undefined ? {} : { sections }) };
  // Later tasks read only the frames of the last task.
  const others = medium.processed
    .filter((other) => other.task !== task)
    .map((other) => (other.ranges.length === 0 ? other : { ...other, ranges: [] }));
  return { ...medium, found, processed: [...others, processed] };
}

/** Adds up counts by type. A component may choose any type name, even a property name of every object. */
function sumOf(a: MediumState['found'], b: MediumState['found']): MediumState['found'] {
  const sum = new Map(Object.entries(a));
  for (const [type, number] of Object.entries(b)) sum.set(type, (sum.get(type) ?? 0) + number);
  return Object.fromEntries(sum);
}

/** Returns the media with the media that were derived from one of them. */
export function withDerived(
  media: List<MediumState>,
  { medium, derivedAt }: Pick<SubJobRow, 'medium' | 'derivedAt'>,
  { derived = [] }: FinishSummary,
): List<MediumState> {
  if (derivedAt === undefined) return media;
  return derived.reduce(
    (all, one, n) => all.set(derivedAt + n, { ...UNKNOWN, derived: { ...one, parent: medium } }),
    media,
  );
}

/** Returns the index of the task that a stage belongs to, or -1 before the first task. */
export const stageIndex = (stage: Stage): number =>
  stage.name === 'TASK' || stage.name === 'DERIVED' ? stage.index : -1;

/** Returns the progress of inspection while the first task runs, if media before `next` are queued for inspection. */
export function inspectingFrom(
  record: JobRecord,
  media: List<MediumState>,
  next: number,
): JobState['inspecting'] {
  const unplanned = firstUninspected(record, media);
  return unplanned === record.media.length ? null : { next: firstUsable(record, next, media), unplanned };
}
