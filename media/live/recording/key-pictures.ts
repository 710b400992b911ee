/** Detects pictures at which a decoder can begin, for sources without a container that states it. */
import type { RtspVideo } from '../rtsp/sdp.ts';

const H264_IDR = 5;
const H265_FIRST_KEY = 16;
const H265_LAST_KEY = 21;
/** Start code of a picture of MPEG-4 Part 2. */
const VOP = 0xb6;

export function isKeyPicture(coding: RtspVideo['coding'], data: Buffer): boolean {
  switch (coding) {
    case 'H264':
      return someUnit(data, (first) => (first & 0x1f) === H264_IDR);
    case 'H265':
      return someUnit(data, (first) => {
        const type = (first >> 1) & 0x3f;
        return type >= H265_FIRST_KEY && type <= H265_LAST_KEY;
      });
    case 'MP4V-ES':
      return someUnit(data, (first, at) => first === VOP && (data[at + 1]! & 0xc0) === 0);
    case 'JPEG':
      return true;
  }
}

/** True if a unit is wanted. Units begin after 00 00 01. */
function someUnit(data: Buffer, isWanted: (first: number, at: number) => boolean): boolean {
  for (let at = 0; (at = data.indexOf('\0\0\x01', at, 'latin1')) >= 0; at += 3)
    if (at + 3 < data.length && isWanted(data[at + 3]!, at + 3)) return true;
  return false;
}
