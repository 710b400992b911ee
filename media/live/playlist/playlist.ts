/** Common parts of HLS and DASH playlists: segments and limits. Pure. */
import { LiveError } from '../input/live-error.ts';

/** One of several codings of the same pictures. */
export interface Quality {
  /** Bits per second; 0 if not stated. */
  readonly bandwidth: number;
  readonly pixels: number;
}

export interface ByteRange {
  readonly start: number;
  readonly bytes: number;
}

export interface MediaSegment {
  /** Rises from segment to segment, and is the same in each version of a playlist. */
  readonly sequence: number;
  readonly url: URL;
  readonly seconds: number;
  readonly range?: ByteRange;
  /** Initialization data before the segments of one format. */
  readonly map?: { readonly url: URL; readonly range?: ByteRange };
}

export interface SegmentList {
  readonly kind: 'segments';
  readonly segments: readonly MediaSegment[];
  readonly targetSeconds: number;
  /** True if no more segments follow. */
  readonly isWhole: boolean;
}

/** Maximum numbers of variants and segments in a camera's playlist. */
export const MAX_VARIANTS = 500;
export const MAX_SEGMENTS = 20_000;

/** Returns the variant with the most pixels within the limit, or with the most bits if pixels are not stated. */
export function bestOf<T extends Quality>(variants: readonly T[], maxPixels: number): T {
  const allowed = variants.filter(({ pixels }) => pixels <= maxPixels);
  const [first = variants[0]!, ...others] = allowed;
  return others.reduce(
    (best, one) =>
      one.pixels > best.pixels || (one.pixels === best.pixels && one.bandwidth > best.bandwidth) ? one : best,
    first,
  );
}

/** Returns an absolute URL. Only the allowed schemes are accepted, never files. */
export function playlistUrl(text: string, base: URL): URL {
  if (text === '' || !URL.canParse(text, base.href))
    throw unreadable('it names an address that is malformed');
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new LiveError(
      'FORBIDDEN',
      `The playlist leads to an address with the scheme ${url.protocol.slice(0, 20)}, which is not opened.`,
    );
  return url;
}

export const unreadable = (why: string): LiveError =>
  new LiveError('REFUSED', `The playlist of the stream cannot be read: ${why}.`);

export const tooMany = (most: number, what: 'variants' | 'segments'): LiveError =>
  unreadable(`it has more than ${most} ${what}`);

export const encryptionError = (): LiveError =>
  new LiveError('UNSUPPORTED', 'The segments of the playlist are encrypted, which is not supported.');
