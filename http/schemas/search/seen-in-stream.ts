import { z } from 'zod';
import { timestamp } from '../common.ts';

/** When a camera saw a track. */
export const seenInStream = z
  .object({
    streamUri: z
      .string()
      .meta({ description: 'Without credentials', examples: ['rtsp://camera.example/live'] }),
    startDate: timestamp.describe('When the track was seen first'),
    stopDate: timestamp.describe('When the track was seen last'),
  })
  .nullable()
  .describe('Of a live stream: jobId is that of the streaming job. null: of a batch job');
