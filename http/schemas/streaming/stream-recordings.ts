import { z } from 'zod';
import { queryTimestamp, timestamp, wholeNumber } from '../common.ts';

/** Recordings of live streams (not in the specification). */
const frameNumber = wholeNumber(0).meta({ examples: [250] });
const frame = z.int().nullable().describe('Number in the stream; null: another address is recorded');

export const recordingList = z
  .object({
    bytes: z.int().describe('Of all files of the recording'),
    stretches: z
      .array(
        z.object({
          startTime: timestamp.describe('Time of its first picture'),
          stopTime: timestamp.describe('When its last picture ended'),
          startFrame: frame,
          stopFrame: frame,
        }),
      )
      .describe('Recorded without a break, in order of time; the newest 1,000'),
  })
  .meta({ id: 'StreamRecordingList' });

export const listedTimes = z.object({
  start: queryTimestamp.optional().describe('Only what was recorded after it'),
  stop: queryTimestamp.optional().describe('Only what was recorded before it'),
});

const MAX_ROLL_SECONDS = 600;
const seconds = z.coerce.number().min(0).max(MAX_ROLL_SECONDS).default(0);

export const clipQuery = z
  .object({
    start: queryTimestamp.optional().describe('When the clip begins'),
    stop: queryTimestamp.optional().describe('When it ends; absent: as `start`'),
    startFrame: frameNumber.optional().describe('Frame with which it begins, in place of `start`'),
    stopFrame: frameNumber.optional().describe('Frame with which it ends; absent: as `startFrame`'),
    before: seconds.describe('Seconds to add before the beginning'),
    after: seconds.describe('Seconds to add after the end'),
  })
  .refine(({ start, startFrame }) => (start === undefined) !== (startFrame === undefined), {
    error: 'must have either start or startFrame',
  });

export const snapshotQuery = z
  .object({
    at: queryTimestamp.optional().describe('Time of the picture'),
    frame: frameNumber.optional().describe('Number of the frame in the stream, in place of `at`'),
  })
  .refine(({ at, frame: number }) => (at === undefined) !== (number === undefined), {
    error: 'must have either at or frame',
  });
