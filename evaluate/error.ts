/** Truth and document cannot be compared. The message contains the reason and advice. */
export class EvaluationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EvaluationError';
  }
}

/** Returns the message of an error. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
