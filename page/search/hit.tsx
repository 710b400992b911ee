import { useState } from 'preact/hooks';
import type { z } from 'zod';
import type { searchPage } from '../../http/schemas/search/search.ts';
import { urlOf } from '../kit/api.ts';
import { hueOf } from '../kit/colours.ts';
import { dateText, fileName, timeText } from '../kit/format.ts';
import { hrefOf } from '../kit/route.ts';
import { findingName, keyOf } from '../library/labels.ts';
import { TEXT } from '../kit/text.ts';

export type Hit = z.output<typeof searchPage>['hits'][number];

/** A finding: its picture, its name and its place. A finding with a vector links to similar ones. */
export function HitTile({ hit, similarity }: { readonly hit: Hit; readonly similarity?: number }) {
  return (
    <>
      <Tile hit={hit} similarity={similarity} />
      {hit.vectorModel !== null && (
        <a class="similar" href={similarTo(hit)}>
          {TEXT.common.similar}
        </a>
      )}
    </>
  );
}

/** Returns the address of the view with similar tracks. */
export const similarTo = ({ jobId, mediaId, trackId }: Pick<Hit, 'jobId' | 'mediaId' | 'trackId'>): string =>
  hrefOf(['search', 'similar'], { job: jobId, media: mediaId, track: trackId });

function Tile({ hit, similarity }: { readonly hit: Hit; readonly similarity: number | undefined }) {
  const { mediaType, snippet, mediaUri, confidence, stream } = hit;
  const [isMissing, setMissing] = useState(false);
  const hasPicture = !isMissing && (mediaType === 'VIDEO' || mediaType === 'IMAGE');
  return (
    <a class="tile" href={placeOf(hit)}>
      {hasPicture && (
        <span class="shot">
          <Crop hit={hit} onMissing={() => setMissing(true)} />
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

/** Returns the address of the position in the medium, or of the camera. */
const placeOf = ({ jobId, mediaId, startOffsetTime, stream }: Hit): string =>
  stream === null
    ? hrefOf(['jobs', jobId, 'media', mediaId], { t: Math.round(startOffsetTime) })
    : hrefOf(['streams', jobId]);

/** Width of a tile divided by its height, as in the style sheet. */
const RATIO = 16 / 10;
/** Margin shown around a finding on each side, as a fraction of its size. */
const MARGIN = 0.25;
/** Fraction of the width of the picture. A smaller finding is cut from the full-size picture, because the small picture is too coarse. */
const SMALL_PART = 0.2;

/** Returns the address of the exemplar's frame. A live stream has one only if it is recorded. */
function pictureOf({ jobId, mediaId, mediaType, frame, startOffsetFrame, stream }: Hit, isSmall: boolean) {
  const k = mediaType === 'IMAGE' ? 0 : (frame ?? startOffsetFrame);
  if (stream !== null)
    return urlOf(`rest/streaming/jobs/${encodeURIComponent(jobId)}/recordings/snapshot.jpg`, { frame: k });
  const path = `rest/jobs/${encodeURIComponent(jobId)}/media/${mediaId}/frames/${k}.jpg`;
  return urlOf(path, isSmall ? { small: true } : {});
}

/** A finding, cut from the frame of its exemplar. */
function Crop({ hit, onMissing }: { readonly hit: Hit; readonly onMissing: () => void }) {
  const { box, width, height, stream } = hit;
  const [failed, setFailed] = useState(false);
  const onError = () => (stream === null ? setFailed(true) : onMissing());
  if (failed) return null;
  if (box === null || width === null || height === null)
    return <img src={pictureOf(hit, true)} alt="" loading="lazy" decoding="async" onError={onError} />;
  const isSmall = box.width < width * SMALL_PART;
  return (
    <svg class={`crop ${hueOf(keyOf(hit))}`} viewBox={viewBoxOf(box, { width, height })} aria-hidden="true">
      <image
        href={pictureOf(hit, !isSmall)}
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
