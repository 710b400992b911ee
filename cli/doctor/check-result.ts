/** What a check has found. */
export interface Finding {
  /** What was checked, in a word. */
  readonly about: string;
  readonly level: 'ok' | 'warning' | 'error';
  /** A sentence. */
  readonly text: string;
  /** What to do; absent: nothing. */
  readonly fix?: string;
}

/** Findings about one thing. */
export const findingsOn = (about: string) => ({
  ok: (text: string): Finding => ({ about, level: 'ok', text }),
  warning: (text: string, fix: string): Finding => ({ about, level: 'warning', text, fix }),
  error: (text: string, fix: string): Finding => ({ about, level: 'error', text, fix }),
});

export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  // A failed fetch says only that it failed.
  const { cause } = error;
  return cause instanceof Error && cause.message !== ''
    ? `${error.message}: ${cause.message}`
    : error.message;
};
