import { useState } from 'preact/hooks';
import { urlOf } from '../kit/api.ts';
import { Icon } from '../kit/icons.tsx';
import type { Occurrence } from './types.ts';

/** Margin shown around a face on each side, as a fraction of its size. */
const MARGIN = 0.35;
/** Fraction of the width of the picture. A smaller face is cut from the full-size picture, because the small picture is too coarse. */
const SMALL_PART = 0.25;

/** A face, cut from the frame that shows it best. */
export function Face({ of: { box, width, height, frameUrl, stream } }: { readonly of: Occurrence }) {
  const [failed, setFailed] = useState(false);
  if (failed || width === null || height === null)
    return (
      <span class="placeholder">
        <Icon name="user" size={40} />
      </span>
    );
  // Pictures of recordings have one size.
  const isWhole = stream !== null || box.width < width * SMALL_PART;
  return (
    <svg class="crop" viewBox={squareAround(box, { width, height })} aria-hidden="true">
      <image
        href={urlOf(frameUrl.replace(/^\//, ''), isWhole ? {} : { small: true })}
        width={width}
        height={height}
        preserveAspectRatio="none"
        onError={() => setFailed(true)}
      />
    </svg>
  );
}

/** Returns a square of the picture with the box in its middle, limited to the picture. */
function squareAround(
  box: Occurrence['box'],
  picture: { readonly width: number; readonly height: number },
): string {
  const wanted = Math.max(box.width, box.height) * (1 + 2 * MARGIN);
  const side = Math.min(wanted, picture.width, picture.height);
  const place = (middle: number, whole: number) => Math.max(0, Math.min(middle - side / 2, whole - side));
  const x = place(box.x + box.width / 2, picture.width);
  const y = place(box.y + box.height / 2, picture.height);
  return `${x} ${y} ${side} ${side}`;
}
