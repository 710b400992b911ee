import { availableParallelism, totalmem } from 'node:os';
import { z } from 'zod';
import { callbackSecrets } from './callback-secrets.ts';
import { GIB, MIB, SECOND, truth, userShares, wait, whole, type SettingGroup } from './values.ts';

/** A decoded picture of the largest size that is taken and its copies fit into the least; several processes do into the machine. */
function defaultMemory(): number {
  const limit = process.constrainedMemory();
  const machine = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return Math.max(2 * GIB, Math.floor(machine / 4));
}

const jobs = {
  DEFAULT_PRIORITY: whole(4, 0, 9).describe('Priority of jobs that name none'),
  USER_SHARES: userShares.describe(
    'Weights of users at equal priority, for example alice=3,group:lab=2,*=1: while others wait, alice gets three times as much as a user with 1. Whole numbers from 1 to 100; * is everybody else, and 1 when it is not named',
  ),
  MAX_LIVE_JOBS: whole(1_000, 1).describe('Jobs in progress; more wait as INITIALIZED'),
  MAX_WAITING_JOBS: whole(10_000, 0).describe('Jobs that wait; more are answered 503'),
  MAX_MEDIA_PER_JOB: whole(10_000, 1).describe('Media of a job; one with more is refused'),
  MAX_DERIVATIVE_MEDIA: whole(10_000, 0).describe(
    'Media that may be derived from those of one job (pictures in documents); more make the medium fail',
  ),
  SHUTDOWN_POLICY: z
    .enum(['resume', 'cancel'], { error: 'must be resume or cancel' })
    .default('resume')
    .describe(
      'When the server stops; cancel: live jobs end CANCELLED_BY_SHUTDOWN, as far as DRAIN_MS allows; resume: they resume at the next start',
    ),
};

const subJobs = {
  SUB_JOB_ATTEMPTS: whole(3, 1).describe(
    'Attempts at a sub-job whose component dies, hangs or answers garbage',
  ),
  LEASE_MS: whole(15 * SECOND, 100).describe(
    'Time without heartbeat after which a sub-job returns to its queue',
  ),
  SILENCE_MS: whole(120 * SECOND, 100).describe(
    'Time without progress after which a sub-job returns to its queue',
  ),
  SUB_JOB_MS: whole(24 * 3_600 * SECOND, 100).describe(
    'Time after which a sub-job returns to its queue in any case',
  ),
  DRAIN_MS: wait(10 * SECOND, 0).describe('Time for running sub-jobs when the server stops'),
  MAX_RESULT_BYTES: whole(2 * 1024 * MIB, 1_024).describe(
    'Answer of a detector to one sub-job; what the server makes of an accepted answer may be longer',
  ),
};

const processes = {
  COMPONENT_FOLDERS: z
    .string()
    .default('')
    .describe(
      'Folders, colon-separated, with components of your own: each is one, or holds some (component-protocol.md says how to write one)',
    ),
  COMPONENT_PROCESSES: whole(availableParallelism(), 1, 1_024)
    .meta({ shownDefault: 'cores of the host' })
    .describe(
      'Processes of the media component, and of each component of the initial node configuration, at most',
    ),
  MEDIA_CACHE_FOLDER: z
    .string()
    .trim()
    .min(1)
    .optional()
    .meta({ shownDefault: "a folder of the user's in the temporary folder" })
    .describe(
      'Where component processes keep media that they fetched as they do not see the files of the server',
    ),
  MEDIA_CACHE_BYTES: whole(10_000_000_000, 0).describe(
    'Bytes of these media that are kept; those that were used longest ago go first',
  ),
  FACE_EMBEDDING: truth()
    .default(false)
    .describe(
      'true: jobs may store vectors of faces (FACE EMBEDDING), which are biometric data; false: nothing makes them',
    ),
  MODEL_ROOTS: z
    .string()
    .optional()
    .meta({ shownDefault: 'models in DATA_DIR' })
    .describe(
      'Folders, colon-separated, with your own model files, for components that run them (models.md)',
    ),
  MODELS_LOADED: whole(2, 1, 1_000).describe(
    'Models that one component process keeps loaded; of more, the one that was used longest ago goes',
  ),
  MODEL_CHECK_MS: wait(60 * SECOND, 100).describe(
    'Time that a model file has to be loaded and to answer once, in a process of its own, before a component uses it',
  ),
  MODEL_SERVER_PRIVATE: truth()
    .optional()
    .meta({ shownDefault: 'true with the development provider on loopback, else false' })
    .describe(
      'Model servers that jobs name (API_URI, TRITON_SERVER) may be on loopback and private addresses',
    ),
  MODEL_SERVER_ALLOWED_HOSTS: z
    .string()
    .default('')
    .describe('Comma-separated host names and addresses where model servers may be in any case'),
  MODEL_SERVER_WAIT_MS: wait(15 * 60 * SECOND, 0).describe(
    'Time for which a model server that is away is waited for; the sub-job fails after it',
  ),
  MAX_COMPONENT_MEMORY: whole(defaultMemory(), 64 * MIB)
    .meta({ shownDefault: "a quarter of the machine's, at least 2 GiB" })
    .describe(
      'Bytes of memory (RSS) of one component process; one with more is ended, which counts as an attempt at what it worked on (Linux)',
    ),
  COMPONENT_START_MS: wait(60 * SECOND, 100).describe(
    'Time from the start of a component process until it asks for work',
  ),
  IDLE_SERVICE_MS: wait(10 * 60 * SECOND, 0).describe(
    'A component process that was started for work ends after so long without any, and work starts it again; 0: never',
  ),
  SERVICE_STOP_MS: wait(5 * SECOND, 0).describe(
    'Time that a service has to end after SIGTERM before it gets SIGKILL',
  ),
  NODE_SILENCE_MS: wait(10 * SECOND, 100).describe(
    'The services of another node that is not heard of for so long are shown as Unknown, and another start of it, from any folder, may take its name',
  ),
};

