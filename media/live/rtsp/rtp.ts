/** Packets of RTP and RTCP (RFC 3550). */

export interface RtpPacket {
  readonly payloadType: number;
  /** True for the last packet of a picture. Some senders never set it. */
  readonly marker: boolean;
  readonly sequence: number;
  readonly timestamp: number;
  readonly payload: Buffer;
}

/** Returns undefined if the packet is not RTP. */
export function parseRtp(packet: Buffer): RtpPacket | undefined {
  if (packet.length < 12 || packet[0]! >> 6 !== 2) return undefined;
  let start = 12 + 4 * (packet[0]! & 0x0f);
  if ((packet[0]! & 0x10) !== 0) {
    if (packet.length < start + 4) return undefined;
    start += 4 + 4 * packet.readUInt16BE(start + 2);
  }
  const padding = (packet[0]! & 0x20) === 0 ? 0 : packet.at(-1)!;
  if (start > packet.length - padding) return undefined;
  return {
    payloadType: packet[1]! & 0x7f,
    marker: (packet[1]! & 0x80) !== 0,
    sequence: packet.readUInt16BE(2),
    timestamp: packet.readUInt32BE(4),
    payload: packet.subarray(start, packet.length - padding),
  };
}

const BYE = 203;

/** True if a compound RTCP packet contains a BYE of the sender. */
export function saysBye(packet: Buffer): boolean {
  for (let at = 0; at + 4 <= packet.length; at += 4 + 4 * packet.readUInt16BE(at + 2))
    if (packet[at + 1] === BYE) return true;
  return false;
}

/** Converts 32-bit timestamps, which start anywhere and wrap around, to ticks since the first. */
export class UnwrappedTicks {
  #ticks = 0;
  #last: number | undefined;

  next(timestamp: number): number {
    this.#ticks += (timestamp - (this.#last ?? timestamp)) | 0;
    this.#last = timestamp;
    return this.#ticks;
  }
}
