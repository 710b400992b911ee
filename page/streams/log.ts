/** What has happened in a stream, the newest first. */
export interface LogLine {
  readonly key: number;
  /** When it happened: milliseconds since the epoch. */
  readonly at: number;
  readonly text: string;
}

/** Lines that are kept. */
const MOST_LINES = 200;

/** Events arrive later than they happen, and not all equally late. Of two at the same time the one that arrived later comes first. */
export function withLine(lines: readonly LogLine[], line: LogLine): readonly LogLine[] {
  const found = lines.findIndex(({ at }) => at <= line.at);
  return lines.toSpliced(found === -1 ? lines.length : found, 0, line).slice(0, MOST_LINES);
}
