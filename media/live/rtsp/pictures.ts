/** Assembles coded pictures from RTP payloads. */
import type { Payloads } from './payloads.ts';
import type { RtpPacket } from './rtp.ts';
import type { RtspVideo } from './sdp.ts';
import { jpegPayloads } from './jpeg.ts';
import { h264Payloads, h265Payloads, parameterSets } from './nal-units.ts';

export interface CodedPicture {
  readonly data: Buffer;
  readonly timestamp: number;
}

/** Maximum size of a picture in bytes. Further payloads are ignored. */
const MOST_PICTURE_BYTES = 32 * 1024 * 1024;

export class PictureAssembler {
  readonly #payloads: Payloads;
  /** Parameter sets that the decoder needs before the first picture. */
  #head: Buffer | undefined;
  #timestamp: number | undefined;
  #sequence: number | undefined;
  #bytes = 0;

  constructor(video: RtspVideo) {
    this.#payloads = payloadsOf(video);
    this.#head = parameterSets(video);
  }

  /** Returns the pictures that this packet completes, usually none or one. */
  push({ payload, sequence, timestamp, marker }: RtpPacket): CodedPicture[] {
    const pictures: CodedPicture[] = [];
    const whole = this.#sequence === undefined || sequence === ((this.#sequence + 1) & 0xffff);
    this.#sequence = sequence;
    // If a sender sets no markers, a new timestamp begins the next picture.
    if (this.#timestamp !== undefined && timestamp !== this.#timestamp) this.#finish(pictures);
    this.#timestamp = timestamp;
    this.#bytes += payload.length;
    if (this.#bytes <= MOST_PICTURE_BYTES) this.#payloads.add(payload, whole);
    if (marker) this.#finish(pictures);
    return pictures;
  }

  #finish(into: CodedPicture[]): void {
    const data = this.#payloads.take();
    const timestamp = this.#timestamp ?? 0;
    this.#timestamp = undefined;
    this.#bytes = 0;
    if (data === undefined) return;
    into.push({ data: this.#head === undefined ? data : Buffer.concat([this.#head, data]), timestamp });
    this.#head = undefined;
  }
}

function payloadsOf({ coding }: RtspVideo): Payloads {
  switch (coding) {
    case 'H264':
      return h264Payloads();
    case 'H265':
      return h265Payloads();
    case 'JPEG':
      return jpegPayloads();
    case 'MP4V-ES':
      return plainPayloads();
  }
}

/** Payloads that are simply concatenated. */
function plainPayloads(): Payloads {
  let parts: Buffer[] = [];
  return {
    add: (payload) => void parts.push(Buffer.from(payload)),
    take: () => {
      const data = parts.length === 0 ? undefined : Buffer.concat(parts);
      parts = [];
      return data;
    },
  };
}
