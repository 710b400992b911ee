/** Finds motion in a frame by comparison with a background from earlier frames. */
import type { FoundDetection, Frame } from '../../sdk/detector.ts';
import { clip } from '../../shared/tracking/boxes.ts';
import { Background } from './background.ts';
import { BlobFinder } from './blobs.ts';
import type { GreyPicture } from './shrink.ts';

export interface WatchRules {
  /** Minimum size of an object as a share of the picture, 0 to 1. */
  readonly minArea: number;
  /** Maximum share of the picture that changes at once. Above it, the background is learned again. */
  readonly restartShare: number;
  /** Number of pictures for learning the background, before anything is reported. */
  readonly learningFrames: number;
  /** Number of pictures after which a still object becomes background. */
  readonly absorbFrames: number;
}

/** Searches small pictures for motion, one after another. */
export class Watch {
  readonly #settings: WatchRules;
  readonly #background: Background;
  readonly #blobs: BlobFinder;

  constructor(picture: GreyPicture, settings: WatchRules) {
    this.#settings = settings;
    this.#background = new Background(picture.data.length, settings.absorbFrames);
    const reach = Math.max(1, Math.round(Math.max(picture.width, picture.height) / 80));
    this.#blobs = new BlobFinder(picture.width, picture.height, reach);
  }

  /** Returns the moving objects in this frame. Returns 'restarted' if the whole scene changed (a cut, the light) and is learned again. */
  next(frame: Frame, picture: GreyPicture): FoundDetection[] | 'restarted' {
    const { restartShare, learningFrames, minArea } = this.#settings;
    const background = this.#background;
    if (background.next(picture.data) > restartShare) {
      background.restart(picture.data);
      return 'restarted';
    }
    if (background.pictures <= learningFrames) return [];
    const least = Math.max(1, minArea * picture.data.length);
    const scaleX = frame.width / picture.width;
    const scaleY = frame.height / picture.height;
    return this.#blobs.find(background.foreground, background.moving, least).flatMap((blob) => {
      const scaled = {
        x: blob.x * scaleX,
        y: blob.y * scaleY,
        width: blob.width * scaleX,
        height: blob.height * scaleY,
      };
      const box = clip(scaled, frame.width, frame.height);
      const confidence = blob.area / (blob.width * blob.height);
      return box === undefined ? [] : [{ frame: frame.index, ...box, confidence }];
    });
  }
}
