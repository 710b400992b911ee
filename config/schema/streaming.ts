import { availableParallelism } from 'node:os';
import { MIB, SECOND, wait, whole, type SettingGroup } from './values.ts';

/** What streaming jobs go by. */
export const streamingSettings = {
  MAX_STREAMS: whole(4 * availableParallelism(), 0, 1_024)
    .meta({ shownDefault: 'four for each core of the host' })
    .describe('Streaming jobs that are watched at a time; more are answered 503'),
  MAX_SEGMENT_SIZE: whole(100_000, 10).describe(
    'Frames of a segment of a streaming job; one with more is refused, for its tracks are held until a segment is full',
  ),
  STREAM_STALL_ALERT_MS: wait(30 * SECOND, 100).describe(
    'Time without a frame after which a stream is STALLED',
  ),
  STREAM_RECONNECT_MS: wait(SECOND / 2, 10).describe(
    'Time before a stream that broke off is opened again; doubles with each failure',
  ),
  STREAM_RECONNECT_MAX_MS: wait(15 * SECOND, 10).describe('The longest that it doubles to'),
  STREAM_CONNECT_MS: wait(10 * SECOND, 10).describe(
    'Time to connect to a stream, and for each answer of its server until it sends',
  ),
  STREAM_FIRST_PICTURE_MS: wait(30 * SECOND, 10).describe(
    'Time until the first picture of a stream; without one the job ends ERROR',
  ),
  STREAM_MAX_PIXELS: whole(34_000_000, 1_024).describe(
    'Pixels of a picture of a stream; larger ones are not decoded, for up to four are held, of four and a half bytes a pixel',
  ),
  STREAM_DECODER_THREADS: whole(1, 1, 64).describe('Threads that decode the pictures of one stream'),
  STREAM_ATTEMPTS: whole(5, 1).describe(
    'Components in a row that may end without a segment before a streaming job ends ERROR',
  ),
  STREAM_RESTART_MS: wait(SECOND, 1).describe(
    'Time before a component that died is asked for again; doubles with each one without a segment',
  ),
  STREAM_RESTART_MAX_MS: wait(30 * SECOND, 1).describe('The longest that it doubles to'),
  HEALTH_REPORT_MS: wait(30 * SECOND, 50).describe('Time between two health reports of streaming jobs'),
  REPORT_TIMEOUT_MS: wait(10 * SECOND, 10).describe(
    'Whole time of a health or summary report; each gets one try',
  ),
  MAX_QUEUED_REPORTS: whole(100, 1).describe(
    'Reports that wait for one receiver; the oldest is dropped when there are more',
  ),
  MAX_LIVE_PICTURE_BYTES: whole(8 * MIB, 1_024).describe('Bytes of a picture of a live stream'),
};

export const streamingGroups: readonly SettingGroup[] = [
  {
    title: 'Streaming jobs',
    about: 'How many there may be, and what is done when frames or components fail to come.',
    settings: streamingSettings,
  },
];
