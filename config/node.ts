import { isLoopback } from './access.ts';
import { readCliSettings } from './cli.ts';
import { ConfigurationError, problemsOf } from './error.ts';
import { serverEnvironment } from './schema/server.ts';
import { withSecretFiles } from './secret-files.ts';
import {
  foldersOf,
  inheritSettings,
  modelRoots,
  namesOf,
  withoutBlanks,
  type Environment,
} from './settings.ts';
import { TUNING } from './tuning.ts';
import path from 'node:path';

/** Settings of a node on another host: those server settings that concern processes, and its credentials. */
const nodeEnvironment = serverEnvironment.pick({
  DATA_DIR: true,
  LOG_LEVEL: true,
  NODE_NAME: true,
  JOB_ID_HOST: true,
  COMPONENT_FOLDERS: true,
  FACE_EMBEDDING: true,
  MODEL_ROOTS: true,
  MODELS_LOADED: true,
  MODEL_SERVER_PRIVATE: true,
  MODEL_SERVER_ALLOWED_HOSTS: true,
  MODEL_SERVER_WAIT_MS: true,
  MODEL_CHECK_MS: true,
  MAX_COMPONENT_MEMORY: true,
  COMPONENT_START_MS: true,
  IDLE_SERVICE_MS: true,
  SERVICE_STOP_MS: true,
  MAX_STREAMS: true,
  STRICT_SETTINGS: true,
});

/** Credentials of a node: a client of the provider, or a token that its server created. */
export type NodeCredentials =
  | { readonly joinToken: string | undefined }
  | {
      readonly issuer: string;
      readonly clientId: string;
      readonly clientSecret: string;
      /** Allows plain http to the provider. */
      readonly allowHttp: boolean;
    };

export type NodeSettings = ReturnType<typeof readNodeSettings>;

/** `url`: address of the server; absent: TROUPE_URL. @throws ConfigurationError with every problem at once */
export function readNodeSettings(url: string | undefined, environment: Environment = process.env) {
  const env = withSecretFiles(environment);
  const { url: known, token, client } = readCliSettings(env);
  const parsed = nodeEnvironment.safeParse(withoutBlanks(env));
  const server = url ?? known;
  const missing =
    server === undefined ? ['Say which server it belongs to: --server URL, or TROUPE_URL.'] : [];
  const names = namesOf(env);
  if (!parsed.success || server === undefined || names.problems.length > 0)
    throw new ConfigurationError([
      ...missing,
      ...names.problems,
      ...(parsed.success ? [] : problemsOf(parsed.error.issues, env)),
    ]);
  const { COMPONENT_FOLDERS, MODEL_ROOTS, DATA_DIR, NODE_NAME, JOB_ID_HOST, ...rest } = parsed.data;
  const credentials: NodeCredentials =
    client === undefined
      ? { joinToken: token }
      : { ...client, allowHttp: isLoopback(new URL(client.issuer).hostname) || isAllowed(env) };
  const { RESTART_DELAY_MS, SERVICE_LOG_LINES } = TUNING;
  return Object.freeze({
    ...rest,
    RESTART_DELAY_MS,
    SERVICE_LOG_LINES,
    server,
    credentials,
    nameNotes: names.notes,
    NODE_NAME: NODE_NAME ?? JOB_ID_HOST,
    DATA_DIR: path.resolve(DATA_DIR),
    COMPONENT_FOLDERS: foldersOf(COMPONENT_FOLDERS),
    childEnvironment: inheritSettings(env, {
      models: modelRoots(MODEL_ROOTS, DATA_DIR),
      modelServersPrivate: parsed.data.MODEL_SERVER_PRIVATE ?? false,
    }),
  });
}

const isAllowed = (env: Environment) => env['OIDC_ALLOW_HTTP']?.trim().toLowerCase() === 'true';
