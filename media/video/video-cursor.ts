/** A position in a video. It advances by packets and returns decoded frames. */
import type { Frame as AvFrame, Packet, Stream } from 'node-av/lib';
import { AVSEEK_FLAG_BACKWARD } from 'node-av/constants';
import {
  EventLoopYield,
  NO_TIMESTAMP,
  newPacket,
  once,
  openContainer,
  openDecoder,
  readPacket,
} from '../libav/container.ts';
import type { Container, StreamDecoder } from '../libav/container.ts';
import { MediumError } from '../medium-error.ts';

/** Maximum number of pixels in a picture. A larger frame would need gigabytes. */
const MAX_PICTURE_PIXELS = 150_000_000;

/** Opens a video and decodes its first frame. The first call of `next` returns this frame. */
export async function openCursor(path: string, threads = 1, signal?: AbortSignal): Promise<VideoCursor> {
  const container = openContainer(path);
  try {
    const stream = videoStream(container);
    const cursor = new VideoCursor(container, stream, openDecoder(stream, threads));
    try {
      await cursor.begin(new EventLoopYield(signal));
      return cursor;
    } catch (error) {
      cursor.close();
      throw error;
    }
  } catch (error) {
    container.close();
    throw error;
  }
}

function videoStream({ video }: Container): Stream {
  if (video === undefined) throw new MediumError('COULD_NOT_OPEN_MEDIA', 'The medium has no video stream.');
  const { width, height } = video.codecpar;
  if (width * height > MAX_PICTURE_PIXELS)
    throw new MediumError(
      'COULD_NOT_OPEN_MEDIA',
      `Pictures of ${width}x${height} pixels are too large to be read.`,
    );
  return video;
}

export class VideoCursor {
  readonly container: Container;
  readonly stream: Stream;
  /** Seconds per tick. */
  readonly timeBase: number;
  /** Frame rates that the container states, the average first; may be empty. */
  readonly rates: readonly number[];
  /** True if the container has a slot for each frame at its rate, and slots may be empty (dropped frames of AVI). */
  readonly hasSlots: boolean;
  /** True to decode only key frames from now on. */
  keysOnly = false;
  /** Size of the medium's pictures. Later pictures of other sizes are scaled to it. */
  width = 0;
  height = 0;
  /** Timestamp of the first frame that can be shown; undefined if it has none. */
  firstPts: number | undefined;
  readonly #decoder: StreamDecoder;
  readonly #packet: Packet = newPacket();
  #flushed = false;
  #held: AvFrame | undefined;
  readonly close: () => void;

  constructor(container: Container, stream: Stream, decoder: StreamDecoder) {
    this.container = container;
    this.stream = stream;
    this.timeBase = stream.timeBase.toDouble();
    this.rates = streamRates(stream);
    this.hasSlots = container.format.iformat?.name === 'avi';
    this.#decoder = decoder;
    this.close = once(() => {
      this.#packet.free();
      decoder.close();
      container.close();
    });
  }

  async begin(eventLoop: EventLoopYield): Promise<void> {
    let frame = this.next();
    while (frame === 'more') {
      if (eventLoop.yieldIsDue()) await eventLoop.yield();
      frame = this.next();
    }
    if (frame === 'end')
      throw new MediumError('COULD_NOT_READ_MEDIA', 'No frame of the medium could be decoded.');
    this.#held = frame;
    this.width = frame.width;
    this.height = frame.height;
    this.firstPts = frame.pts === NO_TIMESTAMP ? undefined : Number(frame.pts);
  }

  /** Returns the next frame, valid until the next call. Returns 'more' after each packet without a frame, so that the caller may pause. */
  next(): AvFrame | 'more' | 'end' {
    const frame = this.#held ?? this.#decoder.receive();
    this.#held = undefined;
    if (frame !== undefined) return frame;
    if (this.#flushed) return 'end';
    if (this.#nextPacket()) {
      // Rejected packets are damaged. Later packets may be intact.
      this.#decoder.send(this.#packet);
    } else {
      this.#decoder.send(null);
      this.#flushed = true;
    }
    return 'more';
  }

  /** Seeks to a key frame, normally the last one at or before `pts`. Returns its timestamp, or undefined if seeking fails. */
  seek(pts: number): number | undefined {
    const target = BigInt(Math.floor(pts));
    if (this.container.format.seekFrameSync(this.stream.index, target, AVSEEK_FLAG_BACKWARD) < 0)
      return undefined;
    this.#held = undefined;
    this.#flushed = false;
    this.#decoder.reset();
    while (this.#nextPacket()) {
      if (!this.#packet.isKeyframe) continue;
      if (this.#packet.pts === NO_TIMESTAMP) return undefined;
      this.#decoder.send(this.#packet);
      return Number(this.#packet.pts);
    }
    return undefined;
  }

  #nextPacket(): boolean {
    while (readPacket(this.container, this.#packet)) {
      if (this.#packet.streamIndex !== this.stream.index) continue;
      if (!this.keysOnly || this.#packet.isKeyframe) return true;
    }
    return false;
  }
}

function streamRates(stream: Stream): number[] {
  return [stream.avgFrameRate, stream.rFrameRate]
    .filter(({ num, den }) => num > 0 && den > 0)
    .map((rate) => rate.toDouble());
}
