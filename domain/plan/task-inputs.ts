/** The input of a task with feed forward, for batch jobs and live streams. */

export interface TaskInput {
  /** Index of the task that found the tracks, among those before the fed one. */
  readonly task: number;
  /** Indexes of later tasks. Each has consumed the tracks that met its TRIGGER. */
  readonly consumedBy: readonly number[];
}

/**
 * The tracks of the previous task. If that task used only tracks that match its TRIGGER, also the tracks that it left, and so on, back to a
 * task without TRIGGER. `triggers`: the TRIGGER of each earlier task. Null: it has none and used all tracks.
 */
export function taskInputs(triggers: readonly (string | null)[]): readonly TaskInput[] {
  const everything = triggers.lastIndexOf(null);
  return triggers.flatMap((_, task) =>
    task < everything ? [] : [{ task, consumedBy: triggers.flatMap((__, at) => (at > task ? [at] : [])) }],
  );
}
