/** What moves in a frame, seen against a background that is learned from the frames before it. */
import type { FoundDetection, Frame } from '../../sdk/detector.ts';
import { clip } from '../../shared/tracking/boxes.ts';
import { Background } from './background.ts';
import { BlobFinder } from './blobs.ts';
import type { GreyPicture } from './shrink.ts';

export interface WatchRules {
  /** What is smaller is not told, as a share of the picture, 0 to 1. */
  readonly minArea: number;
  /** The background is learned anew when a larger share of the picture changes at once. */
  readonly restartShare: number;
  /** Pictures from which the background is learned before anything is told. */
  readonly learningFrames: number;
  /** Pictures after which what stands still becomes background. */
  readonly absorbFrames: number;
}

/** Looks for what moves, one small picture after the other. */
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

  /** What moves in this frame; 'restarted' when the whole scene changed (a cut, the light) and is learned anew. */
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
