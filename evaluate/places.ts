/** Maps pictures and frames of the document to those of the truth. */
import type { FoundMedium } from '../results/document/findings.ts';
import { ShownPicture } from '../results/exports/pictures.ts';
import { EvaluationError } from './error.ts';
import type { NamedMedium } from './document.ts';
import { listNames } from './sentences.ts';
import type { BoxTruth, PictureTruth, TruthPicture, VideoTruth } from './truth/truth.ts';

export interface Places {
  /** Returns the number of an evaluated picture, ascending with the frames of a video. Returns undefined if it is not evaluated. */
  ofTruth(picture: number): number | undefined;
  ofFound(mediaId: number, frame: number): number | undefined;
  /** True if the number is that of a frame in a video. */
  isFrame(number: number): boolean;
  /** Number of evaluated pictures and frames. Undefined if the document does not contain it. */
  readonly count: number | undefined;
  readonly media: readonly NamedMedium[];
  readonly notes: readonly string[];
}

interface PlaceOptions {
  /** The mediaId of the selected medium. */
  readonly mediaId: number | undefined;
  /** Interval of evaluated frames in videos: each `step`-th frame. */
  readonly step: number;
}

/** @throws EvaluationError if truth and document have nothing in common */
export function placesOf(truth: BoxTruth, media: readonly NamedMedium[], options: PlaceOptions): Places {
  const meant = media.filter(
    ({ medium }) => options.mediaId === undefined || medium.mediaId === options.mediaId,
  );
  if (meant.length === 0)
    throw new EvaluationError(
      `The document has no medium ${options.mediaId}: its media are ${listNames(media.map(numberText))}.`,
    );
  const places =
    truth.kind === 'video' ? placesInVideo(truth, meant, options) : placesOfPictures(truth, meant, options);
  const incomplete = places.media.filter(
    ({ medium }) => medium.status !== '' && medium.status !== 'COMPLETE',
  );
  if (incomplete.length === 0) return places;
  const note = `These media were not processed completely (status ERROR or INCOMPLETE), and missing findings count as missed: ${listNames(incomplete.map(({ name }) => name))}.`;
  return { ...places, notes: [...places.notes, note] };
}

const numberText = ({ medium, name }: NamedMedium): string => `${medium.mediaId} (${name})`;
const isVideo = ({ medium }: NamedMedium): boolean => medium.mediaType === 'VIDEO';

/** Returns the medium with this name, or the only one. @throws EvaluationError */
export function theOnly(
  media: readonly NamedMedium[],
  what: string,
  isCalledSo: (name: string) => boolean,
): NamedMedium {
  const [named, ...others] = media.filter(({ name }) => isCalledSo(name));
  if (named !== undefined && others.length === 0) return named;
  const [only] = media;
  if (only !== undefined && media.length === 1) return only;
  throw new EvaluationError(
    only === undefined
      ? `The document has no ${what}, but the truth describes one.`
      : `The truth describes one ${what}, but the document has several. Choose one with --media: ${listNames(media.map(numberText))}.`,
  );
}

function placesInVideo(truth: VideoTruth, media: readonly NamedMedium[], { step }: PlaceOptions): Places {
  const wanted = truth.name === undefined ? undefined : fileNameIn(truth.name);
  const one = theOnly(media.filter(isVideo), 'video', (name) => name === wanted);
  const { length, mediaId } = one.medium;
  const frames = length > 0 ? length : undefined;
  for (const { picture } of truth.boxes)
    if (frames !== undefined && picture >= frames)
      throw new EvaluationError(
        `The truth has a box in frame ${picture} (counted from 0), but ${one.name} has ${frames} frames: is it the truth of another video?`,
      );
  const last = Math.min(truth.last ?? Infinity, (frames ?? Infinity) - 1);
  const isJudged = (frame: number) =>
    frame >= truth.first && frame <= last && (frame - truth.first) % truth.step === 0 && frame % step === 0;
  const numberOf = (frame: number) => (isJudged(frame) ? frame : undefined);
  const notes =
    truth.frames !== undefined && frames !== undefined && truth.frames !== frames
      ? [`The truth is of a video of ${truth.frames} frames, ${one.name} has ${frames}: are they the same?`]
      : [];
  return {
    ofTruth: numberOf,
    ofFound: (medium, frame) => (medium === mediaId ? numberOf(frame) : undefined),
    isFrame: () => true,
    count: last === Infinity ? undefined : countOf(last, isJudged),
    media: [one],
    notes,
  };
}

function countOf(last: number, isJudged: (frame: number) => boolean): number {
  let count = 0;
  for (let frame = 0; frame <= last; frame++) if (isJudged(frame)) count += 1;
  return count;
}

/** The place of a picture of the truth in the document. */
interface Spot {
  readonly at: NamedMedium;
  readonly frame: number;
}

