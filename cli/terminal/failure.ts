import { ClientError } from '../../client/errors.ts';
import { ConfigurationError } from '../../config/error.ts';

/** Exit codes of the tool. */
export const EXIT = {
  done: 0,
  /** A job ended with ERROR or CANCELLED, or its end is unknown. */
  failed: 1,
  /** No job was run: wrong usage, a refused request, no service. */
  refused: 2,
  /** Stopped at once by a second Ctrl-C. */
  killed: 130,
} as const;

/** A failed command that one sentence explains. A stack trace would not help. */
export class Failure extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number = EXIT.refused) {
    super(message);
    this.name = 'Failure';
    this.exitCode = exitCode;
  }
}

/** Returns the error message for the user. */
export function explain(error: unknown): string {
  if (error instanceof ConfigurationError) return error.problems.map((problem) => `* ${problem}`).join('\n');
  return error instanceof Error ? error.message : String(error);
}

/** Returns the error code of the system, such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof Failure) return error.exitCode;
  if (error instanceof ClientError) return error.begun ? EXIT.failed : EXIT.refused;
  return error instanceof ConfigurationError ? EXIT.refused : EXIT.failed;
}
