import type { DocumentOutput } from '../../protocol/document-work.ts';
import type { PlannedAction } from '../../domain/plan.ts';
import { booleanOf } from '../../domain/properties/properties.ts';
import type { MediaType, MediumFacts, Properties } from '../../domain/types.ts';
import { annotates, forMedium, passesBy } from '../batch-job/plan/effective-properties.ts';
import { versionsOf } from '../batch-job/plan/track-inputs.ts';
import type { JobRecord, RequestedMedium } from '../batch-job/state/record.ts';
import type { Processed, SubJobRow } from '../batch-job/state/state.ts';

/** A medium with its sub-jobs. */
export interface MediumRows {
  /** Position among the media of the job. */
  readonly index: number;
  readonly medium: RequestedMedium;
  /** -1 for a medium of the request. */
  readonly parentMediaId: number;
  /** Task that created a derivative medium; -1 for a medium of the request. */
  readonly madeIn: number;
  readonly rows: readonly SubJobRow[];
}

/** An action that applies to a medium. */
interface Concern {
  readonly task: number;
  /** Position of the action in its task. */
  readonly number: number;
  readonly action: PlannedAction;
  readonly isMarkup: boolean;
  readonly properties: Properties;
}

export interface ActionOnMedium extends Concern {
  readonly ran: readonly SubJobRow[];
  /** Null if the action has no output of its own. */
  readonly output: DocumentOutput | null;
}

/** The outputs of the document. Each action that ran has one, and each that did not run because an earlier task found nothing or failed. */
export function outputsOf(record: JobRecord, of: MediumRows, cancelled: boolean): readonly DocumentOutput[] {
  return actionsOn(record, of).flatMap(({ ran, output }): DocumentOutput[] =>
    output === null || (ran.length === 0 && cancelled) ? [] : [output],
  );
}

/** The outputs of the document, with the sub-jobs of each action. */
export function actionsOn(record: JobRecord, of: MediumRows): readonly ActionOnMedium[] {
  const processed = processedIn(of.rows);
  return concerns(record, of).map((concern) => {
    const ran = of.rows.filter((row) => isOf(row, concern));
    return { ...concern, ran, output: entryOf(record, concern, processed, ran) };
  });
}

const isOf = ({ stage, action }: SubJobRow, { task, number }: Concern) =>
  stage.name === 'TASK' && stage.index === task && action === number;

/** The actions that apply to a medium: those after its creation. Empty if the type of the medium is unknown. */
function concerns(
  record: JobRecord,
  { medium, parentMediaId, madeIn, rows }: MediumRows,
): readonly Concern[] {
  const mediaType = mediaTypeIn(rows) ?? (isLost(medium, rows) ? 'UNKNOWN' : undefined);
  if (mediaType === undefined) return [];
  return record.plan.tasks.flatMap(({ actions, actionType }, task) =>
    actions.flatMap((action, number): Concern[] => {
      if (task <= madeIn) return [];
      const properties = forMedium(record, action, medium, mediaType);
      const isMarkup = actionType === 'MARKUP';
      if (passesBy(properties, parentMediaId >= 0)) return [];
      return [{ task, number, action, isMarkup, properties }];
    }),
  );
}

/** The known facts about a medium, even if it could not be inspected. */
export const factsIn = (rows: readonly SubJobRow[]): MediumFacts | undefined =>
  rows.find(({ prepared }) => prepared !== undefined)?.prepared?.facts ??
  rows.find(({ known }) => known !== undefined)?.known;

const mediaTypeIn = (rows: readonly SubJobRow[]): MediaType | undefined => factsIn(rows)?.mediaType;

/** True if a medium could not be read at all, so its type is unknown. */
const isLost = ({ problem }: RequestedMedium, rows: readonly SubJobRow[]): boolean =>
  problem !== undefined || rows.some(({ stage, state }) => stage.name !== 'TASK' && state === 'FAILED');

/** The output of an action. Null for an annotator, whose results are in the tracks that it annotated. */
function entryOf(
  record: JobRecord,
  { task, number, action, properties }: Concern,
  processed: readonly Processed[],
  ran: readonly SubJobRow[],
): DocumentOutput | null {
  const entry = {
    action: action.name,
    algorithm: action.algorithm.name,
    annotators: annotatorsOf(record, processed, task),
    exemplarsOnly: booleanOf(properties, 'OUTPUT_ARTIFACTS_AND_EXEMPLARS_ONLY', false),
    suppressed: booleanOf(properties, 'SUPPRESS_TRACKS'),
  };
  const finished = lastAnswer(ran);
  if (finished?.summary?.sections !== undefined) return null;
  // An annotator without input has no output. In the first task there is nothing to annotate.
  if (finished === undefined && task > 0 && annotates(properties)) return null;
  if (finished?.file === undefined) return { ...entry, tracks: null, types: {}, suppressed: false };
  const own = { ...entry, tracks: finished.file, types: finished.summary?.types ?? {} };
  const version = number === 0 ? versionsOf(processed).get(task) : undefined;
  if (version === undefined || version.path === finished.file) return own;
  const { path, first, count } = version;
  return { ...entry, tracks: path, lines: { first, count }, types: typesIn(processed, task) };
}

/** The row of the valid answer: ARTIFACTS if it is done, otherwise FINISH. */
function lastAnswer(rows: readonly SubJobRow[]): SubJobRow | undefined {
  const done = rows.filter(({ state, summary }) => state === 'DONE' && summary !== undefined);
  return done.find(({ kind }) => kind === 'ARTIFACTS') ?? done.find(({ kind }) => kind === 'FINISH');
}

function processedIn(rows: readonly SubJobRow[]): readonly Processed[] {
  const tasks = new Set(rows.flatMap(({ stage }) => (stage.name === 'TASK' ? [stage.index] : [])));
  return [...tasks]
    .toSorted((a, b) => a - b)
    .flatMap((task): Processed[] => {
      const mine = rows.filter(
        ({ stage, action }) => stage.name === 'TASK' && stage.index === task && action === 0,
      );
      const answer = lastAnswer(mine);
      if (answer?.file === undefined || answer.summary === undefined) return [];
      const { tracks, ranges, sections } = answer.summary;
      return [{ task, file: answer.file, tracks, ranges, ...(sections === undefined ? {} : { sections }) }];
    });
}

const annotatesTask = ({ sections }: Processed, task: number) =>
  sections?.find((section) => section.task === task);

function annotatorsOf(record: JobRecord, processed: readonly Processed[], task: number): readonly string[] {
  return processed
    .filter((one) => {
      const section = annotatesTask(one, task);
      return section !== undefined && section.untouched !== true;
    })
    .flatMap((one) => record.plan.tasks[one.task]?.actions[0]?.name ?? []);
}

/** The types that the last annotator gave to the tracks of a task. Empty if no annotator processed them. */
function typesIn(processed: readonly Processed[], task: number): Readonly<Record<string, number>> {
  const annotator = processed.findLast((one) => annotatesTask(one, task) !== undefined);
  return annotator === undefined ? {} : (annotatesTask(annotator, task)?.types ?? {});
}

/** True if every detecting action has finished on a medium. */
export function allFinished(record: JobRecord, of: MediumRows): boolean {
  // No action has finished on a medium that was never inspected.
  if (mediaTypeIn(of.rows) === undefined) return false;
  return concerns(record, of).every(
    (concern) =>
      concern.isMarkup ||
      of.rows.some((row) => isOf(row, concern) && row.kind === 'FINISH' && row.state === 'DONE'),
  );
}
