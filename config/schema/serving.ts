import { hostname } from 'node:os';
import { z } from 'zod';
import { DATA_DIR_DEFAULT } from '../data-dir.ts';
import { whole, wait, days, truth, origins, SECOND, MIB, type SettingGroup } from './values.ts';

export const DEFAULT_HOST = '127.0.0.1';
const HOST_NAME = {
  pattern: /^\w[\w.-]{0,63}$/,
  says: { error: 'must have 1 to 64 letters, digits, "_", "." and "-", and begin with none of the last two' },
};
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

const listening = {
  HOST: z.string().trim().min(1).default(DEFAULT_HOST).describe('Address to listen on'),
  PORT: whole(8080, 0, 65_535)
    .meta({ shownDefault: '8080' })
    .describe('Port to listen on; 0 takes a free one'),
  BASE_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
    .refine((url) => !/[?#@]/.test(url), { error: 'must have no user, query or fragment' })
    .optional()
    .meta({ shownDefault: '`http://HOST:PORT`' })
    .describe('How clients reach the server, with a path if a reverse proxy serves it below one'),
  TRUST_PROXY: truth()
    .default(false)
    .describe(
      'Believe X-Forwarded-For, so that the log names the clients; only behind a reverse proxy that sets it',
    ),
  CORS_ALLOWED_ORIGINS: origins
    .default([])
    .describe('Origins, comma-separated, whose web pages may use /rest; * for any; never with cookies'),
  KEEP_ALIVE_MS: wait(65 * SECOND, 1).describe(
    'Time that an idle connection stays open; longer than a load balancer in front keeps it',
  ),
};

const sessions = {
  SESSION_IDLE_MS: wait(4 * 3_600 * SECOND, 100).describe(
    'Time without a request after which a browser has to log in again; an event stream that is open is no request',
  ),
  SESSION_MS: wait(12 * 3_600 * SECOND, 100).describe(
    'Time after which it has to do so in any case; so long a role that was taken away at the provider goes on',
  ),
  LOGIN_MS: wait(10 * 60 * SECOND, 100).describe('Time that a browser may take to log in at the provider'),
  MAX_SESSIONS: whole(10_000, 1).describe(
    'Sessions of all users together; with one more, the one that would end first ends',
  ),
  MAX_SESSIONS_PER_USER: whole(20, 1).describe('The same for the sessions of one user'),
};

const storage = {
  DATA_DIR: z
    .string()
    .trim()
    .min(1)
    .default(DATA_DIR_DEFAULT)
    .describe('Folder of everything that is stored; one server holds it, or all that share a Redis'),
  RETENTION_DAYS: days(0)
    .meta({ shownDefault: '0; with STORE=redis 30' })
    .describe('Days after their end that jobs and their files are kept; 0: for ever; fractions are allowed'),
  CLEANING_MS: wait(60 * SECOND, 10).describe(
    'Time between two looks for jobs and uploads whose time is over, and for files of jobs that have ended',
  ),
  MIN_FREE_BYTES: whole(256 * MIB, 0).describe('Free disk below which new jobs and uploads are answered 503'),
  DISK_LOOK_MS: wait(10 * SECOND, 10).describe('Time between two looks at the free disk'),
};

const naming = {
  JOB_ID_HOST: z
    .string()
    .regex(HOST_NAME.pattern, HOST_NAME.says)
    .default(hostname())
    .meta({ shownDefault: "the host's name" })
    .describe('Host part of job ids, frozen with each job; letters, digits, _, . and -'),
  NODE_NAME: z
    .string()
    .regex(HOST_NAME.pattern, HOST_NAME.says)
    .optional()
    .meta({ shownDefault: 'JOB_ID_HOST' })
    .describe('Name of this node in the node configuration and in the names of its services and processes'),
  SITE_ID: z.string().default('troupe1').describe('siteId in documents'),
};

const requests = {
  MAX_BODY_BYTES: whole(10 * MIB, 1_024).describe('JSON body of a request; more is answered 413'),
  MAX_FORM_BYTES: whole(64 * 1024, 64).describe(
    'Body of parameters that come as the fields of a form (resubmission); more is answered 413',
  ),
  MAX_DESCRIPTOR_BYTES: whole(MIB, 1_024).describe(
    'Body of a component descriptor, pipeline, task or action; more is answered 413',
  ),
  MAX_BODY_MS: whole(60 * SECOND, 10).describe(
    'Time until the end of a JSON body; a slower one is answered 408',
  ),
  MAX_JSON_DEPTH: whole(32, 4).describe('Nesting of a JSON body'),
  MAX_JSON_VALUES: whole(250_000, 100).describe(
    'Texts, numbers, lists and objects in a JSON body; more is answered 413',
  ),
  MAX_URI_LENGTH: whole(8_192, 1).describe(
    'Characters of a media URI (data: URIs aside) or callback URL; more are refused',
  ),
  STORED_DATA_URI_LENGTH: whole(8_192, 0).describe(
    'Characters of a data: URI that are stored with the job; a longer one lies in a file of DATA_DIR as long as the job is kept; 0: each of them',
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
  IDEMPOTENCY_KEEP_MS: whole(24 * 3_600 * SECOND, 1_000).describe(
    'Time for which an Idempotency-Key of a job creation is remembered',
  ),
  MAX_CATALOG_ELEMENTS: whole(10_000, 1).describe(
    'Components, algorithms, actions, tasks and pipelines together; one more is refused',
  ),
  MAX_CATALOG_BYTES: whole(64 * MIB, 1_024).describe('Size of all of them together; more is refused'),
  MAX_SYSTEM_MESSAGES: whole(1_000, 1).describe('System messages that are kept; more are refused'),
};

const uploads = {
  MAX_UPLOAD_BYTES: whole(16 * 1024 * MIB, 1).describe('An uploaded medium; a larger one is answered 413'),
  MAX_UPLOADS_BYTES: whole(64 * 1024 * MIB, 1).describe('All uploads that are kept; more are answered 507'),
  MAX_UPLOADS: whole(10_000, 1).describe('How many uploads are kept; more are answered 507'),
  MAX_UPLOADS_PERCENT_OF_USER: whole(25, 1, 100).describe(
    'Percent of MAX_UPLOADS_BYTES and of MAX_UPLOADS that the uploads of one USER may have, also those under way; more are answered 413. ADMIN has no such limit',
  ),
  UPLOAD_PACE_MS: wait(60 * SECOND, 100).describe(
    'Time in which an upload must bring another 64 KiB, or its end; else it is broken off',
  ),
  UPLOAD_KEEP_DAYS: days(7).describe(
    'Days after which an upload is removed, or later, once no live job uses it; fractions are allowed',
  ),
};

const frames = {
  MAX_FRAME_REQUESTS: whole(16, 0).describe(
    'Frames of media that are decoded for clients, or wait for it, at a time; more are answered 503',
  ),
  MAX_LEASE_FRAMES: whole(8, 0).describe(
    'Frames that the component of one sub-job may have decoded at a time; all components together get half of MAX_FRAME_REQUESTS, in turn',
  ),
  FRAME_WAIT_MS: wait(20 * SECOND, 100).describe(
    'Time that a client waits for a frame, then it is answered 503; decoding goes on, for when it asks again',
  ),
  FRAME_CACHE_BYTES: whole(256 * MIB, 0).describe(
    'Decoded frames and tables of their times that are kept in DATA_DIR for the next who asks; the oldest go first',
  ),
  FRAME_DOCUMENT_BYTES: whole(256 * MIB, 0).describe(
    'A detection document from which boxes are drawn into a frame; with a larger one it is answered 404',
  ),
};

const viewing = {
  MAX_VIEW_QUESTIONS: whole(100, 1).describe(
    'Questions of viewers about detection documents that wait at a time; more are answered 503',
  ),
  VIEW_WAIT_MS: wait(30 * SECOND, 100).describe(
    'Time that a viewer waits for the index of a document to be made, then it is answered 503; the making goes on',
  ),
  VIEW_IDLE_MS: wait(5 * 60 * SECOND, 100).describe(
    'Time after which the index of a document that no viewer asks about is closed; it stays beside the document',
  ),
};

const exporting = {
  MAX_EXPORTS: whole(4, 0).describe(
    'Other forms of detection documents (docs/exports.md) that are made at a time; more are answered 503',
  ),
  EXPORT_PACE_MS: wait(60 * SECOND, 100).describe(
    'Time in which a client must take another piece (some 64 KiB) of such a form; else it is broken off',
  ),
};

const watching = {
  STRICT_SETTINGS: truth()
    .default(false)
    .describe(
      'Refuse the start when the environment has a name that looks like a setting and is none; false: warn in the log',
    ),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` })
    .default('info')
    .describe('The least important lines that are written'),
  LOG_REFUSALS_A_MINUTE: whole(60, 0).describe(
    'Lines a minute about refused tokens and missing roles; what is more is counted in one line',
  ),
  METRICS_TOKEN: z
    .string()
    .regex(/^\S{16,}$/, { error: 'must have at least 16 characters and no blanks' })
    .optional()
    .describe('A bearer token that may read /metrics and nothing else; at least 16 characters'),
  MAX_EVENT_STREAMS: whole(1_000, 0).describe('Clients that watch jobs at a time; more are answered 503'),
  EVENTS_POLL_MS: wait(250, 10).describe('Time between two looks at a job that is watched'),
  EVENTS_HEARTBEAT_MS: wait(15 * SECOND, 10).describe('Time between two signs of life of an event stream'),
};

/** Times are milliseconds, sizes bytes, unless the name says otherwise. */
export const servingSettings = {
  ...listening,
  ...sessions,
  ...storage,
  ...naming,
  ...requests,
  ...uploads,
  ...frames,
  ...viewing,
  ...exporting,
  ...watching,
};

export const servingGroups: readonly SettingGroup[] = [
  { title: 'Address', about: 'How clients reach the server.', settings: listening },
  {
    title: 'Sessions',
    about:
      'How long browsers that have logged in stay so, and how many. Tokens of the provider have times of their own.',
    settings: sessions,
  },
  { title: 'Storage', about: 'Where everything lies, and how long it is kept.', settings: storage },
  { title: 'Names', about: 'What jobs, documents and this node are called.', settings: naming },
  {
    title: 'Requests',
    about: 'What a request may ask for at most. Larger JSON bodies are answered 413.',
    settings: requests,
  },
  { title: 'Uploads', about: 'Media that clients send to the server.', settings: uploads },
  { title: 'Frames', about: 'Pictures of the frames of media, for clients.', settings: frames },
  {
    title: 'Viewers',
    about: 'What the page asks about the documents of jobs that have ended.',
    settings: viewing,
  },
  { title: 'Exports', about: 'What other tools read of what was found.', settings: exporting },
  { title: 'Log, metrics and events', settings: watching },
];
