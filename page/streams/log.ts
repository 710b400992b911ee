/** Log of a stream, newest line first. */
export interface LogLine {
  readonly key: number;
  /** When it happened: milliseconds since the epoch. */
  readonly at: number;
  readonly text: string;
}

/** Maximum number of lines. */
const MOST_LINES = 200;

/** Inserts a line by its time, because events arrive with different delays. Of two lines with the same time, the later arrival is first. */
export function withLine(lines: readonly LogLine[], line: LogLine): readonly LogLine[] {
  const found = lines.findIndex(({ at }) => at <= line.at);
  return lines.toSpliced(found === -1 ? lines.length : found, 0, line).slice(0, MOST_LINES);
}
