import path from 'node:path';
import { z } from 'zod';
import { ConfigurationError, problemsOf } from './error.ts';
import { serverEnvironment } from './schema/server.ts';
import type { SettingGroup } from './schema/values.ts';
import { readSettings, type Settings } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const text = (description: string) => z.string().trim().min(1).optional().describe(description);
const address = (description: string) =>
  z
    .url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
    .optional()
    .describe(description);

/** Where the command-line tool finds a service, and how it proves who it is there. */
const ownVariables = {
  TROUPE_URL: address('Service that the command-line tool uses').meta({
    shownDefault: 'the one that holds DATA_DIR',
  }),
  TROUPE_TOKEN: text('Bearer token for that service'),
  TROUPE_ISSUER_URI: address(
    'OpenID Connect provider that gives the tool its tokens, when there is no TROUPE_TOKEN',
  ),
  TROUPE_CLIENT_ID: text("The tool's client id at that provider"),
  TROUPE_CLIENT_SECRET: text("The tool's client secret at that provider"),
};
const cliEnvironment = z.object({ DATA_DIR: serverEnvironment.shape.DATA_DIR, ...ownVariables });
export const cliGroup: SettingGroup = {
  title: 'The command-line tool',
  about:
    'It reads DATA_DIR, too. A service that `troupe analyze` starts for itself listens on a free port of loopback, uses its own ' +
    'development provider whatever OIDC settings there are, and logs to `DATA_DIR/server.log`.',
  settings: ownVariables,
};

export interface CliClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface CliSettings {
  readonly dataDir: string;
  readonly url?: string;
  readonly token?: string;
  readonly client?: CliClient;
}

/** @throws ConfigurationError with every problem at once */
export function readCliSettings(env: Environment = process.env): CliSettings {
  const given = Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== '');
  const parsed = cliEnvironment.safeParse(Object.fromEntries(given));
  if (!parsed.success) throw new ConfigurationError(problemsOf(parsed.error.issues, env));
  const { DATA_DIR, TROUPE_URL: url, TROUPE_TOKEN: token, ...variables } = parsed.data;
  const client = clientOf(variables);
  return {
    dataDir: path.resolve(DATA_DIR),
    ...(url !== undefined && { url }),
    ...(token !== undefined && { token }),
    ...(client !== undefined && { client }),
  };
}

/**
 * Settings of a service that one command starts for itself: on a free port of this machine, with its own development
 * provider whatever the environment says, and with `mediaFolders` among its media roots.
 */
export function readEmbeddedSettings(
  mediaFolders: readonly string[],
  own: Environment = {},
  env: Environment = process.env,
): Settings {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('OIDC_') && name !== 'BASE_URL');
  const settings = readSettings({ ...Object.fromEntries(kept), ...own, HOST: '127.0.0.1', PORT: '0' });
  return { ...settings, MEDIA_ROOTS: [...settings.MEDIA_ROOTS, ...mediaFolders] };
}

type ClientVariables = Pick<
  z.infer<typeof cliEnvironment>,
  'TROUPE_ISSUER_URI' | 'TROUPE_CLIENT_ID' | 'TROUPE_CLIENT_SECRET'
>;

function clientOf(variables: ClientVariables): CliClient | undefined {
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
