/** Finds black and frozen periods of a video, and the part of the picture without black bars. */
import type { Box } from '../../../domain/geometry/geometry.ts';
import type { Properties } from '../../../domain/types.ts';
import { PictureMeter, type PictureRules } from '../../../media/picture/picture-measures.ts';
import type { DetectionJob, Detector, FoundTrack, Frame, FrameSource } from '../../sdk/detector.ts';
import { numberWithin } from '../../shared/tracking/settings.ts';
import { RecentLooks, Stretches, trackOf, type Look } from './stretches.ts';

interface Settings extends PictureRules {
  readonly blackMs: number;
}

function readSettings(properties: Properties): Settings {
  return {
    blackShare: numberWithin(properties, 'BLACK_PIXELS', 0, 1),
    blackLevel: numberWithin(properties, 'BLACK_LEVEL', 0, 1),
    blackMs: numberWithin(properties, 'MIN_BLACK_DURATION', 0, Infinity),
    noise: numberWithin(properties, 'FREEZE_NOISE', 0, 1),
    freezeMs: numberWithin(properties, 'MIN_FREEZE_DURATION', 1, 86_400_000),
    barLevel: numberWithin(properties, 'BAR_LEVEL', 0, 1),
  };
}

async function* video(source: FrameSource, { properties, signal }: DetectionJob): AsyncIterable<FoundTrack> {
  const settings = readSettings(properties);
  const watch = new Watch(settings);
  try {
    for await (const frame of source.frames()) {
      signal.throwIfAborted();
      if (!frame.warmUp) yield* watch.look(frame);
    }
    yield* watch.end();
  } finally {
    watch.close();
  }
}

async function* image(frame: Frame, job: DetectionJob): AsyncIterable<FoundTrack> {
  const settings = { ...readSettings(job.properties), blackMs: 0 };
  const watch = new Watch(settings);
  try {
    yield* watch.look(frame);
    yield* watch.end();
  } finally {
    watch.close();
  }
}

class Watch {
  readonly #rules: PictureRules;
  readonly #black: Stretches;
  readonly #frozen: Stretches;
  readonly #recent: RecentLooks;
  #meter: PictureMeter | undefined;
  #content: Box | undefined;
  #first: Look | undefined;
  #last: Look | undefined;

  constructor(settings: Settings) {
    this.#rules = settings;
    this.#black = new Stretches('BLACK', settings.blackMs);
    this.#frozen = new Stretches('FROZEN', settings.freezeMs);
    this.#recent = new RecentLooks(settings.freezeMs);
  }

  *look(frame: Frame): Iterable<FoundTrack> {
    const { index, time, width, height } = frame;
    const [look, last] = [{ frame: index, time, width, height }, this.#last];
    if (this.#meter?.takes(frame) === false && last !== undefined) {
      // The size changed, as between regions of feed-forward tracks. A new meter does not know the open periods, so they end.
      yield* this.#black.end(last, time);
      yield* this.#frozen.end(last, time);
      this.#first = undefined;
    }
    const found = this.#meterFor(frame).measure(frame.data, time);
    this.#recent.add(look);
    if (found.blackBegins) this.#black.begin(look);
    if (found.blackEnds && last !== undefined) yield* this.#black.end(last, time);
    if (found.frozenSince !== undefined) this.#frozen.begin(this.#recent.at(found.frozenSince));
    if (found.freezeEnds && last !== undefined) yield* this.#frozen.end(last, time);
    this.#content = found.content ?? this.#content;
    this.#first ??= look;
    this.#last = look;
  }

  *end(): Iterable<FoundTrack> {
    const [first, last, content] = [this.#first, this.#last, this.#content];
    if (first === undefined || last === undefined) return;
    yield* this.#black.end(last);
    yield* this.#frozen.end(last);
    if (content === undefined || isWhole(content, last)) return;
    const { width, height, x, y } = content;
    yield trackOf('CROP', first, last, content, { CROP: `${width}:${height}:${x}:${y}` });
  }

  close(): void {
    this.#meter?.close();
  }

  /** Returns the meter. The picture size changes between regions of feed-forward tracks, and each size needs a new meter. */
  #meterFor(frame: Frame): PictureMeter {
    if (this.#meter?.takes(frame) === true) return this.#meter;
    this.#meter?.close();
    this.#content = undefined;
    this.#meter = new PictureMeter(frame, this.#rules);
    return this.#meter;
  }
}

/** Tolerance for the filter's rounding to even sizes and positions. */
const ROUNDED = 4;
const isWhole = (
  content: { readonly width: number; readonly height: number },
  picture: { readonly width: number; readonly height: number },
): boolean => picture.width - content.width < ROUNDED && picture.height - content.height < ROUNDED;

/** Accepts sounds, which have no pictures, so that pipelines for pictures and sound give no error. */
async function* soundFile(): AsyncIterable<never> {
  // No findings.
}

export default async function loadPictureQuality(): Promise<Detector> {
  return { video, image, soundFile };
}
