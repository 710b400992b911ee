import type { RecordingWork } from '../../protocol/stream-fragments.ts';
import type { ReconnectRules, StallRules } from '../../protocol/streams.ts';
import type { SamplingOptions } from '../video/sampling.ts';
import type { Transport } from './input/input.ts';

export interface LiveOptions extends Pick<SamplingOptions, 'interval' | 'rateCap' | 'keyFramesOnly'> {
  /** Whether loopback and private addresses may be connected to; link-local and metadata addresses never. */
  readonly allowPrivate: boolean;
  readonly stall: StallRules;
  readonly reconnect: ReconnectRules;
  /** Number of the first frame; 0 when absent. */
  readonly firstFrame?: number | undefined;
  /**
   * The stream has given frames before, to a reader before this one: that it cannot be opened is then a stall. Otherwise it ends the
   * stream at once, for a wrong address should be told at once.
   */
  readonly seenBefore?: boolean | undefined;
  /** How RTSP brings pictures: over its own connection (TCP, when absent), or beside it by UDP. */
  readonly transport?: Transport | undefined;
  /** Time to connect, and for each answer of the server until it sends. */
  readonly connectMs?: number | undefined;
  /** Time until the first picture of a stream that was not seen before. */
  readonly firstPictureMs?: number | undefined;
  /** What is recorded of the camera; absent: nothing. */
  readonly recording?: RecordingWork | undefined;
  /** Threads of the decoder. */
  readonly threads?: number | undefined;
  /** Larger pictures are not decoded: each takes four and a half bytes a pixel, and up to four are held. */
  readonly maxPixels?: number | undefined;
}

export const LIVE_DEFAULTS = {
  connectMs: 10_000,
  firstPictureMs: 30_000,
  threads: 1,
  /** 8K (7680 x 4320) is the largest that cameras send. */
  maxPixels: 34_000_000,
} as const;
