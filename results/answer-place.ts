/**
 * Small answers share a file that is written and synced once. Each still has a name: that of the file, followed by its place in it.
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

/** Names of files end in letters. */
const SHARED = /^(.+)@(\d+)\+(\d+)$/s;

export function answerPlace(name: string): AnswerPlace {
  const [, path, offset, bytes] = SHARED.exec(name) ?? [];
  if (path === undefined || !path.endsWith('.ndjson')) return { path: name, offset: 0, bytes: undefined };
  return { path, offset: Number(offset), bytes: Number(bytes) };
}
