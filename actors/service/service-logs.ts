/** The last lines of each service of this host: what its processes have written, and when they began and ended. They are in memory alone. */

export interface ServiceLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Which process wrote it: a service that was started again has another one. */
  readonly worker: string;
  /** `process`: told by the server, of the process. */
  readonly source: 'stdout' | 'stderr' | 'process';
  readonly text: string;
}

/** Characters of the lines of a service in a message. */
export const MOST_LINES_TEXT = 1_000_000;

/** The last lines with together at most `most` characters. */
export function newest(lines: readonly ServiceLine[], most: number): readonly ServiceLine[] {
  let room = most;
  const first = lines.findLastIndex(({ text }) => (room -= text.length) < 0);
  return lines.slice(first + 1);
}

export class ServiceLogs {
  readonly #most: number;
  readonly #lines = new Map<string, ServiceLine[]>();

  /** `most`: lines that are kept of each service. */
  constructor(most: number) {
    this.#most = most;
  }

  add(service: string, line: ServiceLine): void {
    const lines = this.#lines.get(service) ?? [];
    lines.push(line);
    if (lines.length > this.#most) lines.shift();
    this.#lines.set(service, lines);
  }

  /** The newest last. */
  of(service: string): readonly ServiceLine[] {
    return [...(this.#lines.get(service) ?? [])];
  }

  /** The service is no more. */
  forget(service: string): void {
    this.#lines.delete(service);
  }
}
