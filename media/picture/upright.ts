/** Pictures of a medium as a viewer shows them: turned and flipped by what the medium says of itself. */
import type { Frame } from '../../protocol/media-sources.ts';
import { rotatedSize, toUpright, type Size } from '../../domain/tracks/turned-picture.ts';
import type { Properties } from '../../domain/types.ts';
import { frameTransform, wantedOrientation } from './transform.ts';

const AS_SHOWN = { AUTO_ROTATE: 'TRUE', AUTO_FLIP: 'TRUE' };

export interface Upright extends Size {
  /** Quarters of a turn, so that width and height change places. */
  readonly isSideways: boolean;
  /** Whether it is shown otherwise than it is stored. */
  readonly isTurned: boolean;
  /** The picture as it is shown, valid until the next call; the same object when it is stored upright. */
  apply(frame: Frame): Frame;
  /** Where a point of the stored picture lies in it. */
  point(stored: { readonly x: number; readonly y: number }): { x: number; y: number };
}

/** `metadata` are the medium's, `size` is that of its stored pictures. Errors: INVALID_PROPERTY. */
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
