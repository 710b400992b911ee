/** Everything that the command-line tool writes goes through here: results to standard output, all else to standard error. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export class Terminal {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;

  constructor(stdout = process.stdout, stderr = process.stderr) {
    this.stdout = stdout;
    this.stderr = stderr;
    // A reader that has seen enough (`| head`) is no failure.
    for (const stream of [stdout, stderr]) stream.on('error', unlessClosed);
  }

  /** Can lines be rewritten, as a progress bar does? */
  get live(): boolean {
    return this.stderr.isTTY;
  }

  /** Characters of a line; what is written to a file or another program is never cut. */
  get width(): number {
    return this.stdout.isTTY ? this.stdout.columns : Infinity;
  }

  print(text: string): void {
    this.stdout.write(`${text}\n`);
  }

  note(text: string): void {
    this.stderr.write(`${text}\n`);
  }

  /** Copies a stream to standard output as it comes. */
  async pour(source: Readable): Promise<void> {
    await pipeline(source, this.stdout, { end: false }).catch(unlessClosed);
  }
}

/** Text from elsewhere without what would steer the terminal, or turn the direction of writing. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu, ' ');
}

/** The same for text of several lines. */
export const printableLines = (text: string) => text.split('\n').map(printable).join('\n');

/** At most `length` characters. */
export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

function unlessClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
