/** Decodes with FFmpeg the kinds of pictures that sharp does not know. Loaded for the first such picture. */
import { readFileSync } from 'node:fs';
import {
  Codec,
  CodecContext,
  Dictionary,
  FormatContext,
  Frame as AvFrame,
  SoftwareScaleContext,
} from 'node-av/lib';
import { AV_CODEC_ID_TARGA, AV_PIX_FMT_RGBA } from 'node-av/constants';
import { newPacket, openDecoder, type StreamDecoder } from '../libav/container.ts';

/** BMP, netpbm (PBM, PGM, PPM), JPEG 2000 and JPEG XL. */
const FORMATS = 'bmp_pipe,pbm_pipe,pgm_pipe,ppm_pipe,j2k_pipe,jpegxl_pipe';

/** Tightly packed pixels: red, green and blue, and opacity if there are four channels. */
export interface StillPicture {
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
  readonly data: Buffer;
}

/**
 * Decodes the only picture of a file. Returns undefined if FFmpeg does not know its kind either. Throws if it is damaged or has more than
 * `maxPixels` pixels.
 */
export function decodeStill(path: string, maxPixels: number): StillPicture | undefined {
  const format = new FormatContext();
  const options = Dictionary.fromObject({ protocol_whitelist: 'file', format_whitelist: FORMATS });
  try {
    if (format.openInputSync(`file:${path}`, null, options) < 0) return targaOf(path, maxPixels);
  } finally {
    options.free();
  }
  try {
    const stream = format.streams[0];
    if (stream === undefined) return undefined;
    const decoder = openDecoder(stream, 1, maxPixels);
    try {
      return rgbaOf(firstFrame(format, decoder, maxPixels));
    } finally {
      decoder.close();
    }
  } finally {
    format.closeInputSync();
  }
}

/** Decodes a TGA. It has no demuxer, because it has no signature, so the decoder receives the whole file. */
function targaOf(path: string, maxPixels: number): StillPicture | undefined {
  const codec = Codec.findDecoder(AV_CODEC_ID_TARGA);
  if (codec === null) return undefined;
  const context = new CodecContext();
  const packet = newPacket();
  const frame = new AvFrame();
  try {
    context.allocContext3(codec);
    context.threadCount = 1;
    context.setOption('max_pixels', maxPixels);
    frame.alloc();
    packet.data = readFileSync(path);
    const decoded =
      context.open2Sync(codec, null) >= 0 &&
      context.sendPacketSync(packet) >= 0 &&
      context.receiveFrameSync(frame) >= 0;
    if (!decoded) throw damageError(maxPixels);
    return rgbaOf(frame);
  } finally {
    frame.free();
    packet.free();
    context.freeContext();
  }
}

const damageError = (maxPixels: number): Error =>
  new Error(`it is damaged, cut off, or has more than ${maxPixels} pixels`);

function firstFrame(format: FormatContext, decoder: StreamDecoder, maxPixels: number): AvFrame {
  const packet = newPacket();
  try {
    while (format.readFrameSync(packet) >= 0) {
      decoder.send(packet);
      const frame = decoder.receive();
      if (frame !== undefined) return frame;
      packet.unref();
    }
    decoder.send(null);
    const frame = decoder.receive();
    if (frame !== undefined) return frame;
    throw damageError(maxPixels);
  } finally {
    packet.free();
  }
}

function rgbaOf(frame: AvFrame): StillPicture {
  const { width, height } = frame;
  const scaler = new SoftwareScaleContext();
  const target = new AvFrame();
  try {
    scaler.allocContext();
    target.alloc();
    target.width = width;
    target.height = height;
    target.format = AV_PIX_FMT_RGBA;
    // Without alignment, so that the rows are packed.
    target.getBuffer(1);
    const done = scaler.scaleFrameSync(target, frame) >= 0;
    const pixels = target.data?.[0];
    if (!done || pixels === undefined) throw new Error('its pixels are of an unknown kind');
    return { width, height, channels: 4, data: Buffer.from(pixels.subarray(0, width * height * 4)) };
  } finally {
    target.free();
    scaler.freeContext();
  }
}