const fetching = {
  MEDIA_ROOTS: z
    .string()
    .optional()
    .meta({ shownDefault: 'with the development provider the working folder, else none' })
    .describe('Folders, colon-separated, from which file: media can be read'),
  MAX_MEDIUM_BYTES: whole(64 * 1024 * MIB, 1).describe('Size of a fetched medium'),
  MEDIUM_FETCH_MS: wait(3_600 * SECOND, 100).describe('Time for fetching a medium, with its retries'),
  FETCH_PRIVATE: truth()
    .optional()
    .meta({ shownDefault: 'true with the development provider on loopback, else false' })
    .describe('Media may be fetched from loopback and private addresses'),
};

const delivering = {
  CALLBACK_PRIVATE: truth()
    .optional()
    .meta({ shownDefault: 'true with the development provider on loopback, else false' })
    .describe('Callbacks, archive posts and results for buckets may go to loopback and private addresses'),
  CALLBACK_ALLOWED_HOSTS: z
    .string()
    .default('')
    .describe(
      'Comma-separated host names and addresses that callbacks, archive posts and results for buckets may go to in any case',
    ),
  CALLBACK_SECRETS: callbackSecrets
    .default([])
    .meta({ shownDefault: 'callbacks are not signed' })
    .describe(
      'JSON file with the secrets that callbacks are signed with: an object with the host or the beginning of the URL of each receiver, and one secret or a list of two; read at start',
    ),
  RESULT_LINKS: z
    .enum(['file', 'http'], { error: 'must be file or http' })
    .default('file')
    .describe(
      'What outputObjectUri of a callback names, unless the document is in a bucket; http: its address at this server (BASE_URL), which needs a token; file: its path on the server',
    ),
  DELIVERY_CONCURRENCY: whole(8, 1, 1_000).describe(
    'Callbacks and archive posts to one destination (scheme, host and port) at a time',
  ),
  DELIVERY_TIMEOUT_MS: wait(60 * SECOND, 10).describe('Whole time of a callback or archive post'),
  DELIVERY_GIVE_UP_MS: whole(24 * 3_600 * SECOND, 1).describe(
    'Age at which a callback or archive post that fails is given up',
  ),
};

/** Times are milliseconds, sizes bytes, unless the name says otherwise. */
export const workingSettings = { ...jobs, ...subJobs, ...processes, ...fetching, ...delivering };

export const workingGroups: readonly SettingGroup[] = [
  { title: 'Jobs', about: 'How many there may be, and how large one may be.', settings: jobs },
  {
    title: 'Sub-jobs',
    about: 'When the server takes work back from a component, and what a result may be.',
    settings: subJobs,
  },
  { title: 'Components and nodes', about: 'Which processes run, and for how long.', settings: processes },
  { title: 'Media', about: 'Where media may come from.', settings: fetching },
  { title: 'Callbacks, archives and buckets', about: 'What leaves the server.', settings: delivering },
];
