/** Packets of RTP that may overtake each other on their way, in the order of their numbers. */

/** Packets that are held back for one that is missing; then it is taken for lost. */
const MOST_HELD = 64;
/** The same in time: a picture is not held up for longer. */
const LONGEST_MS = 60;

export class PacketOrder {
  readonly #give: (packet: Buffer) => void;
  /** By sequence number. */
  readonly #held = new Map<number, Buffer>();
  /** The number that is given next; undefined: of the first one that comes. */
  #next: number | undefined;
  #late: NodeJS.Timeout | undefined;

  constructor(give: (packet: Buffer) => void) {
    this.#give = give;
  }

  push(packet: Buffer): void {
    if (packet.length < 12) return;
    const sequence = packet.readUInt16BE(2);
    this.#next ??= sequence;
    // One that comes too late, or twice, has been given up or given already.
    if (behind(sequence, this.#next) || this.#held.has(sequence)) return;
    this.#held.set(sequence, packet);
    this.#giveAll();
    if (this.#held.size > MOST_HELD) this.flush();
    else if (this.#held.size > 0) this.#late ??= setTimeout(() => this.flush(), LONGEST_MS);
  }

  /** Gives what is held, without those that are missing. */
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

/** Whether a number of 16 bits, which wraps around, comes before another. */
const behind = (sequence: number, next: number): boolean => ((sequence - next) & 0xffff) >= 0x8000;
