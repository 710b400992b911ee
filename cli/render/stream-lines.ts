/** The events of a live stream, one line each. */
import type { StreamCounts } from '../../protocol/streams.ts';
import type { StreamInfo } from '../../client/answers.ts';
import { printable, shortenText } from '../../domain/text/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { LiveEvent } from '../../client/watch-stream.ts';

/** Maximum number of started tracks that are remembered until they end. The event of an end may be missed. */
const MAX_TRACKS = 1_000;
/** Time between two lines about dropped frames: milliseconds. */
const DROPS_EVERY_MS = 5_000;
const WORDS_LENGTH = 160;

interface Began {
  readonly at: number;
  readonly words: string;
}
type Event<T extends LiveEvent['type']> = Extract<LiveEvent, { type: T }>;

/** Events shown if only events of zones are wanted. Problems are included. */
const OF_ZONES: ReadonlySet<string> = new Set(['job', 'zoneEvent', 'warning', 'missed']);

/** Returns a function that prints events as text, or as JSON if `json` is set. */
export function printerOf(
  { json, events }: { readonly json?: boolean; readonly events?: boolean },
  terminal: Terminal,
): (event: LiveEvent) => void {
  const isShown = (event: LiveEvent) => events !== true || OF_ZONES.has(event.type);
  if (json === true) return (event) => (isShown(event) ? terminal.print(JSON.stringify(event)) : undefined);
  const lines = new StreamLines();
  return (event) => {
    if (!isShown(event)) return;
    for (const line of lines.of(event)) terminal.print(line);
  };
}

class StreamLines {
  readonly #began = new Map<string, Began>();
  readonly #warned = new Set<string>();
  #standing = '';
  /** Number of frames that the current component has dropped, as last reported. */
  #dropped = 0;
  #droppedToldAt = -Infinity;

