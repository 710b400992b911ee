/**
 * A camera's stream over RTSP: over one TCP connection, or by UDP from the camera's checked address. FFmpeg receives only coded pictures
 * and opens nothing itself. Neither a redirection nor a session description can make it connect anywhere.
 */
import type { Packet } from 'node-av/lib';
import type { CodedVideo, Connect, LiveInput } from '../input/input.ts';
import { LiveError } from '../input/live-error.ts';
import { isKeyPicture } from '../recording/key-pictures.ts';
import { PictureAssembler, type CodedPicture } from './pictures.ts';
import { UnwrappedTicks, parseRtp, saysBye } from './rtp.ts';
import { openSession, type RtspSession } from './session.ts';

/** Number of waiting pictures at which reading from the server pauses. */
const MOST_WAITING = 64;

export async function openRtsp(uri: string, connect: Connect, signal: AbortSignal): Promise<LiveInput> {
  const pictures = new Pictures();
  const session = await openSession(uri, connect, signal, pictures);
  const input = new RtspInput(session, pictures);
  try {
    await session.play();
  } catch (error) {
    session.close();
    throw error;
  }
  return input;
}

/** Queue of coded pictures between the socket and the decoder. */
class Pictures {
  readonly #waiting: CodedPicture[] = [];
  #over: LiveError | 'ended' | undefined;
  #wake: (() => void) | undefined;
  session: RtspSession | undefined;
  assembler: PictureAssembler | undefined;

  packet(channel: number, packet: Buffer): void {
    const { session, assembler } = this;
    if (session === undefined || assembler === undefined) return;
    if (channel === session.channels[1] && saysBye(packet)) return this.onEnd();
    const rtp = channel === session.channels[0] ? parseRtp(packet) : undefined;
    if (rtp === undefined || rtp.payloadType !== session.video.payloadType) return;
    const pictures = assembler.push(rtp);
    // A sender that cannot be paused would fill the memory. Its further pictures are dropped, like packets lost by the network.
    if (session.waits || this.#waiting.length < 2 * MOST_WAITING) this.#waiting.push(...pictures);
    if (this.#waiting.length >= MOST_WAITING) session.connection.pause();
    if (this.#waiting.length > 0) this.#wake?.();
  }

  onEnd(): void {
    this.#over ??= 'ended';
    this.#wake?.();
  }

  onFailure(error: LiveError): void {
    this.#over ??= error;
    this.#wake?.();
  }

  /** Returns the next picture. Pictures from before the end are returned first. */
  async next(): Promise<CodedPicture | undefined> {
    for (;;) {
      const picture = this.#waiting.shift();
      if (picture !== undefined) {
        if (this.#waiting.length < MOST_WAITING / 2) this.session?.connection.resume();
        return picture;
      }
      if (this.#over === 'ended') return undefined;
      if (this.#over !== undefined) throw this.#over;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

class RtspInput implements LiveInput {
  readonly #session: RtspSession;
  readonly #pictures: Pictures;
  readonly #video: CodedVideo;
  readonly #ticks = new UnwrappedTicks();

  constructor(session: RtspSession, pictures: Pictures) {
    this.#session = session;
    this.#pictures = pictures;
    const { codec, clockRate, fps } = session.video;
    this.#video = { id: 1, codec, timeBase: 1 / clockRate, fps };
    pictures.assembler = new PictureAssembler(session.video);
    pictures.session = session;
  }

  async read(packet: Packet): Promise<CodedVideo | undefined> {
    const picture = await this.#pictures.next();
    if (picture === undefined) return undefined;
    packet.unref();
    packet.data = picture.data;
    packet.pts = BigInt(this.#ticks.next(picture.timestamp));
    packet.isKeyframe = isKeyPicture(this.#session.video.coding, picture.data);
    return this.#video;
  }

  async close(): Promise<void> {
    this.#session.close();
  }
}
