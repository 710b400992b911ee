import type { List } from 'immutable';
import { taskInputs } from '../../../domain/plan/task-inputs.ts';
import type { TrackSource } from '../../../protocol/track-work.ts';
import { effectivePropertiesOf, isFed, tasksOn, triggerOf } from './effective-properties.ts';
import type { JobRecord } from '../state/record.ts';
import type { MediumState, Processed } from '../state/state.ts';

/** The latest version of tracks. An annotator writes the tracks of earlier tasks again. */
interface Version {
  readonly path: string;
  readonly first: number;
  readonly count: number;
}

/** Returns the tracks of each task on a medium, by the task that found them. */
export function versionsOf(processed: readonly Processed[]): ReadonlyMap<number, Version> {
  const versions = new Map<number, Version>();
  for (const { task, file, tracks, sections } of processed) {
    if (sections === undefined) versions.set(task, { path: file, first: 0, count: tracks });
    let first = 0;
    for (const section of sections ?? []) {
      versions.set(section.task, { path: file, first, count: section.count });
      first += section.count;
    }
  }
  return versions;
}

/** Returns the tracks of earlier tasks on a medium, and the triggers that have consumed some of them. Annotators consume no tracks. */
export function tracksBefore(
  record: JobRecord,
  media: List<MediumState>,
  index: number,
): readonly TrackSource[] {
  const medium = media.get(index)!;
  const finders = tasksOn(record, medium).filter(({ sections }) => sections === undefined);
  const triggers = finders.map((found, n) => consumes(record, media, index, found, n));
  const versions = versionsOf(medium.processed);
  return taskInputs(triggers).flatMap((input) => {
    const { task } = finders[input.task]!;
    const version = versions.get(task);
    if (version === undefined || version.count === 0) return [];
    // An annotator that rewrote the tracks has marked those consumed before it, because it may change the properties that a TRIGGER reads.
    const writer = medium.processed.findLast(({ file }) => file === version.path)?.task ?? task;
    const since = input.consumedBy.filter((at) => finders[at]!.task > writer);
    return [{ task, ...version, consumedBy: since.flatMap((at) => triggers[at] ?? []) }];
  });
}

/** Returns the TRIGGER by which a task chose its tracks, or null if the task consumed all of them. */
function consumes(
  record: JobRecord,
  media: List<MediumState>,
  index: number,
  { task }: Processed,
  n: number,
): string | null {
  const { prepared } = media.get(index)!;
  const action = record.plan.tasks[task]?.actions[0];
  if (n === 0 || action === undefined || prepared === null) return null;
  const properties = effectivePropertiesOf(record, media, action, index, prepared.facts.mediaType);
  return isFed(record, properties, media.get(index)!) ? triggerOf(properties) : null;
}
