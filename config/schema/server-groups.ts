import { hostname } from 'node:os';
import { z } from 'zod';
import { DATA_DIR_DEFAULT } from '../data-dir.ts';
import { whole, wait, days, truth, origins, SECOND, MIB, type SettingGroup } from './values.ts';

export const DEFAULT_HOST = '127.0.0.1';
const HOST_NAME = {
  pattern: /^\w[\w.-]{0,63}$/,
  says: {
    error: 'must have 1 to 64 letters, digits, "_", "." and "-", and start with a letter, a digit or "_"',
  },
};
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

const listening = {
  HOST: z.string().trim().min(1).default(DEFAULT_HOST).describe('Address to listen on'),
  PORT: whole(8080, 0, 65_535)
    .meta({ shownDefault: '8080' })
    .describe('Port to listen on; 0 selects a free one'),
  BASE_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
    .refine((url) => !/[?#@]/.test(url), { error: 'must have no user, query or fragment' })
    .optional()
    .meta({ shownDefault: '`http://HOST:PORT`' })
    .describe('Address for clients, with the path of a reverse proxy'),
  TRUST_PROXY: truth().default(false).describe('Read the client from X-Forwarded-For; only behind a proxy'),
  CORS_ALLOWED_ORIGINS: origins
    .default([])
    .describe('Comma-separated origins whose pages may use /rest and /mcp; *: any'),
  MCP_WRITE: truth().default(false).describe('Let agents at /mcp create and cancel jobs'),
  KEEP_ALIVE_MS: wait(65 * SECOND, 1).describe(
    'Time of an idle connection; must exceed that of a load balancer',
  ),
};

/** Maximum duration of a browser session: 30 days. */
const SESSION_LIFE_MS = 30 * 24 * 3_600 * SECOND;
const sessions = {
  SESSION_IDLE_MS: whole(SESSION_LIFE_MS, 100).describe(
    'Time without a request after which a browser must log in again',
  ),
  SESSION_MS: whole(SESSION_LIFE_MS, 100).describe(
    'Time after which it must log in again; removed roles stay valid until then',
  ),
};

const storage = {
  DATA_DIR: z
    .string()
    .trim()
    .min(1)
    .default(DATA_DIR_DEFAULT)
    .describe('Folder of all stored data; shared in a cluster'),
  RETENTION_DAYS: days(0)
    .meta({ shownDefault: '0; with STORE=redis 30' })
    .describe('Days that ended jobs are kept; 0: for ever'),
  FRAME_CACHE_BYTES: whole(256 * MIB, 0).describe('Space in DATA_DIR for decoded frames'),
  MIN_FREE_BYTES: whole(256 * MIB, 0).describe('Free disk space below which jobs and uploads get 503'),
};

const naming = {
  JOB_ID_HOST: z
    .string()
    .regex(HOST_NAME.pattern, HOST_NAME.says)
    .default(hostname())
    .meta({ shownDefault: "the host's name" })
    .describe('Host part of the ids of new jobs'),
  NODE_NAME: z
    .string()
    .regex(HOST_NAME.pattern, HOST_NAME.says)
    .optional()
    .meta({ shownDefault: 'JOB_ID_HOST' })
    .describe('Name of this node in the node configuration'),
  SITE_ID: z.string().default('troupe1').describe('siteId in documents'),
};

const requests = {
  MAX_BODY_BYTES: whole(10 * MIB, 1_024).describe('Size of a JSON body; above it: 413'),
  MAX_UPLOAD_BYTES: whole(16 * 1024 * MIB, 1).describe('One upload; above it: 413'),
  MAX_UPLOADS_BYTES: whole(64 * 1024 * MIB, 1).describe('All stored uploads; above it: 507'),
  MAX_UPLOADS: whole(10_000, 1).describe('Number of stored uploads; above it: 507'),
  UPLOAD_KEEP_DAYS: days(7).describe('Days after which an unused upload is deleted'),
};

const watching = {
  STRICT_SETTINGS: truth().default(false).describe('Refuse the start for unknown names of settings'),
  STRICT_REQUESTS: truth().default(false).describe('Refuse request bodies with unknown members (400)'),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` })
    .default('info')
    .describe('Least level of lines in the log'),
  AUDIT_READS: truth().default(false).describe('Add reads to the audit trail'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
    .optional()
    .meta({ shownDefault: 'no traces' })
    .describe('OpenTelemetry collector for traces of jobs (OTLP over HTTP)'),
  METRICS_TOKEN: z
    .string()
    .regex(/^\S{16,}$/, { error: 'must have at least 16 characters and no blanks' })
    .optional()
    .describe('Token for /metrics only; at least 16 characters'),
};

/** Times are milliseconds, sizes bytes, unless the name says otherwise. */
export const servingSettings = {
  ...listening,
  ...sessions,
  ...storage,
  ...naming,
  ...requests,
  ...watching,
};

export const servingGroups: readonly SettingGroup[] = [
  { title: 'Address', settings: listening },
  {
    title: 'Sessions',
    about: 'Tokens of the provider expire independently.',
    settings: sessions,
  },
  { title: 'Storage', settings: storage },
  { title: 'Names', settings: naming },
  { title: 'Requests and uploads', settings: requests },
  { title: 'Log, metrics and traces', settings: watching },
];
