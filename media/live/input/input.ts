import type { CodecParameters, Packet } from 'node-av/lib';
import type { AVCodecID } from 'node-av/constants';

/** Properties of a packet's pictures that the decoder needs. */
export interface CodedVideo {
  /** Changes when the coding changes. A new number needs a new decoder. */
  readonly id: number;
  readonly codec: AVCodecID;
  /** Seconds per tick of timestamps; undefined if the timestamps are unusable. */
  readonly timeBase: number | undefined;
  /** Frame rate that the sender states; 0 if it does not. */
  readonly fps: number;
  readonly parameters?: CodecParameters;
}

/** An open connection to a live stream. Aborting the signal that it was opened with ends it, and a pending `read`. */
export interface LiveInput {
  /** Reads the next coded picture into `packet`. Returns undefined when the sender has ended the stream. Throws LiveError. */
  read(packet: Packet): Promise<CodedVideo | undefined>;
  close(): Promise<void>;
}

export interface Connect {
  readonly allowPrivate: boolean;
  readonly connectMs: number;
  readonly maxPixels: number;
  /** Transport of RTSP pictures; TCP (the RTSP connection) if undefined. */
  readonly transport?: Transport | undefined;
  /** Reading position that a new connection continues from. */
  readonly place?: PlaylistPlace | undefined;
}

/** The reading position in a stream's playlist. */
export interface PlaylistPlace {
  /** The last segment that the reader began. */
  segment?: { readonly sequence: number; readonly url: URL };
}

export type Transport = 'TCP' | 'UDP';
