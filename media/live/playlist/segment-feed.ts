/** Yields the segments of a playlist as one sequence of bytes. Each segment is fetched when due, from a checked address. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LiveError } from '../input/live-error.ts';
import { parseHls } from './hls-playlist.ts';
import type { PlaylistPlace } from '../input/input.ts';
import { bestOf, type ByteRange, type MediaSegment, type SegmentList } from './playlist.ts';

export interface PlaylistFetch {
  /** Returns the body of an answer with status 200 or 206, and its final address. Throws LiveError. */
  get(url: URL, range?: ByteRange): Promise<{ readonly url: URL; readonly body: AsyncIterable<Uint8Array> }>;
}

export interface SegmentFeedOptions {
  readonly maxPixels: number;
  readonly signal: AbortSignal;
  /** Position where an earlier connection stopped. Reading continues there and updates it. */
  readonly place?: PlaylistPlace | undefined;
}

const MAX_PLAYLIST_BYTES = 4 * 1024 * 1024;
const MAX_SEGMENT_BYTES = 256 * 1024 * 1024;
/** Maximum depth of playlists: a list of variants must lead to segments. */
const MOST_LISTS = 2;
/** Number of segments before the newest one at which reading of a live stream begins. */
const SEGMENTS_BEHIND = 3;
/** Share of the target duration after which a playlist is fetched again. */
const AGAIN_SHARE = 0.5;
const LEAST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 10_000;

/** Marks that the next segment needs another decoder. */
export const NEW_FORMAT = Symbol('new format');

export async function* segmentBytes(
  text: string,
  url: URL,
  fetch: PlaylistFetch,
  options: SegmentFeedOptions,
): AsyncGenerator<Uint8Array | typeof NEW_FORMAT> {
  let { list, at } = await mediaPlaylist(text, url, fetch, options.maxPixels);
  const { place = {} } = options;
  let next = nextSequence(list, place);
  let map: string | undefined;
  for (;;) {
    for (const segment of list.segments) {
      if (segment.sequence < next) continue;
      next = segment.sequence + 1;
      place.segment = segment;
      const isNew = map !== mapName(segment);
      if (isNew && map !== undefined) yield NEW_FORMAT;
      if (isNew && segment.map !== undefined) yield* bytesOf(fetch, segment.map);
      map = mapName(segment);
      yield* bytesOf(fetch, segment);
    }
    if (list.isWhole) return;
    await pause(list.targetSeconds, options.signal);
    const again = await fetch.get(at);
    const text = await textOf(again.body);
    const parsed = await parsePlaylist(text, again.url, options.maxPixels);
    if (parsed.kind !== 'segments')
      throw new LiveError('REFUSED', 'The playlist of the stream was replaced.');
    list = parsed;
    at = again.url;
    // A sender that restarted counts from the start.
    const newest = list.segments.at(-1)?.sequence ?? next;
    if (newest < next - 1) next = firstSequence(list);
  }
}

async function mediaPlaylist(text: string, url: URL, fetch: PlaylistFetch, maxPixels: number) {
  let given = { text, url };
  for (let lists = 0; lists < MOST_LISTS; lists++) {
    const parsed = await parsePlaylist(given.text, given.url, maxPixels);
    if (parsed.kind === 'segments' && parsed.segments.length === 0)
      throw new LiveError('NOT_VIDEO', 'The playlist of the stream names no segments.');
    if (parsed.kind === 'segments') return { list: parsed, at: given.url };
    const answer = await fetch.get(bestOf(parsed.variants, maxPixels).url);
    given = { text: await textOf(answer.body), url: answer.url };
  }
  throw new LiveError('REFUSED', 'The playlist of the stream leads to other playlists and to no segments.');
}

/** Parses a playlist. The DASH parser is loaded for the first stream that needs it. */
async function parsePlaylist(text: string, url: URL, maxPixels: number) {
  if (
    !text
      .trimStart()
      .replace(/^\uFEFF/, '')
      .startsWith('<')
  )
    return parseHls(text, url);
  const { parseDash } = await import('./dash-manifest.ts');
  return parseDash(text, url, { maxPixels, now: Date.now() });
}

function firstSequence({ segments, isWhole }: SegmentList): number {
  const first = isWhole ? segments[0] : segments[Math.max(0, segments.length - SEGMENTS_BEHIND)];
  return first?.sequence ?? 0;
}

/**
 * Returns the sequence number of the next segment. No segment is read twice, so an unchanged playlist gives no pictures over a new
 * connection. Exception: the last segment of a complete playlist is read again, because the reader did not see its end.
 */
function nextSequence(list: SegmentList, { segment }: PlaylistPlace): number {
  const isRead = ({ sequence, url }: MediaSegment) =>
    sequence === segment?.sequence && url.pathname === segment.url.pathname;
  const first = firstSequence(list);
  if (!list.segments.some(isRead)) return first;
  const next = Math.max(first, segment!.sequence + 1);
  return list.isWhole ? Math.min(next, list.segments.at(-1)!.sequence) : next;
}

const mapName = ({ map }: MediaSegment): string =>
  map === undefined ? '' : `${map.url.href} ${map.range?.start ?? 0}`;

async function* bytesOf(
  fetch: PlaylistFetch,
  { url, range }: { readonly url: URL; readonly range?: ByteRange },
): AsyncGenerator<Uint8Array> {
  const { body } = await fetch.get(url, range);
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > MAX_SEGMENT_BYTES)
      throw new LiveError('REFUSED', `A segment of the stream has more than ${MAX_SEGMENT_BYTES} bytes.`);
    yield piece;
  }
}

export async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > MAX_PLAYLIST_BYTES)
      throw new LiveError('REFUSED', `The playlist of the stream has more than ${MAX_PLAYLIST_BYTES} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function pause(targetSeconds: number, signal: AbortSignal): Promise<void> {
  const ms = Math.min(LONGEST_WAIT_MS, Math.max(LEAST_WAIT_MS, targetSeconds * 1_000 * AGAIN_SHARE));
  return sleep(ms, undefined, { signal }).catch(() => {
    throw signal.reason;
  });
}
