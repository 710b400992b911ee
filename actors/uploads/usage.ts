/** The space that uploads use, and their limits. */
import { uploaderOf } from './folders.ts';

export interface UploadLimits {
  readonly maxBytes: number;
  /** Limit for all uploads together. */
  readonly maxTotalBytes: number;
  readonly maxCount: number;
}

/** The user who sends an upload. */
export interface Uploader {
  /** Unique name of the user. */
  readonly user: string;
  /** True if the user may use only a share of all limits. */
  readonly isLimited: boolean;
}

interface Share {
  readonly bytes: number;
  readonly count: number;
}
const NOTHING: Share = { bytes: 0, count: 0 };
/** Share of the space for uploads, and of their number, that one user may use. */
const USER_SHARE = 0.25;

/** `full`: all uploads together are too many or too large. `tooLarge`: this one is, or those of its user are. */
export interface OverLimit {
  readonly kind: 'tooLarge' | 'full';
  readonly message: string;
}

/** The bytes of each upload, including incomplete ones. */
export class UploadUsage {
  readonly #sizes = new Map<string, number>();
  readonly #shares = new Map<string, Share>();
  #total = 0;

  has(id: string): boolean {
    return this.#sizes.has(id);
  }

  sizeOf(id: string): number {
    return this.#sizes.get(id) ?? 0;
  }

  ids(): readonly string[] {
    return [...this.#sizes.keys()];
  }

  resize(id: string, bytes: number): void {
    this.#add(id, bytes - this.sizeOf(id), this.has(id) ? 0 : 1);
    this.#sizes.set(id, bytes);
  }

  drop(id: string): void {
    if (!this.has(id)) return;
    this.#add(id, -this.sizeOf(id), -1);
    this.#sizes.delete(id);
  }

  /** Why an upload may not have this many bytes. Undefined if it may. `isLimited`: its user may use only a share. */
  objection(id: string, bytes: number, limits: UploadLimits, isLimited: boolean): OverLimit | undefined {
    if (bytes > limits.maxBytes)
      return {
        kind: 'tooLarge',
        message: `The medium is larger than ${limits.maxBytes} bytes (MAX_UPLOAD_BYTES).`,
      };
    return (isLimited ? this.#ofUser(id, bytes, limits) : undefined) ?? this.#ofAll(id, bytes, limits);
  }

  #ofUser(id: string, bytes: number, limits: UploadLimits): OverLimit | undefined {
    const own = this.#shares.get(uploaderOf(id)) ?? NOTHING;
    const [mostBytes, mostCount] = [
      limits.maxTotalBytes * USER_SHARE,
      Math.max(1, limits.maxCount * USER_SHARE),
    ].map(Math.floor);
    const others = own.bytes - this.sizeOf(id);
    const remedy = 'Delete some of them, or wait until they expire.';
    if (others + bytes > mostBytes!)
      return {
        kind: 'tooLarge',
        message: `Your other uploads have ${others} of the ${mostBytes} bytes that one user may keep (a quarter of MAX_UPLOADS_BYTES). ${remedy}`,
      };
    if (!this.has(id) && own.count >= mostCount!)
      return {
        kind: 'tooLarge',
        message: `You have ${own.count} uploads, as many as one user may keep (a quarter of MAX_UPLOADS). ${remedy}`,
      };
    return undefined;
  }

  #ofAll(id: string, bytes: number, { maxTotalBytes, maxCount }: UploadLimits): OverLimit | undefined {
    const others = this.#total - this.sizeOf(id);
    if (others + bytes > maxTotalBytes)
      return {
        kind: 'full',
        message: `The uploads that are kept have ${others} of ${maxTotalBytes} bytes (MAX_UPLOADS_BYTES): delete some, or wait until they expire.`,
      };
    if (!this.has(id) && this.#sizes.size >= maxCount)
      return {
        kind: 'full',
        message: `There are ${maxCount} uploads (MAX_UPLOADS): delete some, or wait until they expire.`,
      };
    return undefined;
  }

  #add(id: string, bytes: number, count: number): void {
    const uploader = uploaderOf(id);
    const before = this.#shares.get(uploader) ?? NOTHING;
    const share = { bytes: before.bytes + bytes, count: before.count + count };
    if (share.count === 0) this.#shares.delete(uploader);
    else this.#shares.set(uploader, share);
    this.#total += bytes;
  }
}
