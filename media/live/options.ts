import type { RecordingWork } from '../../protocol/stream-fragments.ts';
import type { ReconnectRules, StallRules } from '../../protocol/streams.ts';
import type { SamplingOptions } from '../video/sampling.ts';
import type { Transport } from './input/input.ts';

export interface LiveOptions extends Pick<SamplingOptions, 'interval' | 'rateCap' | 'keyFramesOnly'> {
  /** True to allow loopback and private addresses. Link-local and metadata addresses are never allowed. */
  readonly allowPrivate: boolean;
  readonly stall: StallRules;
  readonly reconnect: ReconnectRules;
  /** Number of the first frame; 0 if undefined. */
  readonly firstFrame?: number | undefined;
  /**
   * True if an earlier reader received frames of the stream. A failure to open is then a stall. Otherwise it ends the stream at once, so
   * that a wrong address is reported immediately.
   */
  readonly seenBefore?: boolean | undefined;
  /** Transport of RTSP pictures: TCP over the RTSP connection (default), or UDP beside it. */
  readonly transport?: Transport | undefined;
  /** Timeout of connecting, and of each answer of the server until it sends. */
  readonly connectMs?: number | undefined;
  /** Timeout of the first picture of a stream that was not seen before. */
  readonly firstPictureMs?: number | undefined;
  /** What to record of the camera; undefined for nothing. */
  readonly recording?: RecordingWork | undefined;
  /** Number of decoder threads. */
  readonly threads?: number | undefined;
  /** Maximum picture size. Larger pictures are not decoded: each takes four and a half bytes per pixel, and up to four are in memory. */
  readonly maxPixels?: number | undefined;
}

export const LIVE_DEFAULTS = {
  connectMs: 10_000,
  firstPictureMs: 30_000,
  threads: 1,
  /** 8K (7680 x 4320) is the largest size that cameras send. */
  maxPixels: 34_000_000,
} as const;
