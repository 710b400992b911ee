/** Boxes, names and labels of findings in pictures and videos, for tools that show them. */
import { isEmptyBox, type Box } from '../../domain/geometry/geometry.ts';
import { pictureOf, toUpright, uprightBoxOf, type Size } from '../../domain/tracks/turned-picture.ts';
import type { FoundDetection, FoundMedium, FoundTrack } from '../document/findings.ts';

export const isSeen = ({ mediaType }: FoundMedium) => mediaType === 'VIDEO' || mediaType === 'IMAGE';

/** Positions of findings in the pictures of a medium, as a viewer shows them. */
export class ShownPicture {
  /** Zeros if unknown. */
  readonly size: Size;
  readonly #boxOf: (one: FoundDetection) => Box | null;

  constructor({ mediaMetadata }: FoundMedium) {
    const picture = pictureOf(mediaMetadata);
    this.size = picture?.upright ?? { width: 0, height: 0 };
    const isTurned = picture !== undefined && (picture.rotation !== 0 || picture.flip);
    this.#boxOf = (one) =>
      uprightBoxOf(one, isTurned, (point) => (picture === undefined ? point : toUpright(picture, point)));
  }

  /** The box as a part of the picture, each number from 0 to 1. Undefined if there is no box, or if the size is unknown. */
  partOf(one: FoundDetection): Box | undefined {
    const box = this.boxOf(one);
    const { width, height } = this.size;
    if (box === undefined || !(width > 0 && height > 0)) return undefined;
    const [left, right] = [part(box.x, width), part(box.x + box.width, width)];
    const [top, bottom] = [part(box.y, height), part(box.y + box.height, height)];
    if (right <= left || bottom <= top) return undefined;
    return { x: left, y: top, width: right - left, height: bottom - top };
  }

  /** The box in the shown picture, which may be the stored box. Undefined if the detection has no box, such as a sound. */
  boxOf(one: FoundDetection): Box | undefined {
    return isEmptyBox(one) ? undefined : (this.#boxOf(one) ?? one);
  }
}

const part = (at: number, whole: number) => Math.max(0, Math.min(1, at / whole));

/** The label of a track: its class if there is one, otherwise its type. */
export function labelOf({ trackProperties, exemplar, type }: FoundTrack): string {
  const own = trackProperties['CLASSIFICATION'] ?? exemplar?.detectionProperties['CLASSIFICATION'] ?? '';
  return own.trim() || type.trim() || 'UNKNOWN';
}

/** Unique file names of media: the last part of the address. If the name is already used, the number of the medium precedes it. */
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
