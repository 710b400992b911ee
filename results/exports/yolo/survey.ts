import type { FoundDetection, FoundMedium, FoundTrack, Writer } from '../../document/findings.ts';
import { FrameSet } from '../frame-set.ts';
import { ExportRefusal } from '../one-medium.ts';
import { isSeen, labelOf, ShownPicture } from '../pictures.ts';

/** Maximum number of boxes of a medium. They are sorted in memory, with at most 120 MB. */
const MOST_BOXES = 4_000_000;
/** Maximum number of label files. A ZIP with this many has a directory of about 50 MB. */
const MOST_FILES = 500_000;
/** Maximum number of frames, which are decoded one by one. */
export const MOST_PICTURES = 2_000;
/** Maximum number of characters of a class name. */
const LONGEST_NAME = 200;

/** The frame of a detection. A picture has only frame 0. */
export const frameOf = ({ offsetFrame }: FoundDetection, { mediaType }: FoundMedium): number =>
  mediaType === 'IMAGE' ? 0 : offsetFrame;

/** Collects the classes in the first pass, and whether there is anything to write. */
export class YoloSurvey implements Writer {
  readonly #classes = new Map<string, number>();
  #picture: ShownPicture | undefined;
  #media = 0;
  #boxes = 0;
  #frames = new FrameSet();
  #files = 0;

  get classes(): readonly string[] {
    return [...this.#classes.keys()];
  }

  /** The number of a class, from 0. */
  classOf(track: FoundTrack): number {
    const name = nameOf(track);
    const known = this.#classes.get(name) ?? this.#classes.size;
    this.#classes.set(name, known);
    return known;
  }

  medium(medium: FoundMedium): string {
    this.#picture = isSeen(medium) ? new ShownPicture(medium) : undefined;
    this.#frames = new FrameSet();
    this.#boxes = 0;
    if (this.#picture !== undefined) this.#media += 1;
    if (medium.mediaType === 'IMAGE') this.#frames.add(0);
    return '';
  }

  detection(one: FoundDetection, track: FoundTrack): string {
    if (this.#picture?.partOf(one) === undefined) return '';
    this.classOf(track);
    this.#frames.add(frameOf(one, track.medium));
    this.#boxes += 1;
    if (this.#boxes > MOST_BOXES)
      throw new ExportRefusal(
        `Medium ${track.medium.mediaId} has more than ${MOST_BOXES} boxes, the limit of yolo. Use csv or parquet.`,
      );
    return '';
  }

  mediumEnd(): readonly string[] {
    if (this.#picture === undefined) return [];
    for (const _ of this.#frames.inOrder()) this.#files += 1;
    if (this.#files > MOST_FILES)
      throw new ExportRefusal(
        `There are more than ${MOST_FILES} frames with boxes, the limit of yolo. Use csv or parquet, or name a medium by media.`,
      );
    return [];
  }

  /** @throws ExportRefusal if there is neither a picture nor a video, or if there are too many for an export with pictures */
  refuse(hasPictures: boolean): void {
    if (this.#media === 0)
      throw new ExportRefusal('There are neither videos nor pictures, and yolo supports no other media.');
    if (hasPictures && this.#files > MOST_PICTURES)
      throw new ExportRefusal(
        `There are ${this.#files} frames with boxes, and an export has at most ${MOST_PICTURES} pictures. Leave pictures out, or name a medium by media.`,
      );
  }
}

/** The class name on one line, cut to the limit. */
function nameOf(track: FoundTrack): string {
  const name = labelOf(track).replaceAll(/\p{Cc}+/gu, ' ');
  return name.length > LONGEST_NAME ? name.slice(0, LONGEST_NAME) : name;
}
