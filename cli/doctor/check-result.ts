/** The result of a check. */
export interface Finding {
  /** Subject of the check, in one word. */
  readonly about: string;
  readonly level: 'ok' | 'warning' | 'error';
  /** The result as a sentence. */
  readonly text: string;
  /** Advice. Absent if there is nothing to do. */
  readonly fix?: string;
}

/** Creates findings about one subject. */
export const findingsOn = (about: string) => ({
  ok: (text: string): Finding => ({ about, level: 'ok', text }),
  warning: (text: string, fix: string): Finding => ({ about, level: 'warning', text, fix }),
  error: (text: string, fix: string): Finding => ({ about, level: 'error', text, fix }),
});

export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  // The message of a failed fetch says only that it failed. The cause has the reason.
  const { cause } = error;
  return cause instanceof Error && cause.message !== ''
    ? `${error.message}: ${cause.message}`
    : error.message;
};
