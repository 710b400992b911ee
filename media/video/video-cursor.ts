/** A position in a video: moves by packets and hands out decoded frames. */
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

/** Pictures beyond this are refused: one frame would take gigabytes. */
const MAX_PICTURE_PIXELS = 150_000_000;

/** Opens a video and decodes its first frame, which `next` hands out first. */
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
  /** Seconds a tick. */
  readonly timeBase: number;
  /** Frames a second that the container gives, the average first; may be empty. */
  readonly rates: readonly number[];
  /** The container has a slot for each frame at its rate, and some may be empty: dropped frames of AVI. */
  readonly hasSlots: boolean;
  /** Only key frames are decoded from now on. */
  keysOnly = false;
  /** The size of the medium's pictures; later ones that differ are scaled to it. */
  width = 0;
  height = 0;
  /** Timestamp of the first frame that can be shown; undefined when it has none. */
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

  /** The next frame, valid until the next call; 'more' after each packet that gave none, so that the caller may pause. */
  next(): AvFrame | 'more' | 'end' {
    const frame = this.#held ?? this.#decoder.receive();
    this.#held = undefined;
    if (frame !== undefined) return frame;
    if (this.#flushed) return 'end';
    if (this.#nextPacket()) {
      // A packet that the decoder refuses is a damaged one; the following may be whole.
      this.#decoder.send(this.#packet);
    } else {
      this.#decoder.send(null);
      this.#flushed = true;
    }
    return 'more';
  }

  /** Goes to a key frame, if all is well the last one at or before `pts`, and tells its timestamp; undefined when it cannot. */
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
