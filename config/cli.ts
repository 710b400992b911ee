import path from 'node:path';
import { DATA_DIR_DEFAULT } from './data-dir.ts';
import { ConfigurationError, problemsOf } from './error.ts';
import { withSecretFiles } from './secret-files.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface CliVariable {
  readonly description: string;
  /** The default for the settings page. */
  readonly shownDefault?: string;
  readonly isAddress?: true;
}

/**
 * Settings of the command-line tool: the address of the service, and credentials. They are read without a schema; see `readCliSettings`.
 */
export const CLI_VARIABLES = {
  TROUPE_URL: {
    description: 'Service that the tool uses',
    shownDefault: 'the one that holds DATA_DIR',
    isAddress: true,
  },
  TROUPE_TOKEN: { description: 'Bearer token for that service' },
  TROUPE_ISSUER_URI: {
    description: 'OpenID Connect provider of the tool',
    isAddress: true,
  },
  TROUPE_CLIENT_ID: { description: 'Client id of the tool' },
  TROUPE_CLIENT_SECRET: { description: 'Client secret of the tool' },
} as const satisfies Readonly<Record<string, CliVariable>>;
type CliValues = { readonly [name in keyof typeof CLI_VARIABLES]?: string };

export interface CliClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface CliSettings {
  readonly dataDir: string;
  /** Folder with the search index of a server that runs alone. */
  readonly searchFolder: string;
  readonly url?: string;
  readonly token?: string;
  readonly client?: CliClient;
}

/**
 * Reads the environment of the tool. Each command begins with this, so it does not use the schema library of the server. Loading that
 * library would take longer than everything else here.
 * @throws ConfigurationError with every problem at once
 */
export function readCliSettings(environment: Environment = process.env): CliSettings {
  const env = withSecretFiles(environment);
  const { TROUPE_URL: url, TROUPE_TOKEN: token, ...variables } = valuesIn(env);
  const client = clientOf(variables);
  const dataDir = path.resolve(readValue(env, 'DATA_DIR') ?? DATA_DIR_DEFAULT);
  return {
    dataDir,
    searchFolder: path.resolve(readValue(env, 'SEARCH_FOLDER') ?? dataDir),
    ...(url !== undefined && { url }),
    ...(token !== undefined && { token }),
    ...(client !== undefined && { client }),
  };
}

function valuesIn(env: Environment): CliValues {
  const all = Object.entries<CliVariable>(CLI_VARIABLES).flatMap(([name, { isAddress = false }]) => {
    const value = readValue(env, name);
    return value === undefined ? [] : [{ name, value, isWrong: isAddress && !isHttp(value) }];
  });
  const wrong = all.filter(({ isWrong }) => isWrong);
  if (wrong.length > 0) {
    const issues = wrong.map(({ name }) => ({ path: [name], message: 'must be an http(s) URL' }));
    throw new ConfigurationError(problemsOf(issues, env));
  }
  return Object.fromEntries(all.map(({ name, value }) => [name, value]));
}

/** Reads a variable. A blank value counts as unset. */
function readValue(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

const isHttp = (value: string) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

function clientOf(variables: CliValues): CliClient | undefined {
  const {
    TROUPE_ISSUER_URI: issuer,
    TROUPE_CLIENT_ID: clientId,
    TROUPE_CLIENT_SECRET: clientSecret,
  } = variables;
  if (issuer === undefined && clientId === undefined && clientSecret === undefined) return undefined;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined)
    throw new ConfigurationError([
      'TROUPE_ISSUER_URI, TROUPE_CLIENT_ID and TROUPE_CLIENT_SECRET belong together: set all three or none.',
    ]);
  return { issuer, clientId, clientSecret };
}
