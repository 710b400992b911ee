import { availableParallelism, hostname, totalmem } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { isLoopback, readAccess, type AccessSettings } from './access.ts';
import { ConfigurationError, problemsOf } from './error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const whole = (fallback: number, least = 0, most = Number.MAX_SAFE_INTEGER) => {
  const range = most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : ` from ${least} to ${most}`;
  const error = `must be a whole number${range}`;
  const within = z.int({ error }).min(least, { error }).max(most, { error });
  return z.coerce.number({ error }).pipe(within).default(fallback);
};
/** Milliseconds that a timer waits: Node's timers take no more than these 24.8 days, and fire at once for what is longer. */
const LONGEST_WAIT = 2 ** 31 - 1;
const wait = (fallback: number, least = 0) => whole(fallback, least, LONGEST_WAIT);
const MOST_DAYS = 100_000;
const days = (fallback: number) => {
  const error = `must be a number of days from 0 to ${MOST_DAYS}`;
  return z.coerce.number({ error }).min(0, { error }).max(MOST_DAYS, { error }).default(fallback);
};
const truth = () => z.stringbool({ error: 'must be true or false' });
/** Origins as browsers send them (scheme, host and port), or `*` alone. */
const origins = z
  .string()
  .transform((text) =>
    text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim().replace(/\/$/, '')])),
  )
  .refine(
    (list) =>
      list.every(
        (one) => one === '*' || (!one.includes('*') && URL.canParse(one) && new URL(one).origin === one),
      ),
    {
      error: 'must be a comma-separated list of origins like https://ui.example, or *',
    },
  )
  .refine((list) => list.length === 1 || !list.includes('*'), {
    error: 'must be * alone, or a list without it',
  });
const SECOND = 1_000;
const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** A decoded picture of the largest size that is taken and its copies fit into the least; several processes do into the machine. */
function defaultMemory(): number {
  const limit = process.constrainedMemory();
  const machine = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return Math.max(2 * GIB, Math.floor(machine / 4));
}

