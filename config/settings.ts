import path from 'node:path';
import type { z } from 'zod';
import { accessEnvironment, isLoopback, readAccess, type AccessSettings } from './access.ts';
import { CLI_VARIABLES } from './cli.ts';
import { ConfigurationError, problemsOf } from './error.ts';
import { serverEnvironment } from './schema/server.ts';
import { DEFAULT_HOST } from './schema/server-groups.ts';
import { truth } from './schema/values.ts';
import { withSecretFiles } from './secret-files.ts';
import { TUNING, type Tuning } from './tuning.ts';
import { noteOnName, refusalOfName, unknownNames } from './unknown-names.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

type Variables = z.infer<typeof serverEnvironment>;

/** The settings of a server, read once, frozen. */
export interface Settings
  extends
    Tuning,
    Omit<
      Variables,
      | 'MEDIA_ROOTS'
      | 'MODEL_ROOTS'
      | 'COMPONENT_FOLDERS'
      | 'FETCH_PRIVATE'
      | 'CALLBACK_PRIVATE'
      | 'CALLBACK_ALLOWED_HOSTS'
      | 'MODEL_SERVER_PRIVATE'
      | 'BASE_URL'
      | 'NODE_NAME'
      | 'SEARCH_FOLDER'
    > {
  readonly NODE_NAME: string;
  readonly SEARCH_FOLDER: string;
  readonly BASE_URL: string | undefined;
  readonly MEDIA_ROOTS: readonly string[];
  readonly MODEL_ROOTS: readonly string[];
  readonly COMPONENT_FOLDERS: readonly string[];
  readonly FETCH_PRIVATE: boolean;
  readonly CALLBACK_PRIVATE: boolean;
  readonly CALLBACK_ALLOWED_HOSTS: readonly string[];
  readonly MODEL_SERVER_PRIVATE: boolean;
  readonly access: AccessSettings;
  /** Job properties that override all others: TROUPE_PROP_<NAME>, by name. */
  readonly environmentProperties: Readonly<Record<string, string>>;
  /** Sentences about variables that look like settings but are none. */
  readonly nameNotes: readonly string[];
  /** Environment variables that component processes inherit. */
  readonly childEnvironment: Readonly<Record<string, string>>;
}

const PROPERTY_PREFIX = 'TROUPE_PROP_';
/** A component process gets only these variables, so it never sees the secrets of the server. */
const INHERITED = [
  'PATH',
  'HOME',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'LD_LIBRARY_PATH',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'MEDIA_CACHE_FOLDER',
  'MEDIA_CACHE_BYTES',
  'MODELS_LOADED',
  'MODEL_CHECK_MS',
  'MODEL_SERVER_ALLOWED_HOSTS',
  'MODEL_SERVER_WAIT_MS',
];

/** @throws ConfigurationError with every problem at once */
export function readSettings(environment: Environment = process.env): Settings {
  const env = withSecretFiles(environment);
  const given = { ...sharedStoreDefaults(env), ...withoutBlanks(env) };
  const names = namesOf(env);
  const parsed = serverEnvironment.safeParse(given);
  if (!parsed.success)
    throw new ConfigurationError([
      ...problemsOf(parsed.error.issues, env),
      ...names.problems,
      ...accessProblems(env, given['HOST']),
    ]);
  const problems = [...sharedStoreProblems(parsed.data), ...names.problems];
  if (problems.length > 0) throw new ConfigurationError([...problems, ...accessProblems(env, given['HOST'])]);
  const {
    MEDIA_ROOTS,
    MODEL_ROOTS,
    COMPONENT_FOLDERS,
    FETCH_PRIVATE,
    CALLBACK_PRIVATE,
    CALLBACK_ALLOWED_HOSTS,
    MODEL_SERVER_PRIVATE,
    BASE_URL,
    DATA_DIR,
    NODE_NAME,
    SEARCH_FOLDER,
    ...variables
  } = parsed.data;
  const access = readAccess(env, { host: variables.HOST });
  const development = access.mode === 'development';
  const onLoopback = development && isLoopback(variables.HOST);
  const models = modelRoots(MODEL_ROOTS, DATA_DIR);
  const modelServersPrivate = MODEL_SERVER_PRIVATE ?? onLoopback;
  return Object.freeze({
    ...TUNING,
    ...variables,
    BASE_URL,
    DATA_DIR: path.resolve(DATA_DIR),
    NODE_NAME: NODE_NAME ?? variables.JOB_ID_HOST,
    SEARCH_FOLDER: path.resolve(SEARCH_FOLDER ?? DATA_DIR),
    MEDIA_ROOTS: mediaRoots(MEDIA_ROOTS, development),
    MODEL_ROOTS: models,
    COMPONENT_FOLDERS: foldersOf(COMPONENT_FOLDERS),
    FETCH_PRIVATE: FETCH_PRIVATE ?? onLoopback,
    CALLBACK_PRIVATE: CALLBACK_PRIVATE ?? onLoopback,
    CALLBACK_ALLOWED_HOSTS: CALLBACK_ALLOWED_HOSTS.split(',')
      .map((host) => host.trim())
      .filter((host) => host !== ''),
    access,
    environmentProperties: readPrefixed(env),
    nameNotes: names.notes,
    MODEL_SERVER_PRIVATE: modelServersPrivate,
    childEnvironment: inheritSettings(env, { models, modelServersPrivate }),
  });
}