  /** Returns the lines for an event. Returns no lines if the event contains nothing new. */
  of(event: LiveEvent): readonly string[] {
    switch (event.type) {
      case 'job':
        return this.#job(event);
      case 'trackBegan':
        return this.#trackBegan(event);
      case 'trackEnded':
        return this.#trackEnded(event);
      case 'zoneEvent':
        return zoneText(event).map((text) => this.#line(event.at, event.event, text));
      case 'reconnecting':
        return [this.#line(event.at, 'reconnecting', event.cause)];
      case 'warning':
        return this.#warnings([event.message]);
      case 'segment':
        return [this.#line(event.at ?? Date.now(), 'segment', segmentText(event))];
      case 'counts':
        return this.#counts(event.counts);
      case 'missed':
        return [this.#line(Date.now(), 'missed', `${event.events} events came too fast to be shown`)];
      default:
        // A later version of the service may send other events.
        return [];
    }
  }

  #job(job: StreamInfo): readonly string[] {
    const warnings = this.#warnings(job.warnings ?? []);
    const standing = standingText(job);
    if (standing === this.#standing) return warnings;
    this.#standing = standing;
    return [this.#line(Date.now(), 'state', standing), ...warnings];
  }

  /** Returns the new warnings. Each one arrives when it occurs, and again with every state of the job. */
  #warnings(messages: readonly string[]): readonly string[] {
    const fresh = messages.filter((message) => !this.#warned.has(message));
    for (const message of fresh) this.#warned.add(message);
    return fresh.map((message) => this.#line(Date.now(), 'warning', message));
  }

  #trackBegan(event: Event<'trackBegan'>): readonly string[] {
    const { liveId, at, frame, confidence, properties, task, trackType, ...box } = event;
    const words = Object.entries(properties).flatMap(([name, value]) => (value === '' ? [] : [`${name}=${value}`])); // oxfmt-ignore
    const facts = shortenText(words.join('  '), WORDS_LENGTH);
    if (this.#began.size >= MAX_TRACKS) this.#began.delete(this.#began.keys().next().value!);
    this.#began.set(liveId, { at, words: facts });
    const place = `${whole(box.x)},${whole(box.y)} ${whole(box.width)}x${whole(box.height)}`;
    const sure = confidence < 0 ? '' : `confidence ${confidence.toFixed(2)}`;
    // If several tasks process the stream, the type shows which of them found the track.
    const type = task === undefined ? '' : (trackType ?? '');
    const text = [`track ${liveId}`, type, `frame ${frame}`, `at ${place}`, sure, facts];
    return [this.#line(at, 'began', joinTexts(text))];
  }

  #trackEnded({ liveId, at, frame }: Event<'trackEnded'>): readonly string[] {
    const began = this.#began.get(liveId);
    this.#began.delete(liveId);
    const lasted = began === undefined ? '' : `after ${((at - began.at) / 1_000).toFixed(1)} s`;
    return [this.#line(at, 'ended', joinTexts([`track ${liveId}`, `frame ${frame}`, lasted, began?.words ?? '']))]; // oxfmt-ignore
  }

  #counts({ dropped, read }: StreamCounts): readonly string[] {
    // A component that replaces another one counts from zero.
    if (dropped < this.#dropped) this.#dropped = 0;
    const more = dropped - this.#dropped;
    const now = Date.now();
    if (more === 0 || now - this.#droppedToldAt < DROPS_EVERY_MS) return [];
    this.#dropped = dropped;
    this.#droppedToldAt = now;
    return [this.#line(now, 'dropped', `${more} more frames: ${dropped} of ${read} so far`)];
  }

  #line(at: number, what: string, text: string): string {
    return `${clockText(at)}  ${what.padEnd(12)}  ${printable(text)}`;
  }
}

/** Returns size and frame rate. Many cameras do not report their frame rate. */
export const pictureText = ({ width, height, fps }: NonNullable<StreamInfo['picture']>): string =>
  `${width}x${height}${fps > 0 ? `, ${Number(fps.toFixed(2))} frames/s` : ''}`;

function standingText({ jobStatus, jobStatusDetail, picture }: StreamInfo): string {
  const size = picture === undefined || picture === null ? '' : pictureText(picture);
  return joinTexts([jobStatus, jobStatus === 'IN_PROGRESS' ? size : '', jobStatusDetail ?? '']);
}

/** Returns the line of a zone event. Starts and ends of tracks already have lines of their own. */
function zoneText(event: Event<'zoneEvent'>): readonly string[] {
  if (event.event === 'trackBegan' || event.event === 'trackEnded') return [];
  const { rule, zone, line, direction, occupancy, dwellMs, track } = event;
  const place = zone === undefined ? (line === undefined ? '' : `line ${line}`) : `zone ${zone}`;
  const stayed = dwellMs === undefined ? '' : `after ${(dwellMs / 1_000).toFixed(1)} s`;
  const inside = occupancy === undefined ? '' : `${occupancy} there`;
  const what = rule === undefined ? '' : `rule ${rule}`;
  return [joinTexts([what, place, direction ?? '', event.class, stayed, inside, `track ${track}`])];
}

const segmentText = ({ segment, tracks, detections }: Event<'segment'>) =>
  `${segment}: ${tracks} ${tracks === 1 ? 'track' : 'tracks'}, ${detections} ${detections === 1 ? 'detection' : 'detections'}`;
const joinTexts = (texts: readonly string[]) => texts.filter((text) => text !== '').join('  ');
const whole = (pixels: number) => String(Math.round(pixels));

/** Returns the local time of day, to the second. */
function clockText(ms: number): string {
  const at = new Date(ms);
  return [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

/** Returns a line about the end of a streaming job. */
export function endLine({ jobId, jobStatus, jobStatusDetail, segments = 0, frames }: StreamInfo): string {
  const why = jobStatusDetail === null ? '' : `: ${jobStatusDetail}`;
  const count = `${segments} ${segments === 1 ? 'segment' : 'segments'}`;
  const lost = frames === undefined || frames.dropped === 0 ? '' : `, ${frames.dropped} of ${frames.read} frames dropped`; // oxfmt-ignore
  return printable(`Streaming job ${jobId}: ${jobStatus} after ${count}${lost}${why}`);
}
