/** The environment is no valid configuration. Every problem is a sentence that says what to set. */
export class ConfigurationError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

interface WrongVariable {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A sentence for each invalid variable, with its value. A message is the end of `NAME ...`. */
export function problemsOf(issues: readonly WrongVariable[], env: Environment): readonly string[] {
  const first = new Map<string, string>();
  for (const { path, message } of issues) {
    const name = path.join('.');
    if (!first.has(name)) first.set(name, message);
  }
  return [...first].map(([name, message]) => `${name} ${message}${quoteValue(name, env[name])}.`);
}

const SHOWN = 60;

/** The quoted value, short and on one line. Secrets, and addresses with a password or a query, are not shown. */
function quoteValue(name: string, value: string | undefined): string {
  if (value === undefined || /TOKEN|SECRET/.test(name) || /[@?]/.test(value)) return '';
  const line = value.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  return `, but is "${line.length > SHOWN ? `${line.slice(0, SHOWN - 1)}…` : line}"`;
}
