/** The bytes that a lease has sent, by file name. */
interface Size {
  readonly stored: number | undefined;
  /** Of each send of this name that is on its way: a slow one may still come when a quicker one was stored. */
  readonly arriving: Map<number, number>;
}

/** The sizes of a lease's files, including incomplete ones. When a name is sent several times, the largest counts. */
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

  /** What has come of this send, or was announced. */
  markArrived(name: string, arrival: number): number {
    return this.#sizes.get(name)?.arriving.get(arrival) ?? 0;
  }

  noteArrival(name: string, arrival: number, bytes: number): void {
    this.#change(name, ({ stored, arriving }) => ({ stored, arriving: arriving.set(arrival, bytes) }));
  }

  /** The send is over; what was stored before stays when it broke off. */
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
