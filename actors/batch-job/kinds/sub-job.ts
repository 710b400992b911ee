/** Common parts of the rows of all kinds of sub-jobs. */
import type { WorkMedium } from '../../../protocol/media-work.ts';
import type { PlannedAction } from '../../../domain/plan.ts';
import type { Properties } from '../../../domain/types.ts';
import type { DecisionContext } from '../state/context.ts';
import { forComponent } from '../plan/effective-properties.ts';
import { namesOf, unitPath } from '../state/keys.ts';
import { mediumOf, type JobRecord, type RequestedMedium } from '../state/record.ts';
import type { JobState, Prepared, SubJobRow, Unit } from '../state/state.ts';
import { WHOLE } from '../state/units.ts';

type New = Pick<
  SubJobRow,
  'id' | 'key' | 'jobId' | 'run' | 'stage' | 'unit' | 'medium' | 'action' | 'range' | 'state' | 'attempts'
>;

/** Returns a sub-job of a stage. `id` and `path` identify it within the run. */
export const newSubJob = (
  state: JobState,
  index: number,
  { medium, action }: Unit,
  { record }: DecisionContext,
  { id, path }: { readonly id: string; readonly path: string },
): New => ({
  stage: state.stage,
  unit: index,
  medium,
  action,
  range: WHOLE,
  state: 'QUEUED',
  attempts: 0,
  ...namesOf(record, state, id, path),
});

/** Returns a sub-job of a task on a medium. */
export function subJobOfUnit(
  state: JobState,
  index: number,
  unit: Unit,
  context: DecisionContext,
  end: { readonly id: string; readonly path: string },
): New {
  const task = taskIndex(state);
  const id = `${task}.${unit.action}.${unit.medium}.${end.id}`;
  return newSubJob(state, index, unit, context, { id, path: `${unitPath(task, unit)}/${end.path}` });
}

export const taskIndex = ({ stage }: Pick<SubJobRow, 'stage'>) => (stage.name === 'TASK' ? stage.index : 0);

/** Returns the facts that all sub-jobs of an action on a medium need. */
export function settingOf(state: JobState, unit: Unit, { record }: DecisionContext) {
  const action: PlannedAction = record.plan.tasks[taskIndex(state)]!.actions[unit.action]!;
  const prepared = state.media.get(unit.medium)!.prepared!;
  const medium = mediumOf(record, state.media, unit.medium);
  const { facts, file } = prepared;
  return { action, facts, medium, prepared: file, ...workOnMedium(record, action, medium, prepared) };
}

/** Returns the medium as components receive it, and the properties of the action. */
export function workOnMedium(
  record: JobRecord,
  action: PlannedAction,
  medium: RequestedMedium,
  { facts, path, inspected, bytes }: Prepared,
): { readonly properties: Properties; readonly work: WorkMedium } {
  const { mediaType, mimeType, length, metadata } = facts;
  const fps = facts.frameTimes?.fps ?? 0;
  const properties = forComponent(record, action, medium, {
    mediaType,
    fps: facts.frameTimes?.meanFps ?? fps,
  });
  const { mediaId } = medium;
  const work: WorkMedium = {
    ...{ mediaId, mediaType, mimeType, path, length, metadata, fps, inspected },
    ...(bytes === undefined ? {} : { bytes }),
    // Without an inspection, the hash is only a claim of the client.
    ...(inspected && facts.sha256 !== '' ? { sha256: facts.sha256 } : {}),
  };
  return { properties, work };
}
