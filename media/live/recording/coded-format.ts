/** Properties of coded pictures that a container needs before the first one: codec, parameter sets and size. */
import '../input/quiet.ts';
import { BitStreamFilter, BitStreamFilterContext, Codec, CodecContext } from 'node-av/lib';
import type { Packet } from 'node-av/lib';
import {
  AVMEDIA_TYPE_VIDEO,
  AV_CODEC_ID_AV1,
  AV_CODEC_ID_H264,
  AV_CODEC_ID_HEVC,
  AV_CODEC_ID_MJPEG,
  AV_CODEC_ID_MPEG4,
  AV_CODEC_ID_VP9,
  AV_PKT_DATA_NEW_EXTRADATA,
} from 'node-av/constants';
import type { AVCodecID } from 'node-av/constants';
import { newPacket } from '../../libav/container.ts';
import { newFrame } from '../decoder.ts';
import type { CodedVideo } from '../input/input.ts';

export interface CodedFormat {
  readonly codec: AVCodecID;
  /** Parameter sets; undefined if the codec has none. */
  readonly sets: Buffer | undefined;
  readonly width: number;
  readonly height: number;
}

/** Codecs that an MP4 file supports. */
const RECORDED: readonly AVCodecID[] = [
  AV_CODEC_ID_H264,
  AV_CODEC_ID_HEVC,
  AV_CODEC_ID_MPEG4,
  AV_CODEC_ID_MJPEG,
  AV_CODEC_ID_VP9,
  AV_CODEC_ID_AV1,
];
/** Codecs that cannot be decoded without parameter sets. */
const WITH_SETS: readonly AVCodecID[] = [AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_MPEG4];

export const isRecorded = (codec: AVCodecID): boolean => RECORDED.includes(codec);

/** Returns the format of a key picture and its successors; undefined if not yet known. `known`: format of the previous picture. */
export function formatOf(
  packet: Packet,
  video: CodedVideo,
  known: CodedFormat | undefined,
): CodedFormat | undefined {
  const { codec, parameters } = video;
  const declared = parameters?.extradata;
  const isDeclared = declared !== null && declared !== undefined && declared.length > 0;
  const before = known?.codec === codec ? known : undefined;
  const sets = isDeclared ? Buffer.from(declared) : (setsIn(packet, codec) ?? before?.sets);
  if (sets === undefined && WITH_SETS.includes(codec)) return undefined;
  // In codecs without parameter sets, each picture contains its size.
  if (before !== undefined && sets !== undefined && before.sets?.equals(sets) === true) return before;
  const size = sizeOf(packet, video, sets);
  if (size === undefined) return undefined;
  const isSame = before?.sets === sets && before?.width === size.width && before.height === size.height;
  return isSame ? before : { codec, sets, ...size };
}

function setsIn(packet: Packet, codec: AVCodecID): Buffer | undefined {
  const filter = BitStreamFilter.getByName('extract_extradata');
  if (filter === null || !WITH_SETS.includes(codec)) return undefined;
  const context = new BitStreamFilterContext();
  const copy = newPacket();
  try {
    if (context.alloc(filter) < 0 || context.inputCodecParameters === null) return undefined;
    context.inputCodecParameters.codecType = AVMEDIA_TYPE_VIDEO;
    context.inputCodecParameters.codecId = codec;
    if (context.init() < 0 || copy.ref(packet) < 0) return undefined;
    if (context.sendPacketSync(copy) < 0 || context.receivePacketSync(copy) < 0) return undefined;
    const sets = copy.getSideData(AV_PKT_DATA_NEW_EXTRADATA);
    return sets === null ? undefined : Buffer.from(sets);
  } finally {
    copy.free();
    context.free();
  }
}

/** Returns the size, by decoding only this picture. */
function sizeOf(
  packet: Packet,
  { codec, parameters }: CodedVideo,
  sets: Buffer | undefined,
): Pick<CodedFormat, 'width' | 'height'> | undefined {
  const decoder = Codec.findDecoder(codec);
  if (decoder === null) return undefined;
  const context = new CodecContext();
  const frame = newFrame();
  try {
    context.allocContext3(decoder);
    if (parameters !== undefined) context.parametersToContext(parameters);
    else if (sets !== undefined) context.extraData = sets;
    context.threadCount = 1;
    if (context.open2Sync(decoder, null) < 0 || context.sendPacketSync(packet) < 0) return undefined;
    context.sendPacketSync(null);
    if (context.receiveFrameSync(frame) < 0) return undefined;
    return { width: frame.width, height: frame.height };
  } finally {
    frame.free();
    context.freeContext();
  }
}
