/** The last lines of each service of this host: output of its processes, and their starts and ends. They are only in memory. */

export interface ServiceLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The process that wrote the line. Each restart of a service creates another one. */
  readonly worker: string;
  /** `process`: the server wrote the line about the process. */
  readonly source: 'stdout' | 'stderr' | 'process';
  readonly text: string;
}

/** Maximum number of characters of a service's lines in a message. */
export const MOST_LINES_TEXT = 1_000_000;

/** The last lines with at most `most` characters in all. */
export function newest(lines: readonly ServiceLine[], most: number): readonly ServiceLine[] {
  let room = most;
  const first = lines.findLastIndex(({ text }) => (room -= text.length) < 0);
  return lines.slice(first + 1);
}

export class ServiceLogs {
  readonly #most: number;
  readonly #lines = new Map<string, ServiceLine[]>();

  /** `most`: number of lines kept for each service. */
  constructor(most: number) {
    this.#most = most;
  }

  add(service: string, line: ServiceLine): void {
    const lines = this.#lines.get(service) ?? [];
    lines.push(line);
    if (lines.length > this.#most) lines.shift();
    this.#lines.set(service, lines);
  }

  /** Lines of a service, the newest last. */
  of(service: string): readonly ServiceLine[] {
    return [...(this.#lines.get(service) ?? [])];
  }

  /** Deletes the lines of a removed service. */
  forget(service: string): void {
    this.#lines.delete(service);
  }
}
