/** Payloads of H.264 (RFC 6184) and H.265 (RFC 7798). A packet contains one or more NAL units, or a fragment of one. */
import type { Payloads } from './payloads.ts';
import type { RtspVideo } from './sdp.ts';

const START = Buffer.from([0, 0, 0, 1]);

interface Shape {
  /** Length of the NAL unit header in bytes. */
  readonly header: number;
  typeOf(payload: Buffer): number;
  readonly aggregation: number;
  readonly fragment: number;
  /** Returns the header of the fragmented NAL unit. */
  headerOf(payload: Buffer): Buffer;
}

const H264: Shape = {
  header: 1,
  typeOf: (payload) => payload[0]! & 0x1f,
  aggregation: 24,
  fragment: 28,
  headerOf: (payload) => Buffer.from([(payload[0]! & 0xe0) | (payload[1]! & 0x1f)]),
};
const H265: Shape = {
  header: 2,
  typeOf: (payload) => (payload[0]! >> 1) & 0x3f,
  aggregation: 48,
  fragment: 49,
  headerOf: (payload) => Buffer.from([(payload[0]! & 0x81) | ((payload[2]! & 0x3f) << 1), payload[1]!]),
};

export const h264Payloads = (): Payloads => new NalPayloads(H264);
export const h265Payloads = (): Payloads => new NalPayloads(H265);

class NalPayloads implements Payloads {
  readonly #shape: Shape;
  #parts: Buffer[] = [];
  /** Index in `#parts` of the unit that is being assembled from fragments; undefined if there is none. */
  #fragmented: number | undefined;

  constructor(shape: Shape) {
    this.#shape = shape;
  }

  add(payload: Buffer, whole: boolean): void {
    const { header, aggregation, fragment } = this.#shape;
    if (!whole) this.#dropFragments();
    if (payload.length <= header) return;
    const type = this.#shape.typeOf(payload);
    if (type === fragment) return this.#addFragment(payload);
    this.#dropFragments();
    if (type === aggregation) this.#addAll(payload);
    else if (type < aggregation) this.#parts.push(START, Buffer.from(payload));
  }

  #addAll(payload: Buffer): void {
    for (let at = this.#shape.header; at + 2 <= payload.length;) {
      const end = at + 2 + payload.readUInt16BE(at);
      if (end > payload.length) return;
      this.#parts.push(START, Buffer.from(payload.subarray(at + 2, end)));
      at = end;
    }
  }

  #addFragment(payload: Buffer): void {
    const { header } = this.#shape;
    const flags = payload[header]!;
    if ((flags & 0x80) !== 0) {
      this.#dropFragments();
      this.#fragmented = this.#parts.length;
      this.#parts.push(START, this.#shape.headerOf(payload));
    }
    // Without its beginning, the rest of the unit is unusable.
    if (this.#fragmented === undefined) return;
    this.#parts.push(Buffer.from(payload.subarray(header + 1)));
    if ((flags & 0x40) !== 0) this.#fragmented = undefined;
  }

  /** Removes an incomplete unit, because decoders fail on it. */
  #dropFragments(): void {
    if (this.#fragmented !== undefined) this.#parts.length = this.#fragmented;
    this.#fragmented = undefined;
  }

  take(): Buffer | undefined {
    this.#dropFragments();
    const parts = this.#parts;
    this.#parts = [];
    return parts.length === 0 ? undefined : Buffer.concat(parts);
  }
}

/** Parameter sets in the session description; undefined if the stream contains them. */
export function parameterSets({ coding, format }: RtspVideo): Buffer | undefined {
  if (coding === 'MP4V-ES') return nonEmpty(Buffer.from(format.get('config') ?? '', 'hex'));
  const names = coding === 'H264' ? ['sprop-parameter-sets'] : ['sprop-vps', 'sprop-sps', 'sprop-pps'];
  const sets = names
    .flatMap((name) => (format.get(name) ?? '').split(','))
    .map((set) => Buffer.from(set, 'base64'))
    .filter((set) => set.length > 0);
  return nonEmpty(Buffer.concat(sets.flatMap((set) => [START, set])));
}

const nonEmpty = (bytes: Buffer): Buffer | undefined => (bytes.length === 0 ? undefined : bytes);
