import type { CodecParameters, Packet } from 'node-av/lib';
import type { AVCodecID } from 'node-av/constants';

/** What a decoder needs to know of the pictures in a packet. */
export interface CodedVideo {
  /** Another one after the coding has changed: it needs a new decoder. */
  readonly id: number;
  readonly codec: AVCodecID;
  /** Seconds a tick of timestamps; undefined when these say nothing. */
  readonly timeBase: number | undefined;
  /** Frames a second that the sender announces; 0 when it does not. */
  readonly fps: number;
  readonly parameters?: CodecParameters;
}

/** A connection to a live stream that sends. It ends, and a pending `read` with it, when the signal it was opened with aborts. */
export interface LiveInput {
  /** The next coded picture into `packet`; undefined when the sender has ended the stream. Errors: LiveError. */
  read(packet: Packet): Promise<CodedVideo | undefined>;
  close(): Promise<void>;
}

export interface Connect {
  readonly allowPrivate: boolean;
  readonly connectMs: number;
  readonly maxPixels: number;
  /** How RTSP brings pictures; over its own connection when absent. */
  readonly transport?: Transport | undefined;
  /** Of a stream that is opened again and again. */
  readonly place?: PlaylistPlace | undefined;
}

/** How far the playlist of a stream was read. */
export interface PlaylistPlace {
  /** The last one that was begun. */
  segment?: { readonly sequence: number; readonly url: URL };
}

export type Transport = 'TCP' | 'UDP';
