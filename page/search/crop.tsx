import { useState } from 'preact/hooks';
import type { Hit } from '../kit/findings/types.ts';

/** Width of a tile divided by its height, as in the style sheet. */
const RATIO = 16 / 10;
/** Margin shown around a finding on each side, as a fraction of its size. */
const MARGIN = 0.25;
/** Fraction of the width of the picture. A smaller finding is cut from the full-size picture, because the small picture is too coarse. */
const SMALL_PART = 0.2;

interface CropProps extends Pick<Hit, 'box' | 'width' | 'height'> {
  /** Returns the address of the whole picture, or of a small version of it. */
  readonly picture: (isSmall: boolean) => string;
  readonly hue: string;
  readonly onMissing?: (() => void) | undefined;
}

/** A finding, cut from the frame of its exemplar. */
export function CropPicture({ box, width, height, picture, hue, onMissing }: CropProps) {
  const [failed, setFailed] = useState(false);
  const onError = () => (onMissing === undefined ? setFailed(true) : onMissing());
  if (failed) return null;
  if (box === null || width === null || height === null)
    return <img src={picture(true)} alt="" loading="lazy" decoding="async" onError={onError} />;
  const isSmall = box.width < width * SMALL_PART;
  return (
    <svg class={`crop ${hue}`} viewBox={viewBoxOf(box, { width, height })} aria-hidden="true">
      <image
        href={picture(!isSmall)}
        width={width}
        height={height}
        preserveAspectRatio="none"
        onError={onError}
      />
      <rect x={box.x} y={box.y} width={box.width} height={box.height} />
    </svg>
  );
}

/** Returns the part of the picture around a box in the proportions of a tile. */
function viewBoxOf(
  box: NonNullable<Hit['box']>,
  picture: { readonly width: number; readonly height: number },
): string {
  const wanted = Math.max(box.width, box.height * RATIO) * (1 + 2 * MARGIN);
  const width = Math.min(wanted, Math.max(picture.width, picture.height * RATIO));
  const height = width / RATIO;
  const place = (middle: number, size: number, whole: number) =>
    size >= whole ? (whole - size) / 2 : Math.max(0, Math.min(middle - size / 2, whole - size));
  const x = place(box.x + box.width / 2, width, picture.width);
  const y = place(box.y + box.height / 2, height, picture.height);
  return `${x} ${y} ${width} ${height}`;
}
