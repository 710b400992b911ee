/** The segments of one video in a manifest: by templates with numbers or times, by a list, or as one file. */
import { childOf, childrenOf, numberOf, type Element } from './dash-elements.ts';
import {
  MAX_SEGMENTS,
  playlistUrl,
  tooMany,
  unreadable,
  type ByteRange,
  type MediaSegment,
  type SegmentList,
} from './playlist.ts';

export interface SegmentSource {
  /** Period, adaptation set and representation. Inner ones override outer ones. */
  readonly levels: readonly Element[];
  readonly base: URL;
  /** Names that templates may use. */
  readonly names: Readonly<Record<'RepresentationID' | 'Bandwidth', string>>;
  /** Duration of the period; undefined if unknown. */
  readonly seconds: number | undefined;
  /** Seconds since a live period began; undefined if the period is complete. */
  readonly sinceStart: number | undefined;
}

/** Maximum number of newest segments for segments that have only numbers. */
const LIVE_WINDOW = 50;
/** Seconds between requests when segment durations are unknown. */
const USUAL_SECONDS = 2;

interface Timed {
  /** Ticks. */
  readonly start: number;
  readonly ticks: number;
}

export function segmentsOf(source: SegmentSource): SegmentList {
  const { levels, base, sinceStart } = source;
  const isWhole = sinceStart === undefined;
  const template = mergeElements(levels, 'SegmentTemplate');
  if (template !== undefined) return templateSegments(source, template);
  const list = mergeElements(levels, 'SegmentList');
  if (list !== undefined) return listSegments(source, list);
  if (!isWhole) throw unreadable('it names no segments of its live stream');
  // One file, which is read from its beginning.
  return { kind: 'segments', segments: [{ sequence: 0, url: base, seconds: 0 }], targetSeconds: 1, isWhole };
}

/** Merges the elements of all levels. */
function mergeElements(levels: readonly Element[], name: string): Element | undefined {
  const found = levels.map((level) => childOf(level, name)).filter((one) => one !== undefined);
  if (found.length === 0) return undefined;
  return {
    name,
    attributes: Object.assign({}, ...found.map(({ attributes }) => attributes)) as Element['attributes'],
    // Innermost first.
    children: found.toReversed().flatMap(({ children }) => children),
    text: '',
  };
}

function templateSegments(source: SegmentSource, template: Element): SegmentList {
  const { attributes } = template;
  const { names, base } = source;
  const media = attributes['media'] ?? '';
  const fill = (text: string, number: number, time: number) =>
    playlistUrl(fillTemplate(text, { ...names, Number: String(number), Time: String(time) }), base);
  const { initialization } = attributes;
  const map = initialization === undefined ? undefined : { url: fill(initialization, 0, 0) };
  const timescale = Math.max(1, numberOf(attributes['timescale'], 1));
  const first = numberOf(attributes['startNumber'], 1);
  const timeline = childOf(template, 'SegmentTimeline');
  const segments =
    timeline === undefined
      ? numberedSegments(source, numberOf(attributes['duration'], 0) / timescale).map(
          ({ index, seconds }) => ({
            sequence: first + index,
            url: fill(media, first + index, index * numberOf(attributes['duration'], 0)),
            seconds,
          }),
        )
      : timesOf(timeline, source, timescale, numberOf(attributes['presentationTimeOffset'], 0)).map(
          ({ start, ticks }, index) => ({
            // The number counts from the first listed segment, which changes. The time does not change.
            sequence: start,
            url: fill(media, first + index, start),
            seconds: ticks / timescale,
          }),
        );
  return listOf(source, segments, map);
}

function listOf(
  { seconds, sinceStart }: SegmentSource,
  segments: readonly MediaSegment[],
  map: MediaSegment['map'],
): SegmentList {
  const longest = segments.reduce((most, segment) => Math.max(most, segment.seconds), 0);
  return {
    kind: 'segments',
    segments: map === undefined ? segments : segments.map((segment) => ({ ...segment, map })),
    targetSeconds: longest === 0 ? USUAL_SECONDS : longest,
    isWhole: sinceStart === undefined || (seconds !== undefined && sinceStart > seconds + longest),
  };
}

