/** What the host needs of a reader of live video. */
import type { ReconnectRules, StallRules, StreamEnd, StreamEvent } from '../../../protocol/streams.ts';
import type { Frame } from '../../sdk/detector.ts';

export interface LiveFrame extends Frame {
  /** When it came: milliseconds since the epoch. */
  readonly at: number;
}

export interface LiveSource {
  /** Once. The pixels of a frame are overwritten when the next one is asked for; a frame may have another size than the one before. */
  frames(): AsyncGenerator<LiveFrame, void, undefined>;
  /** `beats`: turns of the reader's loop, also while nothing comes. */
  readonly counts: Readonly<Record<'beats' | 'decoded' | 'dropped' | 'reconnects', number>>;
  /** Why the stream ended; `failed`: it cannot be opened, or not any more whatever is tried. */
  readonly ended: Promise<{ readonly reason: StreamEnd['reason'] | 'failed'; readonly detail: string }>;
  close(): Promise<void>;
}

export type LiveEvent = Extract<
  StreamEvent,
  { readonly type: 'opened' | 'stalled' | 'running' | 'reconnecting' }
>;

export interface LiveOptions {
  readonly allowPrivate: boolean;
  readonly stall: StallRules;
  readonly reconnect: ReconnectRules;
  readonly firstFrame: number;
  /** The stream has given frames before: that it cannot be opened is then a stall. */
  readonly seenBefore: boolean;
  readonly interval: number;
  readonly rateCap: number;
  readonly keyFramesOnly: boolean;
}

export type OpenLive = (
  uri: string,
  options: LiveOptions,
  signal: AbortSignal,
  onEvent: (event: LiveEvent) => void,
) => LiveSource;
