import type { z } from 'zod';
import type { streamingJobInfo } from '../../http/schemas/streaming-jobs.ts';

export type StreamInfo = z.output<typeof streamingJobInfo>;

/** Events of a stream that are shown in its log. */
export interface TrackBegan {
  readonly at: number;
  readonly liveId: string;
  readonly trackType?: string;
  readonly frame: number;
  readonly confidence: number;
  readonly properties: Readonly<Record<string, string>>;
}
export interface TrackEnded {
  readonly at: number;
  readonly liveId: string;
  readonly frame: number;
}
export interface Segment {
  /** When its last frame came. */
  readonly at: number;
  readonly segment: number;
  readonly tracks: number;
  readonly detections: number;
}

export interface Reconnecting {
  readonly at: number;
  readonly cause: string;
}
export interface Warned {
  readonly at: number;
  readonly message: string;
}

/** Whether a stream has ended. */
export const isOver = ({ endDate }: StreamInfo) => endDate !== null;
