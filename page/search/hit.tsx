import { useState } from 'preact/hooks';
import { hueOf } from '../kit/colours.ts';
import { dateText, fileName, timeText } from '../kit/format.ts';
import { hrefOf } from '../kit/route.ts';
import { findingName, keyOf } from '../library/labels.ts';
import { TEXT } from '../kit/text.ts';
import type { Hit } from '../kit/findings/types.ts';
import { CropPicture } from './crop.tsx';
import { pictureOf } from '../kit/findings/similar-address.ts';

interface TileProps {
  readonly hit: Hit;
  readonly similarity?: number | undefined;
  /** Address of similar findings. */
  readonly similarAt?: string | undefined;
}

/** A finding: its picture, its name and its place, with a link to similar ones. */
export function HitTile({ hit, similarity, similarAt }: TileProps) {
  const [isMissing, setMissing] = useState(false);
  // Without a picture, only a vector can be compared.
  const canCompare = !isMissing || hit.vectorModel !== null;
  return (
    <>
      <Tile {...{ hit, similarity, isMissing }} onMissing={() => setMissing(true)} />
      {similarAt !== undefined && canCompare && (
        <a class="similar" href={similarAt}>
          {TEXT.common.similar}
        </a>
      )}
    </>
  );
}

interface PartProps extends Pick<TileProps, 'hit' | 'similarity'> {
  /** True if the server has no picture of it. */
  readonly isMissing: boolean;
  readonly onMissing: () => void;
}

function Tile({ hit, similarity, isMissing, onMissing }: PartProps) {
  const { mediaType, snippet, mediaUri, confidence, stream } = hit;
  const hasPicture = !isMissing && (mediaType === 'VIDEO' || mediaType === 'IMAGE');
  return (
    <a class="tile" href={placeOf(hit)}>
      {hasPicture && (
        <span class="shot">
          <CropPicture
            {...hit}
            picture={(isSmall) => pictureOfHit(hit, isSmall)}
            hue={hueOf(keyOf(hit))}
            onMissing={hit.stream === null ? undefined : onMissing}
          />
        </span>
      )}
      <span class={hasPicture ? 'snippet' : 'snippet alone'}>
        {snippet.text === '' ? (
          <span class={`chip ${hueOf(keyOf(hit))}`}>{hit.person?.name ?? findingName(hit)}</span>
        ) : (
          <Snippet of={snippet} />
        )}
      </span>
      <small>
        {stream === null ? fileName(mediaUri) : mediaUri}
        {whereOf(hit)} ·{' '}
        {similarity === undefined
          ? confidence >= 0 && `${Math.round(confidence * 100)} % · `
          : TEXT.search.similarity(similarity.toFixed(2))}
        {dateText(stream?.startDate ?? hit.jobEndDate)}
      </small>
    </a>
  );
}

/** Returns the address of the time or page in the medium, or of the time of the camera. */
function placeOf({ jobId, mediaId, mediaType, startOffsetTime, stream, page }: Hit): string {
  if (stream !== null) return hrefOf(['streams', jobId], { at: Date.parse(stream.startDate) });
  const place = ['jobs', jobId, 'media', mediaId];
  // A picture from a document is a medium of its own.
  if (page === null || mediaType !== 'UNKNOWN') return hrefOf(place, { t: Math.round(startOffsetTime) });
  return hrefOf(place, { page: page.number.split(';')[0] });
}

const pictureOfHit = (
  { jobId, mediaId, mediaType, frame, startOffsetFrame, stream }: Hit,
  isSmall: boolean,
) => {
  const k = mediaType === 'IMAGE' && stream === null ? 0 : (frame ?? startOffsetFrame);
  return pictureOf({ jobId, mediaId, frame: k, isLive: stream !== null }, isSmall);
};

/** Returns the time in a video or a sound, or the page of a document. Pictures have none. */
function whereOf({ mediaType, page, startOffsetTime, stream }: Hit): string {
  if (stream !== null) return '';
  if (mediaType === 'VIDEO' || mediaType === 'AUDIO') return TEXT.search.at(timeText(startOffsetTime));
  return page === null ? '' : `, ${page.kind.toLowerCase()} ${page.number}`;
}

/** A text with the matches marked. */
function Snippet({ of: { text, marks } }: { readonly of: Hit['snippet'] }) {
  let at = 0;
  const parts = marks.map(({ start, end }) => {
    const before = text.slice(at, start);
    at = end;
    return [before, <mark key={start}>{text.slice(start, end)}</mark>] as const;
  });
  return (
    <>
      {parts}
      {text.slice(at)}
    </>
  );
}
