/** Restores the order of RTP packets that may arrive out of order. */

/** Maximum number of packets that wait for a missing one. Then it counts as lost. */
const MOST_HELD = 64;
/** Maximum time in milliseconds that packets wait for a missing one. */
const LONGEST_MS = 60;

export class PacketOrder {
  readonly #give: (packet: Buffer) => void;
  /** Waiting packets by sequence number. */
  readonly #held = new Map<number, Buffer>();
  /** Next expected sequence number; undefined before the first packet. */
  #next: number | undefined;
  #late: NodeJS.Timeout | undefined;

  constructor(give: (packet: Buffer) => void) {
    this.#give = give;
  }

  push(packet: Buffer): void {
    if (packet.length < 12) return;
    const sequence = packet.readUInt16BE(2);
    this.#next ??= sequence;
    // Ignored: a late packet that counts as lost, or a duplicate.
    if (behind(sequence, this.#next) || this.#held.has(sequence)) return;
    this.#held.set(sequence, packet);
    this.#giveAll();
    if (this.#held.size > MOST_HELD) this.flush();
    else if (this.#held.size > 0) this.#late ??= setTimeout(() => this.flush(), LONGEST_MS);
  }

  /** Passes on all waiting packets without the missing ones. */
  flush(): void {
    clearTimeout(this.#late);
    this.#late = undefined;
    const from = this.#next ?? 0;
    const ahead = (sequence: number) => (sequence - from) & 0xffff;
    for (const sequence of [...this.#held.keys()].sort((a, b) => ahead(a) - ahead(b))) {
      this.#give(this.#held.get(sequence)!);
      this.#next = (sequence + 1) & 0xffff;
    }
    this.#held.clear();
  }

  close(): void {
    clearTimeout(this.#late);
    this.#held.clear();
  }

  #giveAll(): void {
    for (
      let packet = this.#held.get(this.#next!);
      packet !== undefined;
      packet = this.#held.get(this.#next)
    ) {
      this.#held.delete(this.#next!);
      this.#next = (this.#next! + 1) & 0xffff;
      this.#give(packet);
    }
    if (this.#held.size > 0) return;
    clearTimeout(this.#late);
    this.#late = undefined;
  }
}

/** True if a 16-bit number, which wraps around, is before another. */
const behind = (sequence: number, next: number): boolean => ((sequence - next) & 0xffff) >= 0x8000;
