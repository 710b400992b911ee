/** Playlists of HLS (RFC 8216), as far as a stream is read by them. Pure: nothing is fetched here. */
import { LiveError } from '../input/live-error.ts';

export interface Variant {
  readonly url: URL;
  /** Bits a second; 0 when it is not told. */
  readonly bandwidth: number;
  readonly pixels: number;
}

export interface ByteRange {
  readonly start: number;
  readonly bytes: number;
}

export interface HlsSegment {
  readonly sequence: number;
  readonly url: URL;
  readonly seconds: number;
  readonly range?: ByteRange;
  /** What comes before the segments of one format. */
  readonly map?: { readonly url: URL; readonly range?: ByteRange };
}

export type HlsPlaylist =
  | { readonly kind: 'variants'; readonly variants: readonly Variant[] }
  | {
      readonly kind: 'segments';
      readonly segments: readonly HlsSegment[];
      readonly targetSeconds: number;
      /** No more segments come. */
      readonly isWhole: boolean;
    };

/** More of them, or a longer list, is no playlist of a camera. */
export const MAX_VARIANTS = 500;
export const MAX_SEGMENTS = 20_000;

/** Errors: LiveError. */
export function parseHls(text: string, base: URL): HlsPlaylist {
  const lines = text.split('\n').map((line) => line.trim());
  if (!lines[0]?.replace(/^\uFEFF/, '').startsWith('#EXTM3U'))
    throw unreadable('it does not begin with #EXTM3U');
  return lines.some((line) => line.startsWith('#EXT-X-STREAM-INF'))
    ? { kind: 'variants', variants: variantsOf(lines, base) }
    : segmentsOf(lines, base);
}

function variantsOf(lines: readonly string[], base: URL): readonly Variant[] {
  const variants: Variant[] = [];
  let told: ReadonlyMap<string, string> | undefined;
  for (const line of lines) {
    if (line.startsWith('#EXT-X-STREAM-INF:')) told = attributesOf(line);
    else if (line !== '' && !line.startsWith('#') && told !== undefined) {
      const [width = 0, height = 0] = (told.get('RESOLUTION') ?? '').split('x').map(Number);
      const bandwidth = Number(told.get('BANDWIDTH') ?? 0) || 0;
      variants.push({ url: urlOf(line, base), bandwidth, pixels: width * height || 0 });
      if (variants.length > MAX_VARIANTS) throw unreadable(`it has more than ${MAX_VARIANTS} variants`);
      told = undefined;
    }
  }
  if (variants.length === 0) throw unreadable('it names no stream');
  return variants;
}

/** The one with the most pixels that may be decoded, or bits where pixels are not told. */
export function bestVariant(variants: readonly Variant[], maxPixels: number): Variant {
  const allowed = variants.filter(({ pixels }) => pixels <= maxPixels);
  const [first = variants[0]!, ...others] = allowed;
  return others.reduce(
    (best, one) =>
      one.pixels > best.pixels || (one.pixels === best.pixels && one.bandwidth > best.bandwidth) ? one : best,
    first,
  );
}

interface Told {
  seconds: number | undefined;
  range: string | undefined;
  map: HlsSegment['map'];
  /** Where the range before ended, of the same address. */
  end: number;
}

function segmentsOf(lines: readonly string[], base: URL): HlsPlaylist {
  const segments: HlsSegment[] = [];
  const told: Told = { seconds: undefined, range: undefined, map: undefined, end: 0 };
  let sequence = 0;
  let targetSeconds = 0;
  for (const line of lines) {
    const value = line.slice(line.indexOf(':') + 1);
    if (line.startsWith('#EXT-X-MEDIA-SEQUENCE:')) sequence = wholeNumber(value);
    else if (line.startsWith('#EXT-X-TARGETDURATION:')) targetSeconds = wholeNumber(value);
    else if (line.startsWith('#EXTINF:')) told.seconds = Math.max(0, Number.parseFloat(value) || 0);
    else if (line.startsWith('#EXT-X-BYTERANGE:')) told.range = value;
    else if (line.startsWith('#EXT-X-MAP:')) told.map = mapOf(line, base);
    else if (line.startsWith('#EXT-X-KEY:')) refuseEncryption(line);
    else if (line !== '' && !line.startsWith('#') && told.seconds !== undefined) {
      segments.push(segmentOf(urlOf(line, base), sequence++, told));
      if (segments.length > MAX_SEGMENTS) throw unreadable(`it has more than ${MAX_SEGMENTS} segments`);
    }
  }
  const isWhole = lines.includes('#EXT-X-ENDLIST');
  return { kind: 'segments', segments, targetSeconds: Math.max(1, targetSeconds), isWhole };
}

function segmentOf(url: URL, sequence: number, told: Told): HlsSegment {
  const range = told.range === undefined ? undefined : rangeOf(told.range, told.end);
  told.end = range === undefined ? 0 : range.start + range.bytes;
  const { seconds = 0, map } = told;
  told.seconds = undefined;
  told.range = undefined;
  return {
    sequence,
    url,
    seconds,
    ...(range === undefined ? {} : { range }),
    ...(map === undefined ? {} : { map }),
  };
}

function mapOf(line: string, base: URL): HlsSegment['map'] {
  const attributes = attributesOf(line);
  const range = attributes.get('BYTERANGE');
  const url = urlOf(attributes.get('URI') ?? '', base);
  return range === undefined ? { url } : { url, range: rangeOf(range, 0) };
}

function refuseEncryption(line: string): void {
  const method = attributesOf(line).get('METHOD');
  if (method !== undefined && method !== 'NONE')
    throw new LiveError('UNSUPPORTED', 'The segments of the playlist are encrypted, which is not supported.');
}

function rangeOf(text: string, start: number): ByteRange {
  const [, bytes = '', at] = /^(\d{1,15})(?:@(\d{1,15}))?$/.exec(text.trim()) ?? [];
  if (bytes === '') throw unreadable('it has a range that is none');
  return { start: at === undefined ? start : Number(at), bytes: Number(bytes) };
}

/** NAME=value, or NAME="value", between commas. */
function attributesOf(line: string): ReadonlyMap<string, string> {
  const text = line.slice(line.indexOf(':') + 1, line.indexOf(':') + 2_000);
  const found = text.matchAll(/([A-Z0-9-]{1,60})=("[^"]*"|[^",]*)/g);
  return new Map([...found].map(([, name = '', value = '']) => [name, value.replaceAll('"', '')]));
}

/** Only to where a stream may lead: never to files or other schemes. */
function urlOf(text: string, base: URL): URL {
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

function wholeNumber(text: string): number {
  const number = Number(text.trim());
  if (!Number.isSafeInteger(number) || number < 0) throw unreadable('it has a number that is none');
  return number;
}

const unreadable = (why: string): LiveError =>
  new LiveError('REFUSED', `The playlist of the stream cannot be read: ${why}.`);
