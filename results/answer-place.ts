/**
 * Small answers share a file that is written and synced once. Each has its own name: that of the file, followed by its place in the file.
 * Readers of answers accept both kinds of names.
 */
export interface AnswerPlace {
  readonly path: string;
  readonly offset: number;
  /** Undefined: to the end of the file. */
  readonly bytes: number | undefined;
}

export const answerName = (path: string, offset: number, bytes: number): string =>
  `${path}@${offset}+${bytes}`;

/** Form of a name in a shared file. Names of files end in letters, so they never match. */
const SHARED = /^(.+)@(\d+)\+(\d+)$/s;

export function answerPlace(name: string): AnswerPlace {
  const [, path, offset, bytes] = SHARED.exec(name) ?? [];
  if (path === undefined || !path.endsWith('.ndjson')) return { path: name, offset: 0, bytes: undefined };
  return { path, offset: Number(offset), bytes: Number(bytes) };
}
