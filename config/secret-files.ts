/** Secrets in files, as Docker and Kubernetes provide them to a container: NAME_FILE is the path of the file with the value of NAME. */
import { readFileSync } from 'node:fs';
import { ConfigurationError } from './error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of the server, the tool and nodes whose value may be in a file. */
export const SECRET_SETTINGS: readonly string[] = [
  'METRICS_TOKEN',
  'OIDC_CLIENT_SECRET',
  'REDIS_URL',
  'TROUPE_TOKEN',
  'TROUPE_CLIENT_SECRET',
];
const SUFFIX = '_FILE';
/** Maximum number of characters of a secret. */
const LONGEST = 65_536;

/**
 * The environment with the content of each file as the value. Line breaks at the end of a file are removed.
 * @throws ConfigurationError with every problem at once
 */
export function withSecretFiles(env: Environment): Environment {
  const problems: string[] = [];
  const all: Record<string, string | undefined> = { ...env };
  for (const name of SECRET_SETTINGS) {
    const file = env[name + SUFFIX]?.trim() ?? '';
    delete all[name + SUFFIX];
    if (file === '') continue;
    if ((env[name]?.trim() ?? '') !== '')
      problems.push(`${name} and ${name}${SUFFIX} are both set. Remove one of them.`);
    else {
      const found = readSecret(`${name}${SUFFIX}`, file);
      if ('problem' in found) problems.push(found.problem);
      else all[name] = found.value;
    }
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return all;
}

function readSecret(name: string, file: string): { readonly value: string } | { readonly problem: string } {
  const problem = (what: string) => ({ problem: `${name}: the file ${file} ${what}.` });
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return problem(
      `cannot be read (${REASONS[String((error as NodeJS.ErrnoException).code)] ?? String(error)})`,
    );
  }
  let end = text.length;
  while (end > 0 && '\r\n'.includes(text[end - 1]!)) end--;
  const value = text.slice(0, end);
  if (value.trim() === '') return problem('is empty. Write the secret into it');
  return value.length > LONGEST ? problem(`has more than ${LONGEST} characters`) : { value };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
};
