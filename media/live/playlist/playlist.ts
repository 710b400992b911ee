/** What playlists of HLS and DASH have in common: segments, and limits for what is no playlist of a camera. Pure. */
import { LiveError } from '../input/live-error.ts';

/** One of several codings of the same pictures. */
export interface Quality {
  /** Bits a second; 0 when it is not told. */
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
  /** What comes before the segments of one format. */
  readonly map?: { readonly url: URL; readonly range?: ByteRange };
}

export interface SegmentList {
  readonly kind: 'segments';
  readonly segments: readonly MediaSegment[];
  readonly targetSeconds: number;
  /** No more segments come. */
  readonly isWhole: boolean;
}

/** More of them, or a longer list, is no playlist of a camera. */
export const MAX_VARIANTS = 500;
export const MAX_SEGMENTS = 20_000;

/** The one with the most pixels that may be decoded, or bits where pixels are not told. */
export function bestOf<T extends Quality>(variants: readonly T[], maxPixels: number): T {
  const allowed = variants.filter(({ pixels }) => pixels <= maxPixels);
  const [first = variants[0]!, ...others] = allowed;
  return others.reduce(
    (best, one) =>
      one.pixels > best.pixels || (one.pixels === best.pixels && one.bandwidth > best.bandwidth) ? one : best,
    first,
  );
}

/** Only to where a stream may lead: never to files or other schemes. */
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
