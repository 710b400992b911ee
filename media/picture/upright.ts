/** Turns and flips a medium's pictures as viewers do, by the medium's metadata. */
import type { Frame } from '../../protocol/media-sources.ts';
import { rotatedSize, toUpright, type Size } from '../../domain/tracks/turned-picture.ts';
import type { Properties } from '../../domain/types.ts';
import { frameTransform, wantedOrientation } from './transform.ts';

const AS_SHOWN = { AUTO_ROTATE: 'TRUE', AUTO_FLIP: 'TRUE' };

export interface Upright extends Size {
  /** True if the rotation is 90 or 270 degrees, so that width and height are swapped. */
  readonly isSideways: boolean;
  /** True if the shown picture differs from the stored one. */
  readonly isTurned: boolean;
  /** Returns the picture as shown, valid until the next call. Returns the same object if it is stored upright. */
  apply(frame: Frame): Frame;
  /** Converts a point of the stored picture to the shown one. */
  point(stored: { readonly x: number; readonly y: number }): { x: number; y: number };
}

/** Returns the conversion. `metadata` are the medium's, and `source` is the size of its stored pictures. Throws INVALID_PROPERTY. */
export function uprightOf(metadata: Properties, source: Size): Upright {
  const orientation = wantedOrientation(AS_SHOWN, metadata);
  const upright = rotatedSize(source, orientation.rotation);
  const { apply } = frameTransform(AS_SHOWN, metadata, source);
  return {
    ...upright,
    isSideways: orientation.rotation % 180 === 90,
    isTurned: orientation.rotation !== 0 || orientation.flip,
    apply,
    point: (stored) => toUpright({ ...orientation, source, upright }, stored),
  };
}
