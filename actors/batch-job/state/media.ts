/** What a job knows of its media, and what the answers of sub-jobs add to it. */
import type { FinishSummary } from '../../../protocol/track-work.ts';
import { List } from '../../basics/immutable.ts';
import type { JobRecord } from './record.ts';
import type { JobState, MediumState, Stage, SubJobRow } from './state.ts';

/** The media before inspection, with the problems found at creation. A retry reserves places for derivative media of earlier runs. */
export function untouchedMedia({ media, retry }: JobRecord): List<MediumState> {
  const named = media.map(({ problem }) => ({ ...UNKNOWN, failedIn: problem === undefined ? null : -1 }));
  const derived = Array.from({ length: (retry?.known ?? media.length) - media.length }, () => UNKNOWN);
  return List([...named, ...derived]);
}

const UNKNOWN: MediumState = { prepared: null, failedIn: null, processed: [], found: {}, derived: null };

/** Derivative media that are not inspected yet. */
export const findUnderived = (media: List<MediumState>): readonly number[] =>
  media
    .toArray()
    .flatMap(({ derived, prepared, failedIn }, index) =>
      derived !== null && prepared === null && failedIn === null ? [index] : [],
    );

/** The first medium of the request from `from` on that is neither inspected nor failed; the number of media when there is none. */
export function firstUninspected({ media }: JobRecord, known: List<MediumState>, from = 0): number {
  let at = from;
  while (at < media.length && isInspected(known.get(at)!)) at++;
  return at;
}

/** Whether a medium was inspected, or failed. */
export const isInspected = ({ prepared, failedIn }: MediumState): boolean =>
  prepared !== null || failedIn !== null;

/** The first medium of the request from `from` on that has no problem and is not inspected yet. */
export function firstUsable(
  { media }: Pick<JobRecord, 'media'>,
  from: number,
  known: List<MediumState>,
): number {
  let at = from;
  while (at < media.length && (media[at]!.problem !== undefined || isInspected(known.get(at)!))) at++;
  return at;
}

/** The media with a change in the one that a row belongs to. */
export function withMedium(
  media: List<MediumState>,
  row: Pick<SubJobRow, 'medium'>,
  change: (medium: MediumState) => MediumState,
): List<MediumState> {
  const medium = media.get(row.medium);
  return medium === undefined ? media : media.set(row.medium, change(medium));
}

/** A failed sub-job: later stages leave the medium out. The first failure counts. */
export const failedBy = (media: List<MediumState>, row: SubJobRow): List<MediumState> =>
  withMedium(media, row, (medium) => ({ ...medium, failedIn: medium.failedIn ?? stageIndex(row.stage) }));

/** A task that was fed nothing has no tracks, and uses no earlier tracks up. */
export function withNothingFed(
  medium: MediumState,
  { action, stage, file = '' }: Pick<SubJobRow, 'action' | 'stage' | 'file'>,
): MediumState {
  if (action !== 0) return medium;
  const nothing = { task: stageIndex(stage), file, tracks: 0, ranges: [], sections: [] };
  return { ...medium, processed: [...medium.processed, nothing] };
}

/** What the finishing of an action on a medium, or the extraction of its artifacts, adds to what is known of the medium. */
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
  // Only the frames of the last task are looked at again.
  const others = medium.processed
    .filter((other) => other.task !== task)
    .map((other) => (other.ranges.length === 0 ? other : { ...other, ranges: [] }));
  return { ...medium, found, processed: [...others, processed] };
}

/** A component may name its types as it likes, also as what every object has. */
function sumOf(a: MediumState['found'], b: MediumState['found']): MediumState['found'] {
  const sum = new Map(Object.entries(a));
  for (const [type, number] of Object.entries(b)) sum.set(type, (sum.get(type) ?? 0) + number);
  return Object.fromEntries(sum);
}

/** The media with those that were derived from one of them. */
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

/** The number of the task that a stage belongs to; -1 before the first. */
export const stageIndex = (stage: Stage): number =>
  stage.name === 'TASK' || stage.name === 'DERIVED' ? stage.index : -1;

/** How far inspection beside the first task has come when media up to (not including) this one have been handed out for it. */
export function inspectingFrom(
  record: JobRecord,
  media: List<MediumState>,
  next: number,
): JobState['inspecting'] {
  const unplanned = firstUninspected(record, media);
  return unplanned === record.media.length ? null : { next: firstUsable(record, next, media), unplanned };
}
