/** The part of the live video reader that the host needs. */
import type {
  LiveCounts,
  LiveEvent,
  LiveFrame,
  LiveOptions,
  LiveSource,
  RecordingListener,
} from '../../../media/live/live-frames.ts';

export type { LiveEvent, LiveFrame, LiveOptions };

export interface LivePictures extends Pick<LiveSource, 'frames' | 'ended' | 'close'> {
  readonly counts: Pick<LiveCounts, 'beats' | 'decoded' | 'dropped' | 'reconnects'>;
}

export type OpenLive = (
  uri: string,
  options: LiveOptions,
  signal: AbortSignal,
  onEvent: (event: LiveEvent) => void,
  onRecording?: RecordingListener,
) => LivePictures;
