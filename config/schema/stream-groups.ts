import { availableParallelism } from 'node:os';
import { SECOND, wait, whole, type SettingGroup } from './values.ts';

/** Settings of streaming jobs. */
export const streamingSettings = {
  MAX_STREAMS: whole(4 * availableParallelism(), 0, 1_024)
    .meta({ shownDefault: 'four for each core of the host' })
    .describe('Live streams at a time; above it: 503'),
  STREAM_STALL_ALERT_MS: wait(30 * SECOND, 100).describe(
    'Time without a frame after which a stream is STALLED',
  ),
  STREAM_CONNECT_MS: wait(10 * SECOND, 10).describe('Time to connect to a stream'),
  HEALTH_REPORT_MS: wait(30 * SECOND, 50).describe('Time between two health reports of streaming jobs'),
};

export const streamingGroups: readonly SettingGroup[] = [
  {
    title: 'Streaming jobs',
    settings: streamingSettings,
  },
];
