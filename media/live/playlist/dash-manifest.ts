/** Parses DASH manifests (ISO/IEC 23009-1) as far as reading a stream needs. Nothing is fetched here. */
import { LiveError } from '../input/live-error.ts';
import { childOf, childrenOf, numberOf, readManifest, secondsOf, type Element } from './dash-elements.ts';
import { segmentsOf, type SegmentSource } from './dash-segments.ts';
import {
  bestOf,
  encryptionError,
  MAX_VARIANTS,
  playlistUrl,
  tooMany,
  unreadable,
  type Quality,
  type SegmentList,
} from './playlist.ts';

export interface DashOptions {
  readonly maxPixels: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Returns the segments of the best video. In a live stream with several periods, the last one counts. Throws LiveError. */
export async function parseDash(text: string, base: URL, options: DashOptions): Promise<SegmentList> {
  const manifest = await readManifest(text);
  const isLive = manifest.attributes['type'] === 'dynamic';
  const periods = childrenOf(manifest, 'Period');
  const period = periods.at(-1);
  if (period === undefined) throw unreadable('it names no stream');
  if (!isLive && periods.length > 1)
    throw new LiveError(
      'UNSUPPORTED',
      `The playlist has ${periods.length} periods, of which only one is supported: give the address of one part.`,
    );
  const home = baseOf(period, baseOf(manifest, base));
  const { set, representation } = bestVideo(period, options.maxPixels);
  const { now } = options;
  const source: SegmentSource = {
    levels: [period, set, representation],
    base: baseOf(representation, baseOf(set, home)),
    names: {
      RepresentationID: representation.attributes['id'] ?? '',
      Bandwidth: representation.attributes['bandwidth'] ?? '',
    },
    seconds: lengthOf(manifest, period, startOf(periods)),
    sinceStart: isLive ? sinceStart(manifest, startOf(periods), now) : undefined,
  };
  return segmentsOf(source);
}

function baseOf(element: Element, base: URL): URL {
  const text = childOf(element, 'BaseURL')?.text.trim() ?? '';
  return text === '' ? base : playlistUrl(text, base);
}

/** Returns the start of the last period. */
function startOf(periods: readonly Element[]): number {
  let end = 0;
  let start = 0;
  for (const { attributes } of periods) {
    start = secondsOf(attributes['start']) ?? end;
    end = start + (secondsOf(attributes['duration']) ?? 0);
  }
  return start;
}

function lengthOf(manifest: Element, period: Element, start: number): number | undefined {
  const own = secondsOf(period.attributes['duration']);
  const whole = secondsOf(manifest.attributes['mediaPresentationDuration']);
  return own ?? (whole === undefined ? undefined : Math.max(0, whole - start));
}

/** Seconds since the period began, by the sender's clock if the manifest contains it. */
function sinceStart(manifest: Element, start: number, now: number): number {
  const began = Date.parse(manifest.attributes['availabilityStartTime'] ?? '');
  if (Number.isNaN(began)) throw unreadable('the start of its stream is missing');
  const direct = childrenOf(manifest, 'UTCTiming').find(
    ({ attributes }) => attributes['schemeIdUri'] === 'urn:mpeg:dash:utc:direct:2014',
  );
  const told = Date.parse(direct?.attributes['value'] ?? '');
  return ((Number.isNaN(told) ? now : told) - began) / 1_000 - start;
}

interface Video extends Quality {
  readonly set: Element;
  readonly representation: Element;
}

function bestVideo(period: Element, maxPixels: number): Video {
  const found: Video[] = [];
  let isEncrypted = false;
  for (const set of childrenOf(period, 'AdaptationSet')) {
    // Sets with this element (such as trick modes) are only for players that support them.
    if (childOf(set, 'EssentialProperty') !== undefined) continue;
    for (const representation of childrenOf(set, 'Representation')) {
      if (!isVideo(set, representation)) continue;
      const isLocked = [set, representation].some((one) => childOf(one, 'ContentProtection') !== undefined);
      isEncrypted ||= isLocked;
      if (isLocked) continue;
      found.push({ set, representation, ...qualityOf(set, representation) });
      if (found.length > MAX_VARIANTS) throw tooMany(MAX_VARIANTS, 'variants');
    }
  }
  if (found.length === 0 && isEncrypted) throw encryptionError();
  if (found.length === 0) throw new LiveError('NOT_VIDEO', 'The playlist of the stream names no video.');
  return bestOf(found, maxPixels);
}

function isVideo(set: Element, representation: Element): boolean {
  const of = (name: string) => representation.attributes[name] ?? set.attributes[name];
  const kind = of('contentType') ?? of('mimeType')?.split('/')[0];
  return kind === undefined ? of('width') !== undefined : kind === 'video';
}

function qualityOf(set: Element, representation: Element): Quality {
  const of = (name: string) => numberOf(representation.attributes[name] ?? set.attributes[name], 0);
  return { bandwidth: of('bandwidth'), pixels: of('width') * of('height') };
}
