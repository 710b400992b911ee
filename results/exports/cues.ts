/**
 * WebVTT and SubRip: speech, text and labels of a sound or video, by time. Cues must be sorted by start, but tracks may not be. The times
 * of each cue stay in memory, its text in a file without a name.
 */
import { cueTextOf, hasTimes } from './cue-text.ts';
import type { FoundMedium, FoundTrack, Through, Writer } from '../document/findings.ts';
import { ExportRefusal } from './one-medium.ts';
import type { Scratch } from './scratch.ts';

/** Writes the head and the cues of a format. Cues count from 1. */
export interface CueFormat {
  readonly head: string;
  cue(number: number, startMs: number, stopMs: number, text: string): string;
}

export async function* cues(
  format: CueFormat,
  through: Through,
  mediaId: number | undefined,
  scratch: Scratch,
): AsyncGenerator<string> {
  const writer = new CueWriter();
  try {
    for await (const _ of through(writer, mediaId)) await scratch.write(writer.takeCues());
    writer.refuse(mediaId);
    yield format.head;
    let number = 0;
    for (const at of writer.times.inOrder()) {
      const text = await scratch.read(at);
      yield format.cue((number += 1), writer.times.start(at), writer.times.stop(at), text);
    }
  } finally {
    await scratch.close();
  }
}

/** Times of up to millions of cues, without an object for each. */
class Times {
  #starts = new Float64Array(1_024);
  #stops = new Float64Array(1_024);
  #count = 0;

  add(start: number, stop: number): void {
    if (this.#count === this.#starts.length)
      [this.#starts, this.#stops] = [doubleLength(this.#starts), doubleLength(this.#stops)];
    this.#starts[this.#count] = start;
    this.#stops[this.#count] = stop;
    this.#count += 1;
  }

  get count(): number {
    return this.#count;
  }

  start(at: number): number {
    return this.#starts[at] ?? 0;
  }

  stop(at: number): number {
    return this.#stops[at] ?? 0;
  }

  inOrder(): Uint32Array {
    const order = Uint32Array.from({ length: this.#count }, (_, at) => at);
    return order.sort((a, b) => this.start(a) - this.start(b) || this.stop(a) - this.stop(b) || a - b);
  }
}

function doubleLength(numbers: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}

class CueWriter implements Writer {
  readonly times = new Times();
  readonly #media: number[] = [];
  #frameMs = 0;
  #scenes = 0;
  #texts: string[] = [];

  medium(medium: FoundMedium): string {
    this.#scenes = 0;
    if (hasTimes(medium)) this.#media.push(medium.mediaId);
    const fps = Number(medium.mediaMetadata['FPS']);
    this.#frameMs = medium.mediaType === 'VIDEO' && fps > 0 ? 1_000 / fps : 0;
    return '';
  }

  track(track: FoundTrack): string {
    const text = cueTextOf(track, this.#scenes);
    if (text === undefined) return '';
    if (track.type === 'SCENE') this.#scenes += 1;
    const { startOffsetTime: start, stopOffsetTime: stop } = track;
    // For visible tracks, the document has the start of their last frame.
    const end = Math.round(stop + (track.type === 'SPEECH' ? 0 : this.#frameMs));
    this.times.add(Math.max(0, start), Math.max(Math.max(0, start) + 1, end));
    this.#texts.push(text);
    return '';
  }

  /** Texts of the cues since the last call. */
  takeCues(): readonly string[] {
    return this.#texts.splice(0);
  }

  /** @throws ExportRefusal if there is not exactly one medium with times, or if it has no cues */
  refuse(mediaId: number | undefined): void {
    const [first] = this.#media;
    if (this.#media.length === 1 && this.times.count > 0) return;
    if (this.#media.length === 1)
      throw new ExportRefusal(
        `Medium ${first} has no speech, text or scenes to write as cues. The formats csv and ndjson have all of its tracks.`,
      );
    if (mediaId !== undefined)
      throw new ExportRefusal(`Medium ${mediaId} is neither a sound nor a video, so cues have no times.`);
    if (this.#media.length === 0)
      throw new ExportRefusal('The job has neither sounds nor videos, so cues have no times.');
    const shown = this.#media.slice(0, SHOWN).join(', ');
    throw new ExportRefusal(
      `A file of cues describes one sound or video. Choose one with media; this job has: ${shown}${this.#media.length > SHOWN ? ' ...' : ''}.`,
    );
  }
}
/** Number of media that a refusal names. */
const SHOWN = 20;

const two = (number: number) => String(number).padStart(2, '0');
const clock = (ms: number, point: string): string => {
  const seconds = Math.floor(ms / 1_000);
  const rest = String(Math.floor(ms % 1_000)).padStart(3, '0');
  return `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${point}${rest}`;
};

export const WEBVTT: CueFormat = {
  head: 'WEBVTT\n',
  cue: (number, start, stop, text) =>
    `\n${number}\n${clock(start, '.')} --> ${clock(stop, '.')}\n${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}\n`,
};

/** SubRip has no escapes. An invisible word joiner prevents that players take a text for a time or for markup. */
const MARKUP = /--(?=>)|<(?=[a-z/!])|\{(?=\\)/gi;

export const SUBRIP: CueFormat = {
  head: '',
  cue: (number, start, stop, text) =>
    `${number === 1 ? '' : '\n'}${number}\n${clock(start, ',')} --> ${clock(stop, ',')}\n${text.replaceAll(MARKUP, '$&\u2060')}\n`,
};
