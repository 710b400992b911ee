import { availableParallelism, totalmem } from 'node:os';
import { z } from 'zod';
import { callbackSecrets } from './callback-secrets.ts';
import { GIB, MIB, SECOND, truth, userShares, wait, whole, type SettingGroup } from './values.ts';

/**
 * Default memory limit of a process. The minimum is enough for the largest allowed picture and its copies, and several processes fit into
 * the machine.
 */
function defaultMemory(): number {
  const limit = process.constrainedMemory();
  const machine = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return Math.max(2 * GIB, Math.floor(machine / 4));
}

const jobs = {
  DEFAULT_PRIORITY: whole(4, 0, 9).describe('Priority of jobs without one'),
  USER_SHARES: userShares.describe(
    'Weights for [fair shares](../concepts/job.md#fair-shares), such as alice=3,group:lab=2,*=1',
  ),
  MAX_LIVE_JOBS: whole(1_000, 1).describe('Jobs in progress; others wait as INITIALIZED'),
  MAX_WAITING_JOBS: whole(10_000, 0).describe('Jobs that wait; above it: 503'),
  MAX_MEDIA_PER_JOB: whole(10_000, 1).describe('Media of a job; above it: 400'),
  MAX_DERIVATIVE_MEDIA: whole(10_000, 0).describe('Media that a job may extract from documents'),
  SHUTDOWN_POLICY: z
    .enum(['resume', 'cancel'], { error: 'must be resume or cancel' })
    .default('resume')
    .describe('After a stop, live jobs resume, or end CANCELLED_BY_SHUTDOWN (cancel)'),
};

const subJobs = {
  SUB_JOB_ATTEMPTS: whole(3, 1).describe('Attempts at a sub-job without a valid answer'),
  LEASE_MS: whole(15 * SECOND, 100).describe('Time without a heartbeat'),
  SILENCE_MS: whole(120 * SECOND, 100).describe('Time without progress'),
  SUB_JOB_MS: whole(24 * 3_600 * SECOND, 100).describe('Time in all of one attempt'),
  DRAIN_MS: wait(10 * SECOND, 0).describe('Time for running sub-jobs when the server stops'),
  MAX_RESULT_BYTES: whole(2 * 1024 * MIB, 1_024).describe('Size of the result of one sub-job'),
};

const processes = {
  COMPONENT_FOLDERS: z.string().default('').describe('Colon-separated folders with your own components'),
  COMPONENT_PROCESSES: whole(availableParallelism(), 1, 1_024)
    .meta({ shownDefault: 'cores of the host' })
    .describe('Processes of each component, until you post a node configuration'),
  MEDIA_CACHE_FOLDER: z
    .string()
    .trim()
    .min(1)
    .optional()
    .meta({ shownDefault: 'in the temporary folder' })
    .describe('Cache of media on hosts without the files of the server'),
  MEDIA_CACHE_BYTES: whole(10_000_000_000, 0).describe('Size of this cache'),
  FACE_EMBEDDING: truth().default(false).describe('Let jobs store vectors of faces (biometric data)'),
  MODEL_ROOTS: z
    .string()
    .optional()
    .meta({ shownDefault: 'models in DATA_DIR' })
    .describe('Colon-separated folders with your own [models](models.md)'),
  MODELS_LOADED: whole(2, 1, 1_000).describe('Models that one process keeps loaded'),
  MODEL_CHECK_MS: wait(60 * SECOND, 100).describe('Time in which a new model must answer once'),
  MODEL_SERVER_PRIVATE: truth()
    .optional()
    .meta({ shownDefault: 'true with the development provider, else false' })
    .describe('Allow model servers on private addresses'),
  MODEL_SERVER_ALLOWED_HOSTS: z
    .string()
    .default('')
    .describe('Comma-separated model servers that are always allowed'),
  MODEL_SERVER_WAIT_MS: wait(15 * 60 * SECOND, 0).describe('Time to wait for a model server that is away'),
  MAX_COMPONENT_MEMORY: whole(defaultMemory(), 64 * MIB)
    .meta({ shownDefault: "a quarter of the machine's, at least 2 GiB" })
    .describe('Memory (RSS) above which a component process is killed (Linux)'),
  COMPONENT_START_MS: wait(60 * SECOND, 100).describe('Time in which a started process must ask for work'),
  IDLE_SERVICE_MS: wait(10 * 60 * SECOND, 0).describe(
    'Time without work after which a process ends; 0: never',
  ),
  SERVICE_STOP_MS: wait(5 * SECOND, 0).describe('Time between SIGTERM and SIGKILL of a service'),
  NODE_SILENCE_MS: wait(10 * SECOND, 100).describe('Time without a message after which a node is Unknown'),
};

const fetching = {
  MEDIA_ROOTS: z
    .string()
    .optional()
    .meta({ shownDefault: 'with the development provider the working folder, else none' })
    .describe('Colon-separated folders whose files jobs may read'),
  MAX_MEDIUM_BYTES: whole(64 * 1024 * MIB, 1).describe('Size of a fetched medium'),
  MEDIUM_FETCH_MS: wait(3_600 * SECOND, 100).describe('Time to fetch a medium, with retries'),
  FETCH_PRIVATE: truth()
    .optional()
    .meta({ shownDefault: 'true with the development provider, else false' })
    .describe('Allow media on private addresses'),
};

const delivering = {
  CALLBACK_PRIVATE: truth()
    .optional()
    .meta({ shownDefault: 'true with the development provider, else false' })
    .describe('Allow callbacks, archives and buckets on private addresses'),
  CALLBACK_ALLOWED_HOSTS: z
    .string()
    .default('')
    .describe('Comma-separated receivers that are always allowed'),
  CALLBACK_SECRETS: callbackSecrets
    .default([])
    .meta({ shownDefault: 'callbacks are not signed' })
    .describe('JSON file with secrets to [sign callbacks](../guides/verify-callbacks.md)'),
  RESULT_LINKS: z
    .enum(['file', 'http'], { error: 'must be file or http' })
    .default('file')
    .describe('outputObjectUri of callbacks: a path (file), or an address of this server (http)'),
  DELIVERY_CONCURRENCY: whole(8, 1, 1_000).describe(
    'Parallel callbacks and archive posts to one destination',
  ),
  DELIVERY_TIMEOUT_MS: wait(60 * SECOND, 10).describe('Timeout of a callback or archive post'),
  DELIVERY_GIVE_UP_MS: whole(24 * 3_600 * SECOND, 1).describe(
    'Time for retries of a callback or archive post',
  ),
};

/** Times are milliseconds, sizes bytes, unless the name says otherwise. */
export const workingSettings = { ...jobs, ...subJobs, ...processes, ...fetching, ...delivering };

export const workingGroups: readonly SettingGroup[] = [
  { title: 'Jobs', settings: jobs },
  {
    title: 'Sub-jobs',
    about: 'After these times, the server takes the work back from a component and queues it again.',
    settings: subJobs,
  },
  { title: 'Components and nodes', settings: processes },
  { title: 'Media', settings: fetching },
  { title: 'Callbacks, archives and buckets', settings: delivering },
];