/** Returns indexes of segments with equal durations: all of a complete stream, the newest of a live one. */
function numberedSegments({ seconds, sinceStart }: SegmentSource, length: number) {
  if (!(length > 0)) throw unreadable('the length of its segments is missing');
  if (seconds === undefined && sinceStart === undefined)
    throw unreadable('the length of its stream is missing');
  const all = seconds === undefined ? Infinity : Math.ceil(seconds / length);
  const there = sinceStart === undefined ? all : Math.min(all, Math.floor(sinceStart / length));
  const from = sinceStart === undefined ? 0 : Math.max(0, there - LIVE_WINDOW);
  if (there - from > MAX_SEGMENTS) throw tooMany(MAX_SEGMENTS, 'segments');
  return Array.from({ length: Math.max(0, there - from) }, (_, n) => ({ index: from + n, seconds: length }));
}

/** Returns the times of all segments. An entry can represent many segments, or all segments until the next entry. */
function timesOf(
  timeline: Element,
  { seconds, sinceStart }: SegmentSource,
  timescale: number,
  offset: number,
): readonly Timed[] {
  const end = offset + (seconds ?? sinceStart ?? 0) * timescale;
  const found: Timed[] = [];
  const entries = childrenOf(timeline, 'S');
  let start = 0;
  for (const [index, { attributes }] of entries.entries()) {
    start = numberOf(attributes['t'], start);
    const ticks = numberOf(attributes['d'], 0);
    if (ticks === 0) throw unreadable('a segment has no length');
    const next = entries[index + 1]?.attributes['t'];
    const until = next === undefined ? end : numberOf(next, 0);
    const repeats =
      attributes['r']?.trim().startsWith('-') === true
        ? Math.max(0, Math.ceil((until - start) / ticks) - 1)
        : numberOf(attributes['r'], 0);
    if (found.length + repeats + 1 > MAX_SEGMENTS) throw tooMany(MAX_SEGMENTS, 'segments');
    for (let n = 0; n <= repeats; n++, start += ticks) found.push({ start, ticks });
  }
  return found;
}

function listSegments(source: SegmentSource, list: Element): SegmentList {
  const { attributes } = list;
  const { base } = source;
  const initialization = childOf(list, 'Initialization')?.attributes;
  const map = initialization && rangedUrl(initialization['sourceURL'], initialization['range'], base);
  const seconds = numberOf(attributes['duration'], 0) / Math.max(1, numberOf(attributes['timescale'], 1));
  const first = numberOf(attributes['startNumber'], 1);
  const urls = childrenOf(list, 'SegmentURL');
  if (urls.length > MAX_SEGMENTS) throw tooMany(MAX_SEGMENTS, 'segments');
  const segments = urls.map(({ attributes: { media, mediaRange } }, index) => ({
    sequence: first + index,
    seconds,
    ...rangedUrl(media, mediaRange, base),
  }));
  return listOf(source, segments, map);
}

function rangedUrl(text: string | undefined, range: string | undefined, base: URL) {
  const url = text === undefined ? base : playlistUrl(text, base);
  return range === undefined ? { url } : { url, range: rangeOf(range) };
}

function rangeOf(text: string): ByteRange {
  const [, first = '', last = ''] = /^(\d{1,15})-(\d{1,15})$/.exec(text.trim()) ?? [];
  if (first === '' || Number(last) < Number(first)) throw unreadable('a byte range is not valid');
  return { start: Number(first), bytes: Number(last) - Number(first) + 1 };
}

/** Fills a template. `$Number%05d$` has at least five digits; `$$` is a dollar sign. */
function fillTemplate(template: string, names: Readonly<Record<string, string>>): string {
  return template
    .slice(0, 2_000)
    .replaceAll(/\$(?:(RepresentationID|Number|Time|Bandwidth)(?:%0(\d{1,2})d)?)?\$/g, (_, name, width) =>
      name === undefined ? '$' : (names[name as string] ?? '').padStart(Number(width ?? 1), '0'),
    );
}
