import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { get, urlOf } from '../../kit/api.ts';
import { trackHue } from '../../kit/colours.ts';
import { timeText } from '../../kit/format.ts';
import { useLoaded } from '../../kit/load.ts';
import { Problem } from '../../kit/parts.tsx';
import { TEXT } from '../../kit/text.ts';
import { findingName } from '../../library/labels.ts';
import { shownArea, storedSize, turnPicture, type Turned } from '../../kit/findings/overlay.ts';
import type { Box, BoxPage, Medium, Track } from '../../kit/findings/types.ts';
import { artifactUrl, factsOf, hasTime, TrackDetails } from './details.tsx';

/** Maximum number of pictures of one track. */
const MOST_OF_TRACK = 6;
/** Maximum number of boxes per request. The first one of the track is used. */
const MOST_BOXES = 500;
/** Margin shown around a box on each side, as a fraction of its size. */
const MARGIN = 0.15;
/** Fraction of the width of the picture. A smaller box is cut from the full-size picture, because the small picture is too coarse. */
const SMALL_PART = 0.25;

export interface CropsProps {
  readonly job: string;
  readonly base: string;
  readonly medium: Medium;
  readonly selected: number | undefined;
  readonly open: (track: Track) => void;
  /** Moves a video to a frame. */
  readonly toFrame: (frame: number) => void;
}

/** Tracks of one class or person as pictures side by side. The selected one has more pictures over its time. */
export function CropGrid({
  tracks,
  name,
  ...props
}: CropsProps & { readonly tracks: readonly Track[]; readonly name: string }) {
  const { job, medium, selected, open } = props;
  return (
    <ul class="crops">
      {tracks.map((track) => (
        <Fragment key={track.n}>
          <CropTile
            track={track}
            name={name}
            picture={artifactUrl(job, track.artifact)}
            facts={factsOf(track, hasTime(medium))}
            isSelected={track.n === selected}
            open={() => open(track)}
          />
          {track.n === selected && (
            <li class="crop-details">
              <TrackCrops track={track} {...props} />
              <TrackDetails {...{ job, medium, track }} />
            </li>
          )}
        </Fragment>
      ))}
    </ul>
  );
}

function CropTile({
  track: { n, label, startMs },
  name,
  picture,
  facts,
  isSelected,
  open,
}: {
  readonly track: Track;
  readonly name: string;
  readonly picture: string | undefined;
  readonly facts: readonly string[];
  readonly isSelected: boolean;
  readonly open: () => void;
}) {
  const [failed, setFailed] = useState(false);
  const title = label ?? findingName({ type: name, class: null });
  const [when = '', ...others] = facts;
  return (
    <li class={trackHue(name, n)}>
      <button
        type="button"
        aria-pressed={isSelected}
        aria-label={[title, ...facts].join(' · ')}
        title={[title, ...facts].join(' · ')}
        onClick={open}
      >
        {picture === undefined || failed ? (
          <span class="no-crop">{title}</span>
        ) : (
          <img src={picture} alt="" loading="lazy" decoding="async" onError={() => setFailed(true)} />
        )}
        <small>{others.length > 0 ? timeText(startMs) : when}</small>
      </button>
    </li>
  );
}

/** Pictures of a track in a video over its time. */
function TrackCrops({ base, medium, track, toFrame }: CropsProps & { readonly track: Track }) {
  const frames = medium.mediaType === 'VIDEO' ? framesOf(track) : [];
  const boxes = useLoaded(
    async (signal) => {
      const found = await Promise.all(frames.map((frame) => boxFrom(base, track, frame, signal)));
      const byFrame = new Map(found.flatMap((box) => (box === undefined ? [] : [[box.frame, box] as const])));
      return [...byFrame.values()];
    },
    [base, track.n],
  );
  const size = storedSize(medium);
  if (size === undefined || frames.length < 2) return null;
  if (boxes.error !== undefined) return <Problem again={boxes.again}>{boxes.error.message}</Problem>;
  const turned = turnPicture(size, medium.metadata);
  return (
    <ol class="strip" aria-label={TEXT.viewer.cropsOfThisTrack}>
      {(boxes.value ?? frames.map(() => undefined)).map((box, n) => (
        <li key={box?.frame ?? -1 - n}>
          {box === undefined ? (
            <span class="skeleton" />
          ) : (
            <button
              type="button"
              aria-label={TEXT.viewer.frame(box.frame)}
              onClick={() => toFrame(box.frame)}
            >
              <BoxPicture {...{ base, box, turned }} />
            </button>
          )}
        </li>
      ))}
    </ol>
  );
}

/** Returns frames from the begin to the end of a track, at equal distances. */
function framesOf({ startFrame, stopFrame }: Track): readonly number[] {
  const parts = Math.min(MOST_OF_TRACK, stopFrame - startFrame + 1);
  return Array.from({ length: parts }, (_, n) =>
    Math.floor(startFrame + (n * (stopFrame - startFrame + 1)) / parts),
  );
}

/** Returns the first box of a track from a frame on. */
async function boxFrom(
  base: string,
  { n, stopFrame }: Track,
  fromFrame: number,
  signal: AbortSignal,
): Promise<Box | undefined> {
  const query = { fromFrame, toFrame: stopFrame, limit: MOST_BOXES };
  const { boxes } = await get<BoxPage>(`${base}/boxes`, query, signal);
  return boxes.find(({ track }) => track === n);
}

function BoxPicture({
  base,
  box,
  turned,
}: {
  readonly base: string;
  readonly box: Box;
  readonly turned: Turned;
}) {
  const { left, top, right, bottom } = shownArea(box, turned.matrix);
  const [width, height] = [right - left, bottom - top];
  const side = Math.min(Math.max(width, height) * (1 + 2 * MARGIN), turned.width, turned.height);
  const place = (middle: number, whole: number) => Math.max(0, Math.min(middle - side / 2, whole - side));
  const [x, y] = [place((left + right) / 2, turned.width), place((top + bottom) / 2, turned.height)];
  const isSmall = width < turned.width * SMALL_PART;
  return (
    <svg class="crop" viewBox={`${x} ${y} ${side} ${side}`} aria-hidden="true">
      <image
        href={urlOf(`${base}/frames/${box.frame}.jpg`, isSmall ? {} : { small: true })}
        width={turned.width}
        height={turned.height}
        preserveAspectRatio="none"
      />
    </svg>
  );
}
