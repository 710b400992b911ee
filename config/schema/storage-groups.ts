import { z } from 'zod';
import { SECOND, truth, wait, type SettingGroup } from './values.ts';

const storing = {
  STORE: z
    .enum(['sqlite', 'redis'], { error: 'must be sqlite or redis' })
    .default('sqlite')
    .describe('sqlite: one server. redis: [a cluster](../guides/run-a-cluster.md)'),
  ALLOW_EMPTY_STORE: truth().default(false).describe('Start with an empty store beside files of jobs'),
  REDIS_URL: z
    .string()
    .trim()
    .regex(
      /^rediss?(\+sentinel)?:\/\/\S+$/,
      'must be redis://host:port/number or redis+sentinel://host:port,host:port/name/number; rediss in place of redis for TLS',
    )
    .optional()
    .describe(
      'Address of Redis, for STORE=redis. `rediss://` is TLS; `redis+sentinel://host:port,host:port/name/number` asks sentinels for the primary',
    ),
  REDIS_PREFIX: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, _, . and -')
    .default('troupe')
    .describe('Prefix of all keys; one for each cluster'),
  REDIS_TIMEOUT_MS: wait(5 * SECOND, 100).describe('Timeout of a Redis call; requests then get 503'),
  SERVER_SILENCE_MS: wait(4 * SECOND, 500).describe(
    'Time without a heartbeat after which others take over the work of a server',
  ),
};

export const storingSettings = storing;

export const storingGroups: readonly SettingGroup[] = [
  {
    title: 'Store',
    about: 'Files are in DATA_DIR in both cases.',
    settings: storing,
  },
];
