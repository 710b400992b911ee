/** What a fed task of a pipeline finds before it: for batch jobs and live streams alike. */

export interface TaskInput {
  /** Place of the task that found the tracks, among those before the fed one. */
  readonly task: number;
  /** Places of later tasks, each of which has taken the tracks that met its TRIGGER. */
  readonly consumedBy: readonly number[];
}

/**
 * The tracks of the task before, and behind tasks that took only what met their TRIGGER what these left, back to a task that took
 * everything. `triggers`: for each task before, the TRIGGER by which it chose what it took; null: it took everything there was.
 */
export function taskInputs(triggers: readonly (string | null)[]): readonly TaskInput[] {
  const everything = triggers.lastIndexOf(null);
  return triggers.flatMap((_, task) =>
    task < everything ? [] : [{ task, consumedBy: triggers.flatMap((__, at) => (at > task ? [at] : [])) }],
  );
}
