/** Boxes, names and labels of what was found in pictures and videos, for tools that show them. */
import { isEmptyBox, type Box } from '../../domain/geometry/geometry.ts';
import { pictureOf, toUpright, uprightBoxOf, type Size } from '../../domain/tracks/turned-picture.ts';
import type { FoundDetection, FoundMedium, FoundTrack } from '../document/findings.ts';

export const isSeen = ({ mediaType }: FoundMedium) => mediaType === 'VIDEO' || mediaType === 'IMAGE';

/** Places of findings in the pictures of a medium, as a viewer shows them. */
export class ShownPicture {
  /** Zeros where the medium does not tell. */
  readonly size: Size;
  readonly #boxOf: (one: FoundDetection) => Box | null;

  constructor({ mediaMetadata }: FoundMedium) {
    const picture = pictureOf(mediaMetadata);
    this.size = picture?.upright ?? { width: 0, height: 0 };
    const isTurned = picture !== undefined && (picture.rotation !== 0 || picture.flip);
    this.#boxOf = (one) =>
      uprightBoxOf(one, isTurned, (point) => (picture === undefined ? point : toUpright(picture, point)));
  }

  /** The part of the picture that a box covers, each number from 0 to 1; undefined where there is none, or no size is known. */
  partOf(one: FoundDetection): Box | undefined {
    const box = this.boxOf(one);
    const { width, height } = this.size;
    if (box === undefined || !(width > 0 && height > 0)) return undefined;
    const [left, right] = [part(box.x, width), part(box.x + box.width, width)];
    const [top, bottom] = [part(box.y, height), part(box.y + box.height, height)];
    if (right <= left || bottom <= top) return undefined;
    return { x: left, y: top, width: right - left, height: bottom - top };
  }

  /** The same as the stored box where that lies as it is shown; undefined where the detection has none, as a sound has. */
  boxOf(one: FoundDetection): Box | undefined {
    return isEmptyBox(one) ? undefined : (this.#boxOf(one) ?? one);
  }
}

const part = (at: number, whole: number) => Math.max(0, Math.min(1, at / whole));

/** What a track is called: its class where there is one, else its type. */
export function labelOf({ trackProperties, exemplar, type }: FoundTrack): string {
  const own = trackProperties['CLASSIFICATION'] ?? exemplar?.detectionProperties['CLASSIFICATION'] ?? '';
  return own.trim() || type.trim() || 'UNKNOWN';
}

/** Unique file names of media: the last part of the address, with the number of the medium before it when the name is used already. */
export class FileNames {
  readonly #taken = new Set<string>();

  of({ path, mediaId }: FoundMedium): string {
    const name = lastPart(path);
    const own = name === '' || this.#taken.has(name) ? `${mediaId}-${name}` : name;
    this.#taken.add(own);
    return own;
  }
}

/** The last part of an address, decoded. */
export function lastPart(path: string): string {
  const name = path.replace(/[?#].*$/s, '').slice(path.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(name).replaceAll(/[/\\]/g, '_');
  } catch {
    return name;
  }
}
