/** The bytes that a lease has sent, by file name. */
interface Size {
  readonly stored: number | undefined;
  /** Bytes of each running upload of this name. A slow upload may still arrive after a faster one was stored. */
  readonly arriving: Map<number, number>;
}

/** The sizes of a lease's files, including incomplete ones. If a name is sent several times, the largest counts. */
export class LeaseSizes {
  total = 0;
  readonly #sizes = new Map<string, Size>();

  get count(): number {
    return this.#sizes.size;
  }

  has(name: string): boolean {
    return this.#sizes.has(name);
  }

  of(name: string): number {
    const { stored = 0, arriving = new Map<number, number>() } = this.#sizes.get(name) ?? {};
    return Math.max(stored, ...arriving.values());
  }

  /** Returns the received or announced bytes of this upload. */
  markArrived(name: string, arrival: number): number {
    return this.#sizes.get(name)?.arriving.get(arrival) ?? 0;
  }

  noteArrival(name: string, arrival: number, bytes: number): void {
    this.#change(name, ({ stored, arriving }) => ({ stored, arriving: arriving.set(arrival, bytes) }));
  }

  /** Ends an upload. An earlier stored file stays if the upload was incomplete. */
  over(name: string, arrival: number): void {
    this.#change(name, (size) => {
      size.arriving.delete(arrival);
      return size;
    });
  }

  setStored(name: string, bytes: number): void {
    this.#change(name, ({ arriving }) => ({ stored: bytes, arriving }));
  }

  #change(name: string, change: (size: Size) => Size): void {
    const before = this.of(name);
    const size = change(this.#sizes.get(name) ?? { stored: undefined, arriving: new Map() });
    if (size.stored === undefined && size.arriving.size === 0) this.#sizes.delete(name);
    else this.#sizes.set(name, size);
    this.total += this.of(name) - before;
  }
}
