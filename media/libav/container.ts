/** A media file opened by FFmpeg, with the decoder of one of its streams. All calls are synchronous; see `EventLoopYield`. */
import './promise-polyfill.ts';
import {
  Codec,
  CodecContext,
  Dictionary,
  FFmpegError,
  FormatContext,
  Frame as AvFrame,
  Log,
  Packet,
} from 'node-av/lib';
import type { Stream } from 'node-av/lib';
import {
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
  AV_DISPOSITION_ATTACHED_PIC,
  AV_LOG_FATAL,
  AV_NOPTS_VALUE,
} from 'node-av/constants';
import type { AVMediaType } from 'node-av/constants';
import { MediumError } from '../medium-error.ts';

// Errors of damaged media become our own errors. FFmpeg does not log to stderr.
Log.setLevel(AV_LOG_FATAL);

/**
 * Demuxers that read one self-contained file. Playlists (HLS, DASH, concat, SDP) are left out: they name more files and addresses, which a
 * client could use to read forbidden data.
 */
const FORMATS = (
  'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mpegvideo,m4v,h264,hevc,av1,obu,ivf,gif,apng,ogg,flv,live_flv,' +
  'asf,rm,mxf,nut,nsv,wtv,dv,mjpeg,yuv4mpegpipe,swf,vob,h263,h261,vc1,wav,w64,mp3,aac,flac,amr,amrnb,amrwb,aiff,caf,au,' +
  'ac3,eac3,dts,truehd,tta,wv,ape,voc,opus,spx,gsm,sln'
).replace(/\s/g, '');

export const NO_TIMESTAMP = AV_NOPTS_VALUE;

export interface Container {
  readonly path: string;
  readonly format: FormatContext;
  /** The first picture stream that is not a cover image. */
  readonly video: Stream | undefined;
  readonly audio: Stream | undefined;
  /** Seconds at which the medium begins. All reported times count from here. */
  readonly origin: number;
  /** Milliseconds, rounded up; undefined if the container does not state it. */
  readonly duration: number | undefined;
  close(): void;
}

/** Opens a local file. Throws COULD_NOT_OPEN_MEDIA if FFmpeg does not know or cannot parse it. */
export function openContainer(path: string): Container {
  const format = new FormatContext();
  const options = Dictionary.fromObject({ protocol_whitelist: 'file', format_whitelist: FORMATS });
  try {
    refuse(format.openInputSync(`file:${path}`, null, options));
    try {
      refuse(format.findStreamInfoSync(null));
    } catch (error) {
      format.closeInputSync();
      throw error;
    }
  } finally {
    options.free();
  }
  const streams = format.streams;
  return {
    path,
    format,
    video: pick(format, streams, AVMEDIA_TYPE_VIDEO),
    audio: pick(format, streams, AVMEDIA_TYPE_AUDIO),
    origin: format.startTime === NO_TIMESTAMP ? 0 : Number(format.startTime) / 1e6,
    duration: format.duration === NO_TIMESTAMP ? undefined : Math.ceil(Number(format.duration) / 1000),
    close: once(() => format.closeInputSync()),
  };
}

function refuse(code: number): void {
  if (code < 0)
    throw new MediumError(
      'COULD_NOT_OPEN_MEDIA',
      `The medium could not be opened: ${FFmpegError.strerror(code)}.`,
    );
}

function pick(format: FormatContext, streams: Stream[], type: AVMediaType) {
  const usable = (stream: Stream | undefined): boolean =>
    stream !== undefined &&
    stream.codecpar.codecType === type &&
    !stream.hasDisposition(AV_DISPOSITION_ATTACHED_PIC);
  const best = streams[format.findBestStream(type)];
  return usable(best) ? best : streams.find(usable);
}

export interface StreamDecoder {
  readonly stream: Stream;
  readonly context: CodecContext;
  /** Decodes one packet, or flushes with null. True if the decoder accepted it. */
  send(packet: Packet | null): boolean;
  /** Returns the next decoded frame, valid until the next call; undefined if more packets are needed. */
  receive(): AvFrame | undefined;
  /** Resets the decoder after a seek. */
  reset(): void;
  close(): void;
}

/**
 * Opens a decoder. Pictures of more than `maxPixels` pixels are not decoded. Throws COULD_NOT_OPEN_MEDIA if no decoder knows the codec.
 */
export function openDecoder(stream: Stream, threads = 1, maxPixels?: number): StreamDecoder {
  const codec = Codec.findDecoder(stream.codecpar.codecId);
  if (codec === null)
    throw new MediumError('COULD_NOT_OPEN_MEDIA', 'No decoder is known for the codec of the medium.');
  const context = new CodecContext();
  context.allocContext3(codec);
  context.parametersToContext(stream.codecpar);
  context.pktTimebase = stream.timeBase;
  context.threadCount = threads;
  // Not set by a dictionary of options: opening frees the dictionary, and the binding frees it again.
  if (maxPixels !== undefined) context.setOption('max_pixels', maxPixels);
  const opened = context.open2Sync(codec, null);
  if (opened < 0) {
    context.freeContext();
    throw new MediumError(
      'COULD_NOT_OPEN_MEDIA',
      `The decoder could not be opened: ${FFmpegError.strerror(opened)}.`,
    );
  }
  const frame = new AvFrame();
  frame.alloc();
  return {
    stream,
    context,
    send: (packet) => context.sendPacketSync(packet) >= 0,
    receive: () => (context.receiveFrameSync(frame) >= 0 ? frame : undefined),
    reset: () => context.flushBuffers(),
    close: once(() => {
      frame.free();
      context.freeContext();
    }),
  };
}

/** Reads the next packet of the container into `packet`. Returns false at the end, or where reading fails. */
export function readPacket(container: Container, packet: Packet): boolean {
  packet.unref();
  return container.format.readFrameSync(packet) >= 0;
}

export function newPacket(): Packet {
  const packet = new Packet();
  packet.alloc();
  return packet;
}

export function once(close: () => void): () => void {
  let open = true;
  return () => {
    if (open) close();
    open = false;
  };
}

/** Maximum time in milliseconds that decoding blocks the event loop, so that a cancel takes effect soon. */
const BUSY_MS = 40;

/** Runs timers and sockets of the process between periods of synchronous decoding. */
export class EventLoopYield {
  #since = performance.now();
  readonly #signal: AbortSignal | undefined;
  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  yieldIsDue(): boolean {
    return performance.now() - this.#since > BUSY_MS;
  }

  async yield(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#signal?.throwIfAborted();
    this.#since = performance.now();
  }
}
