/** The decoder of a live stream. It skips damaged packets and accepts changes of the picture size. */
import './input/quiet.ts';
import { Codec, CodecContext, Frame as AvFrame } from 'node-av/lib';
import type { Packet } from 'node-av/lib';
import { AVERROR_EINVAL } from 'node-av/constants';
import { once } from '../libav/container.ts';
import type { CodedVideo } from './input/input.ts';
import { LiveError } from './input/live-error.ts';

export interface LiveDecoder {
  /** Frame rate that the coding states; 0 if it does not. Known after the first frame. */
  readonly fps: number;
  /** Decodes a packet, or flushes with null. Returns 'taken' unless the decoder rejects the packet. */
  send(packet: Packet | null): 'taken' | 'damaged' | 'tooLarge';
  /** Writes the next decoded frame to `frame`. Returns false if more packets are needed. */
  receive(frame: AvFrame): boolean;
  close(): void;
}

export function openLiveDecoder(
  { codec, parameters }: CodedVideo,
  { threads, maxPixels }: { readonly threads: number; readonly maxPixels: number },
): LiveDecoder {
  const decoder = Codec.findDecoder(codec);
  if (decoder === null) throw new LiveError('UNSUPPORTED', 'The codec of the stream is not supported.');
  const context = new CodecContext();
  context.allocContext3(decoder);
  if (parameters !== undefined) context.parametersToContext(parameters);
  context.threadCount = threads;
  // Not set by a dictionary of options: opening frees the dictionary, and the binding frees it again.
  context.setOption('max_pixels', maxPixels);
  if (context.open2Sync(decoder, null) < 0) {
    context.freeContext();
    throw new LiveError('UNSUPPORTED', 'The decoder for the video of the stream could not be opened.');
  }
  return {
    get fps() {
      const { num, den } = context.framerate;
      return num > 0 && den > 0 ? num / den : 0;
    },
    send(packet) {
      const code = context.sendPacketSync(packet);
      if (code >= 0) return 'taken';
      // For too large pictures, some decoders report an invalid argument. Others report a damaged picture, but know its size.
      const isTooLarge = code === AVERROR_EINVAL || context.width * context.height > maxPixels;
      return packet !== null && isTooLarge ? 'tooLarge' : 'damaged';
    },
    receive: (frame) => context.receiveFrameSync(frame) >= 0,
    close: once(() => context.freeContext()),
  };
}

export function newFrame(): AvFrame {
  const frame = new AvFrame();
  frame.alloc();
  return frame;
}
