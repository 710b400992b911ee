/** Parses HLS playlists (RFC 8216) as far as reading a stream needs. Pure: nothing is fetched here. */
import {
  encryptionError,
  MAX_SEGMENTS,
  MAX_VARIANTS,
  playlistUrl,
  tooMany,
  unreadable,
  type ByteRange,
  type MediaSegment,
  type Quality,
  type SegmentList,
} from './playlist.ts';

export interface Variant extends Quality {
  readonly url: URL;
}

export type HlsPlaylist = { readonly kind: 'variants'; readonly variants: readonly Variant[] } | SegmentList;

/** Parses a playlist. Throws LiveError. */
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
      variants.push({ url: playlistUrl(line, base), bandwidth, pixels: width * height || 0 });
      if (variants.length > MAX_VARIANTS) throw tooMany(MAX_VARIANTS, 'variants');
      told = undefined;
    }
  }
  if (variants.length === 0) throw unreadable('it names no stream');
  return variants;
}

interface Told {
  seconds: number | undefined;
  range: string | undefined;
  map: MediaSegment['map'];
  /** End of the previous range of the same address. */
  end: number;
}

function segmentsOf(lines: readonly string[], base: URL): HlsPlaylist {
  const segments: MediaSegment[] = [];
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
      segments.push(segmentOf(playlistUrl(line, base), sequence++, told));
      if (segments.length > MAX_SEGMENTS) throw tooMany(MAX_SEGMENTS, 'segments');
    }
  }
  const isWhole = lines.includes('#EXT-X-ENDLIST');
  return { kind: 'segments', segments, targetSeconds: Math.max(1, targetSeconds), isWhole };
}

function segmentOf(url: URL, sequence: number, told: Told): MediaSegment {
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

function mapOf(line: string, base: URL): MediaSegment['map'] {
  const attributes = attributesOf(line);
  const range = attributes.get('BYTERANGE');
  const url = playlistUrl(attributes.get('URI') ?? '', base);
  return range === undefined ? { url } : { url, range: rangeOf(range, 0) };
}

function refuseEncryption(line: string): void {
  const method = attributesOf(line).get('METHOD');
  if (method !== undefined && method !== 'NONE') throw encryptionError();
}

function rangeOf(text: string, start: number): ByteRange {
  const [, bytes = '', at] = /^(\d{1,15})(?:@(\d{1,15}))?$/.exec(text.trim()) ?? [];
  if (bytes === '') throw unreadable('a byte range is not valid');
  return { start: at === undefined ? start : Number(at), bytes: Number(bytes) };
}

/** Reads comma-separated attributes of the form NAME=value or NAME="value". */
function attributesOf(line: string): ReadonlyMap<string, string> {
  const text = line.slice(line.indexOf(':') + 1, line.indexOf(':') + 2_000);
  const found = text.matchAll(/([A-Z0-9-]{1,60})=("[^"]*"|[^",]*)/g);
  return new Map([...found].map(([, name = '', value = '']) => [name, value.replaceAll('"', '')]));
}

function wholeNumber(text: string): number {
  const number = Number(text.trim());
  if (!Number.isSafeInteger(number) || number < 0) throw unreadable('a number is not valid');
  return number;
}