export const SETTING_NAMES = [serverEnvironment.shape, accessEnvironment.shape, CLI_VARIABLES].flatMap(
  Object.keys,
);

/** Warnings about names that look like settings but are none. With STRICT_SETTINGS, the server refuses to start. */
export function namesOf(env: Environment) {
  const { data: isStrict = false } = truth().safeParse(env['STRICT_SETTINGS']);
  // OIDC_ names have a separate rule: unknown ones always prevent the start.
  const unknown = unknownNames(env, SETTING_NAMES).filter(({ name }) => !name.startsWith('OIDC_'));
  return isStrict
    ? { problems: unknown.map(refusalOfName), notes: [] }
    : { problems: [], notes: unknown.map(noteOnName) };
}

/** Default retention for Redis, because ended jobs use its memory. */
const sharedStoreDefaults = (env: Environment): Environment =>
  env['STORE']?.trim() === 'redis' ? { RETENTION_DAYS: '30' } : {};

/** Contradictions between settings. */
function sharedStoreProblems({ STORE, REDIS_URL, SHUTDOWN_POLICY }: Variables): readonly string[] {
  if (STORE !== 'redis') return [];
  return [
    ...(REDIS_URL === undefined
      ? ['REDIS_URL: STORE=redis needs it, for example redis://127.0.0.1:6379/0.']
      : []),
    ...(SHUTDOWN_POLICY === 'cancel'
      ? ['SHUTDOWN_POLICY: cancel would end the jobs of all servers when one of them stops; leave it out.']
      : []),
  ];
}

/** Problems of the OIDC variables. */
function accessProblems(env: Environment, host = DEFAULT_HOST): readonly string[] {
  try {
    readAccess(env, { host: host.trim() });
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

function mediaRoots(text: string | undefined, development: boolean): readonly string[] {
  if (text === undefined) return development ? [process.cwd()] : [];
  return foldersOf(text);
}

/** Model folders. Unlike media, models are files of the operator, so those in the data folder are allowed. */
export const modelRoots = (text: string | undefined, dataDir: string): readonly string[] =>
  text === undefined ? [path.resolve(dataDir, 'models')] : foldersOf(text);

export const foldersOf = (text: string): readonly string[] =>
  text
    .split(path.delimiter)
    .filter((folder) => folder.trim() !== '')
    .map((folder) => path.resolve(folder));

function readPrefixed(env: Environment): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (name.startsWith(PROPERTY_PREFIX) && value !== undefined)
      found[name.slice(PROPERTY_PREFIX.length)] = value;
  return found;
}

interface OfModels {
  readonly models: readonly string[];
  readonly modelServersPrivate: boolean;
}

export function inheritSettings(
  env: Environment,
  { models, modelServersPrivate }: OfModels,
): Record<string, string> {
  return {
    ...Object.fromEntries(INHERITED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    MODEL_ROOTS: models.join(path.delimiter),
    MODEL_SERVER_PRIVATE: String(modelServersPrivate),
    // Otherwise the S3 library would warn about this version of Node in every process that uses it.
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    // Otherwise the inference library would send telemetry to its vendor.
    ORT_DISABLE_TELEMETRY: '1',
  };
}

export const withoutBlanks = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''));
