import { useEffect, useRef, useState } from 'preact/hooks';
import { urlOf } from '../kit/api.ts';
import { hueOf } from '../kit/colours.ts';
import { countText, duration, fileName } from '../kit/format.ts';
import { Icon, type IconName } from '../kit/icons.tsx';
import { hrefOf } from '../kit/route.ts';
import { findingText, keyOf, withPeople } from './labels.ts';
import type { Finding, LibraryMedium } from './types.ts';
import { TEXT } from '../kit/text.ts';

/** Maximum number of chips in a tile. The others are only counted. */
const CHIPS = 3;

/** A medium: its picture with boxes, its name and its findings. */
export function Tile({ medium }: { readonly medium: LibraryMedium }) {
  const { jobId, mediaId, mediaUri } = medium;
  const name = fileName(mediaUri);
  return (
    <a class="tile" href={hrefOf(['jobs', jobId, 'media', mediaId])} title={mediaUri}>
      <span class="shot">
        <MediumPicture medium={medium} />
        <Length of={medium} />
      </span>
      <span class="name">{name}</span>
      <Chips of={withPeople(medium)} most={CHIPS} none={noneText(medium)} />
    </a>
  );
}

/** The most frequent findings by name. */
export function Chips({
  of: findings,
  most,
  none = TEXT.library.nothingFound,
}: {
  readonly of: readonly Finding[];
  readonly most: number;
  readonly none?: string;
}) {
  const others = findings.length - most;
  return (
    <span class="chips">
      {findings.slice(0, most).map((finding) => (
        <span key={`${finding.type} ${finding.class}`} class={`chip ${hueOf(keyOf(finding))}`}>
          {findingText(finding)}
        </span>
      ))}
      {others > 0 && <span class="chip more">+{others}</span>}
      {findings.length === 0 && <span class="chip none">{none}</span>}
    </span>
  );
}

/** Returns why there are no chips. A damaged picture or video has no frames. */
export const noneText = ({ mediaType, frame }: PicturedMedium): string =>
  frame === null && (mediaType === 'VIDEO' || mediaType === 'IMAGE')
    ? TEXT.library.notReadable
    : TEXT.library.nothingFound;

/** The members of a medium that its picture needs. */
export type PicturedMedium = Pick<
  LibraryMedium,
  'jobId' | 'mediaId' | 'mediaUri' | 'mediaType' | 'frame' | 'width' | 'height' | 'boxes'
>;

/** Returns the address of a small picture of a frame. */
export const thumbnailUrl = (
  { jobId, mediaId }: Pick<LibraryMedium, 'jobId' | 'mediaId'>,
  frame: number,
): string =>
  urlOf(`rest/jobs/${encodeURIComponent(jobId)}/media/${mediaId}/frames/${frame}.jpg`, { small: true });

const MOST_ATTEMPTS = 2;
/** Time until a failed picture is requested again: milliseconds. */
const AGAIN_MS = 3_000;

/** The part of the picture with the most findings, and boxes around them. */
export function MediumPicture({ medium }: { readonly medium: PicturedMedium }) {
  const { frame, width, height, boxes } = medium;
  const [failures, setFailures] = useState(0);
  const [isWaiting, setWaiting] = useState(false);
  const again = useRef<number>(undefined);
  useEffect(() => () => clearTimeout(again.current), []);
  // A busy server can send the picture later.
  const onError = () => {
    setFailures((before) => before + 1);
    setWaiting(true);
    again.current = window.setTimeout(() => setWaiting(false), AGAIN_MS);
  };
  if (frame === null || isWaiting || failures >= MOST_ATTEMPTS) return <Placeholder of={medium} />;
  const crop = width === null || height === null ? undefined : cropOf({ width, height }, boxes);
  return (
    <>
      <img
        key={failures}
        loading="lazy"
        decoding="async"
        src={thumbnailUrl(medium, frame)}
        alt=""
        onError={onError}
        style={{ objectPosition: crop?.position ?? 'top' }}
      />
      {crop !== undefined && boxes.length > 0 && (
        <svg viewBox={crop.viewBox} aria-hidden="true">
          {boxes.map((box, n) => (
            <rect
              key={n}
              class={hueOf(keyOf(box))}
              x={box.x}
              y={box.y}
              width={box.width}
              height={box.height}
            />
          ))}
        </svg>
      )}
    </>
  );
}

/** Width of a tile divided by its height, as in the style sheet. */
const RATIO = 16 / 10;

/** Returns the largest part of a picture that fits a tile, centred on the boxes. */
function cropOf(
  { width, height }: { readonly width: number; readonly height: number },
  boxes: PicturedMedium['boxes'],
): { readonly viewBox: string; readonly position: string } {
  const [shownWidth, shownHeight] =
    width / height > RATIO ? [height * RATIO, height] : [width, width / RATIO];
  const middle = (from: readonly number[], to: readonly number[], otherwise: number) =>
    from.length === 0 ? otherwise : (Math.min(...from) + Math.max(...to)) / 2;
  const centerX = middle(
    boxes.map(({ x }) => x),
    boxes.map((box) => box.x + box.width),
    width / 2,
  );
  const centerY = middle(
    boxes.map(({ y }) => y),
    boxes.map((box) => box.y + box.height),
    height / 2,
  );
  const left = clamp(centerX - shownWidth / 2, width - shownWidth);
  const top = clamp(centerY - shownHeight / 2, height - shownHeight);
  const percent = (at: number, room: number) => `${room < 1 ? 50 : (at / room) * 100}%`;
  return {
    viewBox: `${left} ${top} ${shownWidth} ${shownHeight}`,
    position: `${percent(left, width - shownWidth)} ${percent(top, height - shownHeight)}`,
  };
}

const clamp = (value: number, most: number) => Math.max(0, Math.min(value, most));

const ICONS: Readonly<Record<string, IconName>> = {
  VIDEO: 'live',
  IMAGE: 'image',
  AUDIO: 'sound',
  UNKNOWN: 'document',
};

export const mediaIcon = (mediaType: string): IconName => ICONS[mediaType] ?? 'document';

/** A placeholder for a medium without a picture, with the kind of the medium. */
function Placeholder({ of: { mediaType, mediaUri } }: { readonly of: PicturedMedium }) {
  const ending = /\.(\w{1,5})$/.exec(fileName(mediaUri))?.[1] ?? '';
  return (
    <span class={`placeholder ${mediaType.toLowerCase()}`}>
      <Icon name={mediaIcon(mediaType)} size={40} />
      <span>{ending.toUpperCase()}</span>
    </span>
  );
}

function Length({ of: medium }: { readonly of: LibraryMedium }) {
  const text = lengthOf(medium);
  return text === undefined ? null : <span class="length">{text}</span>;
}

/** Returns a length such as `0:17` or `12 pages`. Returns undefined for an image or an unknown length. */
export function lengthOf({ mediaType, durationMs, length }: LibraryMedium): string | undefined {
  if (mediaType === 'UNKNOWN' && length > 0) return countText(length, TEXT.library.page);
  const hasTime = mediaType === 'VIDEO' || mediaType === 'AUDIO';
  return hasTime && durationMs !== null ? lengthText(durationMs) : undefined;
}

/** Returns a length such as `0:17`. Lengths below one second are in milliseconds. */
function lengthText(ms: number): string {
  if (ms < 1_000) return duration(ms);
  const seconds = Math.round(ms / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const two = (n: number) => String(n).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
