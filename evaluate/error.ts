/** Truth and document cannot be compared; the message says why, and what to do. */
export class EvaluationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EvaluationError';
  }
}

/** What an error says. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
