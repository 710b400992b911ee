/** Job ids are `<host>-<number>`. The number alone identifies the job, too (specification 2.1, JobCreationResponse). */

export function jobIdOf(host: string, number: number): string {
  return `${host}-${number}`;
}

/** The job number in `12`, `host-12` or `a-b-12`. Null if the text is no job id. */
export function jobNumber(text: string): number | null {
  const digits = /^(?:.+-)?(\d{1,15})$/s.exec(text.trim())?.[1];
  return digits === undefined ? null : Number(digits);
}
