/**
 * Small answers lie in a file together, which is written and synced once. Each has a name of its own all the same: that of the file,
 * and behind it where in the file the answer lies. Whoever reads answers takes the names of both kinds.
 */
export interface AnswerPlace {
  readonly path: string;
  readonly offset: number;
  /** Undefined: to the end of the file. */
  readonly bytes: number | undefined;
}

export const answerName = (path: string, offset: number, bytes: number): string =>
  `${path}@${offset}+${bytes}`;

/** Names of files end in letters. */
const SHARED = /^(.+)@(\d+)\+(\d+)$/s;

export function answerPlace(name: string): AnswerPlace {
  const [, path, offset, bytes] = SHARED.exec(name) ?? [];
  if (path === undefined || !path.endsWith('.ndjson')) return { path: name, offset: 0, bytes: undefined };
  return { path, offset: Number(offset), bytes: Number(bytes) };
}
