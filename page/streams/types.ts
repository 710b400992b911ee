import type { z } from 'zod';
import type { recordingList } from '../../http/schemas/streaming/stream-recordings.ts';
import type { streamingJobInfo } from '../../http/schemas/streaming/streaming-jobs.ts';
import { TEXT } from '../kit/text.ts';

export type StreamInfo = z.output<typeof streamingJobInfo>;
export type RecordingList = z.output<typeof recordingList>;

/** Events of a stream that are shown in its log. */
export interface TrackBegan {
  readonly at: number;
  readonly liveId: string;
  readonly trackType?: string;
  /** The task and action that found the track, if there are several. */
  readonly task?: string;
  readonly action?: string;
  readonly frame: number;
  readonly confidence: number;
  readonly properties: Readonly<Record<string, string>>;
}
export interface TrackEnded {
  readonly at: number;
  readonly liveId: string;
  readonly frame: number;
}
export interface Reconnecting {
  readonly at: number;
  readonly cause: string;
}
export interface Warned {
  readonly at: number;
  readonly message: string;
}

/** True if a stream has ended. */
export const isOver = ({ endDate }: StreamInfo) => endDate !== null;

/** Returns a readable name of a camera such as `yard at 10.0.0.7`. */
export function cameraName(uri: string): string {
  try {
    const { pathname, host } = new URL(uri);
    const path = decodeURIComponent(pathname).replaceAll(/^\/+|\/+$/g, '');
    return path === '' ? host : TEXT.streams.at(path, host);
  } catch {
    return uri;
  }
}

/** True if clips of the stream can be played. */
export const isRecorded = (stream: StreamInfo) => stream.recording !== undefined;