function placesOfPictures(
  truth: PictureTruth,
  media: readonly NamedMedium[],
  { step }: PlaceOptions,
): Places {
  const finder = new Finder(media);
  const spots = truth.pictures.map((picture) => finder.find(picture));
  const order = new Map(media.map(({ medium }, number) => [medium.mediaId, number]));
  const rankOf = ({ at }: Spot) => order.get(at.medium.mediaId) ?? 0;
  const judged = spots
    .flatMap((spot, picture) => (spot === undefined || !isAtStep(spot, step) ? [] : [{ spot, picture }]))
    .toSorted((a, b) => rankOf(a.spot) - rankOf(b.spot) || a.spot.frame - b.spot.frame);
  if (judged.length === 0)
    throw new EvaluationError(
      `None of the ${truth.pictures.length} pictures of the truth (${listNames(
        truth.pictures.map(({ name }) => name),
        3,
      )}) is among the media of the document (${listNames(
        media.map(({ name }) => name),
        3,
      )}).`,
    );
  const ofTruth = new Map(judged.map(({ picture }, number) => [picture, number]));
  const ofFound = new Map(
    judged.map(({ spot }, number) => [keyOf(spot.at.medium.mediaId, spot.frame), number]),
  );
  return {
    ofTruth: (picture) => ofTruth.get(picture),
    ofFound: (mediaId, frame) => ofFound.get(keyOf(mediaId, frame)),
    isFrame: (number) => isVideo(judged[number]!.spot.at),
    count: judged.length,
    media: media.filter((one) => judged.some(({ spot }) => spot.at === one)),
    notes: [...notesAbout(truth, spots, media)],
  };
}

const keyOf = (mediaId: number, frame: number) => `${mediaId} ${frame}`;
const isAtStep = ({ at, frame }: Spot, step: number): boolean => !isVideo(at) || frame % step === 0;

function* notesAbout(
  { pictures }: PictureTruth,
  spots: readonly (Spot | undefined)[],
  media: readonly NamedMedium[],
): Generator<string> {
  const lost = pictures.filter((_, number) => spots[number] === undefined);
  if (lost.length > 0)
    yield `${lost.length} of ${pictures.length} pictures of the truth are not in the document and are not evaluated: ${listNames(lost.map(({ name }) => name))}.`;
  const seen = new Set(spots.map((spot) => spot?.at));
  const without = media.filter((one) => !seen.has(one) && (isVideo(one) || one.medium.mediaType === 'IMAGE'));
  if (without.length > 0)
    yield `These media are not in the truth and are not evaluated: ${listNames(without.map(({ name }) => name))}.`;
  const resized = pictures.filter(({ width, height }, number) => {
    const spot = spots[number];
    const size = spot === undefined ? undefined : sizeOf(spot.at.medium);
    return (
      size !== undefined && width > 0 && size.width > 0 && (size.width !== width || size.height !== height)
    );
  });
  if (resized.length > 0)
    yield `These pictures differ in size between truth and document, so their boxes may not match: ${listNames(resized.map(({ name }) => name))}.`;
}

const sizeOf = (medium: FoundMedium) => new ShownPicture(medium).size;

/** Returns the last part of a path. Truths come from all systems, so both slashes separate folders. */
const fileNameIn = (name: string): string =>
  name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);

/** Finds media by the names that tools give to pictures and to frames of videos. */
class Finder {
  readonly #byName = new Map<string, NamedMedium[]>();
  readonly #videos: readonly NamedMedium[];

  constructor(media: readonly NamedMedium[]) {
    this.#videos = media.filter(isVideo);
    for (const one of media)
      for (const name of new Set([one.name, fileNameIn(plainPath(one.medium.path))]))
        this.#byName.set(name, [...(this.#byName.get(name) ?? []), one]);
  }

  find({ name, frame }: TruthPicture): Spot | undefined {
    const picture = this.#medium(name);
    if (picture !== undefined) return { at: picture, frame: isVideo(picture) ? (frame ?? 0) : 0 };
    const [, video = '', number = ''] = /^(.*)-(\d{6,})\.\w+$/s.exec(name) ?? [];
    const at = number === '' ? undefined : this.#medium(video);
    if (at !== undefined && isVideo(at)) return { at, frame: Number(number) };
    // CVAT uses these names for the frames of a video.
    const [, cvat] = /^frame_(\d+)(?:\.\w+)?$/i.exec(fileNameIn(name)) ?? [];
    const [only, ...others] = this.#videos;
    return cvat === undefined || only === undefined || others.length > 0
      ? undefined
      : { at: only, frame: Number(cvat) };
  }

  /** Returns the medium with this name. If several have the same last part, the folders decide. */
  #medium(name: string): NamedMedium | undefined {
    const all = this.#byName.get(fileNameIn(name)) ?? [];
    const near =
      all.length > 1 ? all.filter(({ medium }) => plainPath(medium.path).endsWith(`/${name}`)) : all;
    return near.length === 1 ? near[0] : all.find((one) => one.name === name);
  }
}

/**
 * Returns the path of a URI. All escapes are decoded, including those of slashes and question marks, because file names may contain any
 * character.
 */
function plainPath(uri: string): string {
  try {
    return decodeURIComponent(uri.replace(/[?#].*$/s, ''));
  } catch {
    return uri;
  }
}
