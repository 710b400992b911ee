import { dateText, fileName } from '../kit/format.ts';
import { hrefOf } from '../kit/route.ts';
import { MEDIA_KIND, withPeople } from './labels.ts';
import { Chips, lengthOf, MediumPicture, noneText } from './tile.tsx';
import type { LibraryMedium } from './types.ts';

/** Maximum number of chips in a row. The others are only counted. */
const CHIPS = 4;

/** One medium as a line. */
export function ListRow({ medium }: { readonly medium: LibraryMedium }) {
  const { jobId, mediaId, mediaUri, mediaType, jobEndDate } = medium;
  const name = fileName(mediaUri);
  return (
    <a class="list-row" href={hrefOf(['jobs', jobId, 'media', mediaId])} title={mediaUri}>
      <span class="thumbnail">
        <MediumPicture medium={medium} />
      </span>
      <span class="name">{name}</span>
      <Chips of={withPeople(medium)} most={CHIPS} none={noneText(medium)} />
      <span class="length">{lengthOf(medium) ?? MEDIA_KIND[mediaType]}</span>
      <time dateTime={jobEndDate}>{dateText(jobEndDate)}</time>
    </a>
  );
}
