import { z } from 'zod';
import { SECOND, truth, wait, type SettingGroup } from './values.ts';

const storing = {
  STORE: z
    .enum(['sqlite', 'redis'], { error: 'must be sqlite or redis' })
    .default('sqlite')
    .describe(
      'sqlite: one server, in one file below DATA_DIR. redis: any number of servers, which share a Redis and a DATA_DIR: see [Run a cluster](../guides/run-a-cluster.md)',
    ),
  ALLOW_EMPTY_STORE: truth()
    .default(false)
    .describe(
      'Start although DATA_DIR has files of jobs and the store has none; numbers of new jobs are higher than all of these',
    ),
  REDIS_URL: z
    .string()
    .trim()
    .regex(
      /^rediss?(\+sentinel)?:\/\/\S+$/,
      'must be redis://host:port/number or redis+sentinel://host:port,host:port/name/number; rediss in place of redis for TLS',
    )
    .optional()
    .describe(
      'Where Redis is, with user and password if it asks for them; STORE=redis needs it. `rediss://` is TLS, `redis+sentinel://host:port,host:port/name/number` asks sentinels for the primary: see [Run a cluster](../guides/run-a-cluster.md)',
    ),
  REDIS_PREFIX: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, _, . and -')
    .default('troupe')
    .describe('First part of all keys, in braces; servers with the same one work together'),
  REDIS_TIMEOUT_MS: wait(5 * SECOND, 100).describe(
    'Time after which a call that Redis does not answer has failed; requests that need it are then answered 503',
  ),
  SERVER_SILENCE_MS: wait(4 * SECOND, 500).describe(
    'Time after which a silent server counts as dead; others take over its work. A killed server is found after half a second',
  ),
};

export const storingSettings = storing;

export const storingGroups: readonly SettingGroup[] = [
  {
    title: 'Store',
    about: 'Where the states are. Files (media, documents, spool) are in DATA_DIR in both cases.',
    settings: storing,
  },
];
