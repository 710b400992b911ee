/** Coded pictures cut into payloads of RTP, as cameras do. */
import type { CodedClip, TimedBytes } from './coded-media.ts';
import { PAYLOAD_TYPE, type RtspBehaviour } from '../servers/rtsp-server.ts';

/** Small enough that pictures take several packets. */
const MOST_PAYLOAD = 1_200;

/** A clip of H.264 with large NAL units in fragments (FU-A) and small ones as they are. */
export function h264Over(clip: CodedClip): Pick<RtspBehaviour, 'pictures' | 'media'> {
  const sets = clip.parameterSets.map((set) => set.toString('base64')).join(',');
  return {
    media: [
      `m=video 0 RTP/AVP ${PAYLOAD_TYPE}`,
      `a=rtpmap:${PAYLOAD_TYPE} H264/90000`,
      `a=fmtp:${PAYLOAD_TYPE} packetization-mode=1;sprop-parameter-sets=${sets}`,
      `a=framerate:${1000 / clip.frameMs}`,
      'a=control:trackID=0',
    ],
    pictures: clip.units.map(({ dueMs, ptsMs, nals }) => ({
      dueMs,
      ptsMs,
      payloads: nals.flatMap(fragments),
    })),
  };
}

function fragments(nal: Buffer): Buffer[] {
  if (nal.length <= MOST_PAYLOAD) return [nal];
  const cuts: Buffer[] = [];
  for (let at = 1; at < nal.length; at += MOST_PAYLOAD) {
    const last = at + MOST_PAYLOAD >= nal.length;
    const flags = (at === 1 ? 0x80 : 0) | (last ? 0x40 : 0) | (nal[0]! & 0x1f);
    cuts.push(
      Buffer.concat([Buffer.from([(nal[0]! & 0xe0) | 28, flags]), nal.subarray(at, at + MOST_PAYLOAD)]),
    );
  }
  return cuts;
}

/** JPEG pictures of usual Huffman tables (RFC 2435): the scan alone, and the quantisation with the first part of each. */
export function jpegOver(pictures: readonly TimedBytes[]): Pick<RtspBehaviour, 'pictures' | 'media'> {
  return {
    media: [
      `m=video 0 RTP/AVP ${PAYLOAD_TYPE}`,
      `a=rtpmap:${PAYLOAD_TYPE} JPEG/90000`,
      'a=control:trackID=0',
    ],
    pictures: pictures.map(({ dueMs, data }) => ({ dueMs, ptsMs: dueMs, payloads: jpegParts(data) })),
  };
}

function jpegParts(jpeg: Buffer): Buffer[] {
  const segmentOf = (marker: number): Buffer => {
    const at = jpeg.indexOf(Buffer.from([0xff, marker])) + 2;
    return jpeg.subarray(at + 2, at + jpeg.readUInt16BE(at));
  };
  const frame = segmentOf(0xc0);
  const scanAt = jpeg.indexOf(Buffer.from([0xff, 0xda])) + 2;
  const scan = jpeg.subarray(scanAt + jpeg.readUInt16BE(scanAt), jpeg.length - 2);
  const table = segmentOf(0xdb).subarray(1, 65);
  const tables = Buffer.concat([Buffer.from([0, 0, 0, 64]), table]);
  const parts: Buffer[] = [];
  for (let at = 0; at < scan.length; at += MOST_PAYLOAD) {
    const head = Buffer.alloc(8);
    head.writeUIntBE(at, 1, 3);
    [head[4], head[5], head[6], head[7]] = [1, 255, frame.readUInt16BE(3) / 8, frame.readUInt16BE(1) / 8];
    parts.push(Buffer.concat([head, ...(at === 0 ? [tables] : []), scan.subarray(at, at + MOST_PAYLOAD)]));
  }
  return parts;
}
