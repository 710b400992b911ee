/** Reads coded pictures from the bytes of a container with FFmpeg, which receives only bytes and opens no socket. */
import './quiet.ts';
import { Dictionary, FFmpegError, FormatContext, IOContext, InputFormat } from 'node-av/lib';
import type { Packet, Stream } from 'node-av/lib';
import { AVERROR_EOF, AVMEDIA_TYPE_VIDEO, AV_DISPOSITION_ATTACHED_PIC } from 'node-av/constants';
import type { ByteFeed } from './byte-feed.ts';
import type { CodedVideo, LiveInput } from './input.ts';
import { LiveError } from './live-error.ts';

/** Supported stream formats. Playlists are left out, because they name further addresses. */
const FORMATS = 'mpegts,mov,matroska,mpjpeg,flv,mpeg,ogg,mjpeg,h264,hevc,m4v,nut';
/** FFmpeg's names of sound formats. None of them is among the formats above. */
const SOUND = new Set(
  'aac,ac3,aiff,amr,ape,au,caf,dts,eac3,flac,gsm,loas,mp3,truehd,tta,voc,w64,wav,wv'.split(','),
);
const BUFFER_BYTES = 64 * 1024;
/**
 * Maximum number of bytes in which FFmpeg looks for MPEG-TS tables before the first packet. Later tables are read as they arrive. The
 * binding leaks this buffer, so each connection costs this much memory. The default of 5 MB would be too much.
 */
const TABLE_BYTES = 128 * 1024;
/** Maximum number of bytes that are probed for a known format. */
const PROBE_BYTES = 512 * 1024;
/** Maximum number of consecutive damaged reads before reading fails. */
const MOST_DAMAGED = 1_000;
/** Maximum number of packets and time without video, after which the stream has none. */
const MOST_OTHERS = 1_000;
const OTHERS_MS = 10_000;

export interface ContainerOptions {
  /** True if the answer is multipart, as cameras send JPEG pictures. */
  readonly multipart: boolean;
  /** True if the sender marks the end. If not, a closed connection counts as lost. */
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

  /** True if there is video, or if the container has no streams yet. */
  get #hasVideo(): boolean {
    const { streams } = this.#format;
    return streams.length === 0 || streams.some(isVideo);
  }

  #end(): undefined {
    if (this.#video === undefined) throw noVideo();
    if (!this.#options.endIsTold)
      throw new LiveError('LOST', 'The sender of the stream has closed the connection.');
  }

  /** Returns undefined for packets of sound, subtitles and video streams that are not read. */
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
      // Pictures of such cameras have no timestamps.
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
