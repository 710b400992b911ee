/** Coded pictures out of bytes in a container, by FFmpeg, which receives only bytes and opens no socket. */
import './quiet.ts';
import { Dictionary, FFmpegError, FormatContext, IOContext, InputFormat } from 'node-av/lib';
import type { Packet, Stream } from 'node-av/lib';
import { AVERROR_EOF, AVMEDIA_TYPE_VIDEO, AV_DISPOSITION_ATTACHED_PIC } from 'node-av/constants';
import type { ByteFeed } from './byte-feed.ts';
import type { CodedVideo, LiveInput } from './input.ts';
import { LiveError } from './live-error.ts';

/** What is sent as a stream. Playlists are left out: they name further addresses. */
const FORMATS = 'mpegts,mov,matroska,mpjpeg,flv,mpeg,ogg,mjpeg,h264,hevc,m4v,nut';
/** What FFmpeg calls files of sound alone, none of which is among the formats above. */
const SOUND = new Set(
  'aac,ac3,aiff,amr,ape,au,caf,dts,eac3,flac,gsm,loas,mp3,truehd,tta,voc,w64,wav,wv'.split(','),
);
const BUFFER_BYTES = 64 * 1024;
/**
 * FFmpeg looks for tables of MPEG-TS in so many bytes before the first packet; later ones are taken as they come. The binding does not free
 * the buffer that it keeps them in, so each connection costs the process as much: its usual 5 MB would soon be felt.
 */
const TABLE_BYTES = 128 * 1024;
/** After so many bytes of something that is no known format it is not looked at any longer. */
const PROBE_BYTES = 512 * 1024;
/** Damaged stretches in a row after which the stream is given up. */
const MOST_DAMAGED = 1_000;
/** Packets, or time, without any of video: then there is none. */
const MOST_OTHERS = 1_000;
const OTHERS_MS = 10_000;

export interface ContainerOptions {
  /** The answer says that it is a sequence of parts, as cameras send JPEG pictures. */
  readonly multipart: boolean;
  /** Whether the sender tells the end, so that a connection that is closed without it was lost. */
  readonly endIsTold: boolean;
  readonly maxPixels: number;
  /** The first bytes of the feed. */
  readonly beginning: Buffer;
}

export async function openContainerInput(feed: ByteFeed, options: ContainerOptions): Promise<LiveInput> {
  const io = new IOContext();
  io.allocContextWithCallbacks(BUFFER_BYTES, 0, (size) => feed.read(size), null, null);
  const format = new FormatContext();
  format.allocContext();
  format.pb = io;
  const known = Dictionary.fromObject({
    protocol_whitelist: 'none',
    format_whitelist: FORMATS,
    formatprobesize: String(PROBE_BYTES),
    probesize: String(TABLE_BYTES),
  });
  try {
    const kind = options.multipart ? InputFormat.findInputFormat('mpjpeg') : null;
    const code = await format.openInput('', kind, known);
    if (code < 0) {
      io.freeContext();
      throw openError(feed, options.beginning);
    }
  } finally {
    known.free();
  }
  return new ContainerInput(feed, format, io, options);
}

function openError(feed: ByteFeed, beginning: Buffer): LiveError {
  if (feed.error !== undefined) return feed.error;
  if (SOUND.has(InputFormat.probe(beginning)?.name ?? '')) return noVideo();
  return new LiveError(
    'NOT_VIDEO',
    'The address sends no supported video. Use an address of MPEG-TS, multipart JPEG, fragmented MP4, WebM or FLV.',
  );
}

class ContainerInput implements LiveInput {
  readonly #feed: ByteFeed;
  readonly #format: FormatContext;
  readonly #io: IOContext;
  readonly #options: ContainerOptions;
  readonly #since = performance.now();
  #streams: readonly Stream[] = [];
  #video: CodedVideo | undefined;
  #index = -1;
  #others = 0;

  constructor(feed: ByteFeed, format: FormatContext, io: IOContext, options: ContainerOptions) {
    this.#feed = feed;
    this.#format = format;
    this.#io = io;
    this.#options = options;
  }

  async read(packet: Packet): Promise<CodedVideo | undefined> {
    for (let damaged = 0; ;) {
      packet.unref();
      const code = await this.#format.readFrame(packet);
      if (code < 0) {
        if (this.#feed.error !== undefined) throw this.#feed.error;
        if (code === AVERROR_EOF) return this.#end();
        if (++damaged > MOST_DAMAGED) throw this.#hasVideo ? unreadable(code) : noVideo();
      } else {
        damaged = 0;
        const video = this.#videoOf(packet.streamIndex);
        if (video !== undefined) return video;
        this.#refuseWithoutVideo();
      }
    }
  }

  /** Of a container without any stream yet nobody knows. */
  get #hasVideo(): boolean {
    const { streams } = this.#format;
    return streams.length === 0 || streams.some(isVideo);
  }

  #end(): undefined {
    if (this.#video === undefined) throw noVideo();
    if (!this.#options.endIsTold)
      throw new LiveError('LOST', 'The sender of the stream has closed the connection.');
  }

  /** Undefined for packets of sound, subtitles and other pictures than those that are read. */
  #videoOf(index: number): CodedVideo | undefined {
    if (index >= this.#streams.length) this.#streams = this.#format.streams;
    const stream = this.#streams[index];
    if (stream === undefined || !isVideo(stream)) return undefined;
    if (index === this.#index) {
      this.#others = 0;
      if (stream.codecpar.codecId === this.#video?.codec) return this.#video;
    } else if (this.#index >= 0 && ++this.#others < MOST_OTHERS / 20) return undefined;
    this.#index = index;
    this.#video = this.#codedVideoOf(stream);
    return this.#video;
  }

  #codedVideoOf(stream: Stream): CodedVideo {
    const parameters = stream.codecpar;
    const { width, height, codecId } = parameters;
    if (width * height > this.#options.maxPixels)
      throw new LiveError('UNSUPPORTED', `Pictures of ${width}x${height} pixels are too large to be read.`);
    const rate = stream.avgFrameRate;
    return {
      id: (this.#video?.id ?? 0) + 1,
      codec: codecId,
      parameters,
      // The pictures of such a camera have no time of their own.
      timeBase: this.#options.multipart ? undefined : stream.timeBase.toDouble(),
      fps: !this.#options.multipart && rate.num > 0 && rate.den > 0 ? rate.toDouble() : 0,
    };
  }

  #refuseWithoutVideo(): void {
    if (this.#video !== undefined) return;
    if (++this.#others > MOST_OTHERS || performance.now() - this.#since > OTHERS_MS) throw noVideo();
  }

  async close(): Promise<void> {
    await this.#format.closeInput();
    this.#io.freeContext();
  }
}

function isVideo(stream: Stream): boolean {
  return (
    stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO && !stream.hasDisposition(AV_DISPOSITION_ATTACHED_PIC)
  );
}

const noVideo = (): LiveError => new LiveError('NOT_VIDEO', 'The stream has no video in it.');

const unreadable = (code: number): LiveError =>
  new LiveError('DAMAGED', `The stream cannot be read any further (${FFmpegError.strerror(code)}).`);
