import { ClientError } from '../../client/errors.ts';
import { ConfigurationError } from '../../config/error.ts';

/** What the exit code of the tool says. */
export const EXIT = {
  done: 0,
  /** A job ended ERROR or CANCELLED, or its end is not known. */
  failed: 1,
  /** Nothing was run: wrong usage, a refused request, no service. */
  refused: 2,
  /** Left at once, by a second Ctrl-C. */
  killed: 130,
} as const;

/** An end of a command that is explained by one sentence; a stack would not help. */
export class Failure extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number = EXIT.refused) {
    super(message);
    this.name = 'Failure';
    this.exitCode = exitCode;
  }
}

/** Sentences for whoever typed the command. */
export function explain(error: unknown): string {
  if (error instanceof ConfigurationError) return error.problems.map((problem) => `* ${problem}`).join('\n');
  return error instanceof Error ? error.message : String(error);
}

/** The system's name of an error, such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof Failure) return error.exitCode;
  if (error instanceof ClientError) return error.begun ? EXIT.failed : EXIT.refused;
  return error instanceof ConfigurationError ? EXIT.refused : EXIT.failed;
}
