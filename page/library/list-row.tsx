import { dateText, fileName } from '../kit/format.ts';
import { hrefOf } from '../kit/route.ts';
import { TEXT } from '../kit/text.ts';
import { MEDIA_KIND, withPeople } from './labels.ts';
import { Chips, lengthOf, MediumPicture, noneText } from './tile.tsx';
import type { LibraryMedium } from './types.ts';

/** Chips of a row; the others are counted. */
const CHIPS = 4;

interface RowProps {
  readonly medium: LibraryMedium;
  /** Its job is. */
  readonly isChosen: boolean;
  readonly toggle: () => void;
}

/** A medium in one line, whose job can be chosen. */
export function ListRow({ medium, isChosen, toggle }: RowProps) {
  const { jobId, mediaId, mediaUri, mediaType, jobEndDate } = medium;
  const name = fileName(mediaUri);
  return (
    <div class={isChosen ? 'list-line chosen-row' : 'list-line'}>
      <input
        type="checkbox"
        checked={isChosen}
        aria-label={TEXT.library.selectJobOf(name)}
        onChange={toggle}
      />
      <a class="list-row" href={hrefOf(['jobs', jobId, 'media', mediaId])} title={mediaUri}>
        <span class="thumbnail">
          <MediumPicture medium={medium} />
        </span>
        <span class="name">{name}</span>
        <Chips of={withPeople(medium)} most={CHIPS} none={noneText(medium)} />
        <span class="length">{lengthOf(medium) ?? MEDIA_KIND[mediaType]}</span>
        <time dateTime={jobEndDate}>{dateText(jobEndDate)}</time>
      </a>
    </div>
  );
}