const HOST_NAME = {
  pattern: /^\w[\w.-]{0,63}$/,
  says: { error: 'must have 1 to 64 letters, digits, "_", "." and "-", and begin with none of the last two' },
};
const DEFAULT_HOST = '127.0.0.1';
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** Every setting of the server: name, rule, default. Times are milliseconds, sizes bytes, unless the name says otherwise. */
export const serverEnvironment = z.object({
  HOST: z.string().trim().min(1).default(DEFAULT_HOST).describe('Address to listen on'),
  PORT: whole(8080, 0, 65_535).describe('Port to listen on; 0 takes a free one'),
  BASE_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
    .refine((url) => !/[?#@]/.test(url), { error: 'must have no user, query or fragment' })
    .optional()
    .describe('How clients reach the server; default http://HOST:PORT'),
  TRUST_PROXY: truth()
    .default(false)
    .describe(
      'Believe X-Forwarded-For, so that the log names the clients; only behind a reverse proxy that sets it',
    ),
  CORS_ALLOWED_ORIGINS: origins
    .default([])
    .describe('Origins, comma-separated, whose web pages may use the interface; * for any'),
  METRICS_TOKEN: z
    .string()
    .regex(/^\S{16,}$/, { error: 'must have at least 16 characters and no blanks' })
    .optional()
    .describe('A bearer token that may read /metrics and nothing else'),
  DATA_DIR: z
    .string()
    .trim()
    .min(1)
    .default('./data')
    .describe('Folder of everything that is stored; one server holds it'),
  MEDIA_ROOTS: z
    .string()
    .optional()
    .describe(
      'Folders, colon-separated, below which file: media may lie; default: the working folder in development mode, else none',
    ),
  JOB_ID_HOST: z
    .string()
    .regex(HOST_NAME.pattern, HOST_NAME.says)
    .default(hostname())
    .describe('Host part of job ids'),
  NODE_NAME: z
    .string()
    .regex(HOST_NAME.pattern, HOST_NAME.says)
    .optional()
    .describe(
      'Name of this node in the node configuration and in the names of its services and processes; default JOB_ID_HOST',
    ),
  SITE_ID: z.string().default('troupe1').describe('siteId in documents'),
  DEFAULT_PRIORITY: whole(4, 0, 9).describe('Priority of jobs that name none'),
  COMPONENT_FOLDERS: z
    .string()
    .default('')
    .describe('Folders, colon-separated, with components of your own; each is one, or holds some'),
  COMPONENT_PROCESSES: whole(availableParallelism(), 1, 1_024).describe('Processes of one component at most'),
  MAX_LIVE_JOBS: whole(1_000, 1).describe('Jobs in progress; more wait as INITIALIZED'),
  MAX_WAITING_JOBS: whole(10_000, 0).describe('Jobs that wait; more are answered 503'),
  MAX_MEDIA_PER_JOB: whole(10_000, 1),
  MAX_PIPELINE_ACTIONS: whole(200, 1).describe(
    'Actions of a pipeline, each as often as its task comes; a job with more is refused',
  ),
  MAX_PLAN_LENGTH: whole(4 * MIB, 1_024).describe(
    'Characters of the actions of a pipeline, each with its algorithm as a component describes it; a job with more is refused',
  ),
  MAX_SUB_JOBS: whole(100_000, 1).describe(
    'Media of a job times the actions of its pipeline; a job with more is refused',
  ),
  MAX_URI_LENGTH: whole(8_192, 1).describe(
    'Characters of a media URI (data: URIs aside) or callback URL; more are refused',
  ),
  MAX_NAME_LENGTH: whole(256, 1).describe('Characters of a name in a job request; more are refused'),
  MAX_EXTERNAL_ID_LENGTH: whole(1_000, 1).describe('Characters of an external id; more are refused'),
  MAX_PROPERTIES: whole(1_000, 1).describe(
    'Properties in one set (of a job, medium, action, algorithm or selector); more are refused',
  ),
  MAX_PROPERTY_LENGTH: whole(65_536, 1).describe("Characters of a property's value; more are refused"),
  MAX_PROPERTIES_LENGTH: whole(65_536, 1).describe(
    'Characters of all names and values in one set of properties; more are refused',
  ),
  MAX_DERIVATIVE_MEDIA: whole(10_000, 0).describe(
    'Media that may be derived from those of one job (pictures in documents); more make the medium fail',
  ),
  IDEMPOTENCY_KEEP_MS: whole(24 * 3_600 * SECOND, 1_000).describe(
    'Time for which an Idempotency-Key of a job creation is remembered',
  ),
  MAX_BODY_BYTES: whole(10 * MIB, 1_024).describe('JSON body of a request; more is answered 413'),
  MAX_FORM_BYTES: whole(64 * 1024, 64).describe(
    'Body of parameters that come as the fields of a form; more is answered 413',
  ),
  MAX_DESCRIPTOR_BYTES: whole(MIB, 1_024).describe(
    'Body of a component descriptor, pipeline, task or action; more is answered 413',
  ),
  MAX_CATALOG_ELEMENTS: whole(10_000, 1).describe(
    'Components, algorithms, actions, tasks and pipelines together; one more is refused',
  ),
  MAX_CATALOG_BYTES: whole(64 * MIB, 1_024).describe('Size of all of them together; more is refused'),
  KEEP_ALIVE_MS: whole(65 * SECOND, 1, LONGEST_WAIT).describe(
    'Time that an idle connection stays open; longer than a load balancer in front keeps it',
  ),
  MAX_BODY_MS: whole(60 * SECOND, 10).describe(
    'Time until the end of a JSON body; a slower one is answered 408',
  ),
  MAX_JSON_DEPTH: whole(32, 4).describe('Nesting of a JSON body'),
  MAX_JSON_VALUES: whole(250_000, 100).describe(
    'Texts, numbers, lists and objects in a JSON body; more is answered 413',
  ),
  MAILBOX_SIZE: whole(1_000, 1).describe('Messages that wait for one actor; more are answered 503'),
  IDLE_ACTOR_MS: wait(60 * SECOND, 1).describe('A job without messages for so long leaves memory'),
  SUB_JOB_ATTEMPTS: whole(3, 1).describe(
    'Attempts at a sub-job whose component dies, hangs or answers garbage',
  ),
  LEASE_MS: whole(15 * SECOND, 100).describe('Time without heartbeat after which a sub-job is taken back'),
  HEARTBEAT_MS: wait(SECOND, 20).describe('Time between heartbeats that components are asked for'),
  SILENCE_MS: whole(120 * SECOND, 100).describe('Time without progress after which a sub-job is taken back'),
  SUB_JOB_MS: whole(24 * 3_600 * SECOND, 100).describe(
    'Time after which a sub-job is taken back in any case',
  ),
  CANCEL_GRACE_MS: wait(5 * SECOND, 0).describe('Time a component has to stop a cancelled sub-job'),
  DRAIN_MS: wait(10 * SECOND, 0).describe('Time for running sub-jobs when the server stops'),
  SHUTDOWN_POLICY: z
    .enum(['resume', 'cancel'], { error: 'must be resume or cancel' })
    .default('resume')
    .describe('cancel: live jobs end CANCELLED_BY_SHUTDOWN'),
  RESTART_DELAY_MS: wait(2 * SECOND, 0).describe(
    'Time before a component process that died is started again',
  ),
  IDLE_SERVICE_MS: wait(10 * 60 * SECOND, 0).describe(
    'A component process that was started for work ends after so long without any; 0: never',
  ),
  NODE_SILENCE_MS: wait(10 * SECOND, 100).describe(
    'The services of another node that is not heard of for so long are shown as Unknown',
  ),
  WORKER_TOKEN_MS: wait(60 * SECOND, 1_000).describe(
    'So long after another node was heard of the tokens of its component processes are good',
  ),
  COMPONENT_START_MS: wait(60 * SECOND, 100).describe(
    'Time from the start of a component process until it asks for work',
  ),
  MAX_COMPONENT_MEMORY: whole(defaultMemory(), 64 * MIB).describe(
    'Bytes of memory of one component process; one with more is ended, which counts as an attempt at what it worked on (Linux). Default: a quarter of the memory of the machine, at least 2 GiB',
  ),
  SERVICE_STOP_MS: wait(5 * SECOND, 0).describe(
    'Time that a service has to end after SIGTERM before it gets SIGKILL',
  ),
  MAX_NODES: whole(1_000, 1).describe('Hosts of a node configuration'),
  MAX_NODE_SERVICES: whole(500, 1).describe('Services of one host of a node configuration'),
  MAX_SERVICE_COUNT: whole(1_024, 1).describe('serviceCount of a service of a node configuration'),
  MAX_SERVICES: whole(20_000, 1).describe(
    'Services of a node configuration, each as often as its serviceCount says, on all hosts together',
  ),
  MAX_MEDIUM_BYTES: whole(64 * 1024 * MIB, 1).describe('Size of a fetched medium'),
  MEDIUM_FETCH_MS: wait(3_600 * SECOND, 100).describe('Time for fetching a medium'),
  FETCH_PRIVATE: truth()
    .optional()
    .describe('Media may be fetched from loopback and private addresses; default: only in development mode'),
  CALLBACK_PRIVATE: truth()
    .optional()
    .describe(
      'Callbacks, archive posts and results for buckets may go to loopback and private addresses; default: only in development mode',
    ),
  CALLBACK_ALLOWED_HOSTS: z
    .string()
    .default('')
    .describe('Comma-separated host names and addresses that they may go to in any case'),
  DELIVERY_CONCURRENCY: whole(8, 1, 1_000).describe(
    'Callbacks and archive posts to one destination (scheme, host and port) at a time',
  ),
  DELIVERY_TIMEOUT_MS: wait(60 * SECOND, 10).describe('Whole time of a callback or archive post'),
  DELIVERY_FIRST_DELAY_MS: wait(SECOND, 1).describe(
    'Time before one that failed is tried again; doubles with each failure',
  ),
  DELIVERY_QUICK_ATTEMPTS: whole(6, 1).describe(
    'Failed attempts after which callbackStatus and archiveStatus show ERROR, though it is tried on',
  ),
  DELIVERY_MAX_DELAY_MS: wait(3_600 * SECOND, 1).describe('The longest that it doubles to'),
  MAX_ARCHIVED_DOCUMENT_BYTES: whole(2 * 1024 * MIB, 1_024).describe(
    'Detection document of another service that output/detection passes on, or that is copied, for a job that the archive knew',
  ),
  DELIVERY_GIVE_UP_MS: whole(24 * 3_600 * SECOND, 1).describe('Age at which one that fails is given up'),
  ARCHIVE_CHECK_MS: wait(10 * SECOND, 100).describe(
    'Time for asking archives whether they know the results of an equal job; then the job runs',
  ),
  ARCHIVE_COPIES_AT_ONCE: whole(8, 1, 256).describe(
    'Files of an earlier job that are copied at a time into the bucket of a job (ARCHIVE_S3_COPY_ENABLED)',
  ),
  MAX_RESULT_BYTES: whole(2 * 1024 * MIB, 1_024).describe('Answer of one sub-job'),
  MAX_RESULT_LINES: whole(10_000_000, 1).describe('Tracks in the answer of one sub-job'),
  MAX_EVENT_STREAMS: whole(1_000, 0).describe('Clients that watch jobs at a time; more are answered 503'),
  EVENTS_POLL_MS: wait(250, 10).describe('Time between two looks at a job that is watched'),
  EVENTS_HEARTBEAT_MS: wait(15 * SECOND, 10).describe('Time between two signs of life of an event stream'),
  MAX_UPLOAD_BYTES: whole(16 * 1024 * MIB, 1).describe('An uploaded medium; a larger one is answered 413'),
  MAX_UPLOADS_BYTES: whole(64 * 1024 * MIB, 1).describe('All uploads that are kept; more are answered 507'),
  UPLOAD_PACE_MS: wait(60 * SECOND, 100).describe(
    'Time in which an upload must bring another 64 KiB, or its end; else it is broken off',
  ),
  MAX_UPLOADS: whole(10_000, 1).describe('How many uploads are kept; more are answered 507'),
  UPLOAD_KEEP_DAYS: days(7).describe(
    'Days after which an upload is removed, or later, once no live job uses it; fractions are allowed',
  ),
  RETENTION_DAYS: days(0).describe(
    'Days after their end that jobs and their files are kept; 0: for ever; fractions are allowed',
  ),
  CLEANING_MS: wait(60 * SECOND, 10).describe(
    'Time between two looks for jobs and uploads whose time is over',
  ),
  MIN_FREE_BYTES: whole(256 * MIB, 0).describe('Free disk below which new jobs are answered 503'),
  DISK_LOOK_MS: wait(10 * SECOND, 10).describe('Time between two looks at the free disk'),
  LOG_REFUSALS_A_MINUTE: whole(60, 0).describe(
    'Lines a minute about refused tokens and missing roles; what is more is counted in one line',
  ),
  MAX_SYSTEM_MESSAGES: whole(1_000, 1).describe('System messages that are kept; more are refused'),
  LOG_LEVEL: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'),
});
type Variables = z.infer<typeof serverEnvironment>;

/** The settings of a server, read once, frozen. */
export interface Settings extends Omit<
  Variables,
  | 'MEDIA_ROOTS'
  | 'COMPONENT_FOLDERS'
  | 'FETCH_PRIVATE'
  | 'CALLBACK_PRIVATE'
  | 'CALLBACK_ALLOWED_HOSTS'
  | 'BASE_URL'
  | 'NODE_NAME'
> {
  readonly NODE_NAME: string;
  readonly BASE_URL: string | undefined;
  readonly MEDIA_ROOTS: readonly string[];
  readonly COMPONENT_FOLDERS: readonly string[];
  readonly FETCH_PRIVATE: boolean;
  readonly CALLBACK_PRIVATE: boolean;
  readonly CALLBACK_ALLOWED_HOSTS: readonly string[];
  readonly access: AccessSettings;
  /** Job properties that override all others: TROUPE_PROP_<NAME>, by name. */
  readonly environmentProperties: Readonly<Record<string, string>>;
  /** What component processes inherit of the environment. */
  readonly childEnvironment: Readonly<Record<string, string>>;
}

const PROPERTY_PREFIX = 'TROUPE_PROP_';
/** Secrets of the server stay in the server: a component process sees only these. */
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
];

/** @throws ConfigurationError with every problem at once */
export function readSettings(env: Environment = process.env): Settings {
  const given = withoutBlanks(env);
  const parsed = serverEnvironment.safeParse(given);
  if (!parsed.success)
    throw new ConfigurationError([
      ...problemsOf(parsed.error.issues, env),
      ...accessProblems(env, given['HOST']),
    ]);
  const {
    MEDIA_ROOTS,
    COMPONENT_FOLDERS,
    FETCH_PRIVATE,
    CALLBACK_PRIVATE,
    CALLBACK_ALLOWED_HOSTS,
    BASE_URL,
    DATA_DIR,
    NODE_NAME,
    ...variables
  } = parsed.data;
  const access = readAccess(env, { host: variables.HOST });
  const development = access.mode === 'development';
  const onLoopback = development && isLoopback(variables.HOST);
  return Object.freeze({
    ...variables,
    BASE_URL,
    DATA_DIR: path.resolve(DATA_DIR),
    NODE_NAME: NODE_NAME ?? variables.JOB_ID_HOST,
    MEDIA_ROOTS: mediaRoots(MEDIA_ROOTS, development),
    COMPONENT_FOLDERS: foldersOf(COMPONENT_FOLDERS),
    FETCH_PRIVATE: FETCH_PRIVATE ?? onLoopback,
    CALLBACK_PRIVATE: CALLBACK_PRIVATE ?? onLoopback,
    CALLBACK_ALLOWED_HOSTS: CALLBACK_ALLOWED_HOSTS.split(',')
      .map((host) => host.trim())
      .filter((host) => host !== ''),
    access,
    environmentProperties: prefixed(env),
    childEnvironment: inherited(env),
  });
}

/** What is wrong with the variables of access besides. */
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

const foldersOf = (text: string): readonly string[] =>
  text
    .split(path.delimiter)
    .filter((folder) => folder.trim() !== '')
    .map((folder) => path.resolve(folder));

function prefixed(env: Environment): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (name.startsWith(PROPERTY_PREFIX) && value !== undefined)
      found[name.slice(PROPERTY_PREFIX.length)] = value;
  return found;
}

function inherited(env: Environment): Record<string, string> {
  return {
    ...Object.fromEntries(INHERITED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    // The library for buckets would else warn of this release of Node in every process that uses it.
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    // The inference library would else report its use to its maker.
    ORT_DISABLE_TELEMETRY: '1',
  };
}

const withoutBlanks = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''));
