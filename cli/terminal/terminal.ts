/** All output of the command-line tool: results to standard output, everything else to standard error. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export class Terminal {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;

  constructor(stdout = process.stdout, stderr = process.stderr) {
    this.stdout = stdout;
    this.stderr = stderr;
    // A reader that closes early (`| head`) is no failure.
    for (const stream of [stdout, stderr]) stream.on('error', unlessClosed);
  }

  /** True if lines can be rewritten, as a progress bar needs. */
  get live(): boolean {
    return this.stderr.isTTY;
  }

  /** Number of characters per line. Output to a file or another program is never cut. */
  get width(): number {
    return this.stdout.isTTY ? this.stdout.columns : Infinity;
  }

  print(text: string): void {
    this.stdout.write(`${text}\n`);
  }

  note(text: string): void {
    this.stderr.write(`${text}\n`);
  }

  /** Copies a stream to standard output as it arrives. */
  async pour(source: Readable): Promise<void> {
    await pipeline(source, this.stdout, { end: false }).catch(unlessClosed);
  }
}

function unlessClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
