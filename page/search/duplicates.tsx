import type { z } from 'zod';
import type { duplicateGroups } from '../../http/schemas/search/similar.ts';
import { countText } from '../kit/format.ts';
import { Icon } from '../kit/icons.tsx';
import { useGet } from '../kit/load.ts';
import { Shown } from '../kit/parts.tsx';
import { hrefOf } from '../kit/route.ts';
import { TEXT } from '../kit/text.ts';
import { HitTile } from './hit.tsx';

type Groups = z.output<typeof duplicateGroups>;
type Duplicate = Groups['groups'][number]['hits'][number];

const LIMIT = 100;
/** The pipeline that measures the hashes. */
const PIPELINE = 'IMAGE PROPERTIES DETECTION PIPELINE';

/** Groups of pictures that are almost equal. */
export function Duplicates() {
  const found = useGet<Groups>('rest/search/duplicates', { limit: LIMIT });
  return (
    <>
      <header class="bar">
        <div>
          <a class="up" href={hrefOf(['search'])}>
            <Icon name="back" size={16} /> {TEXT.common.search}
          </a>
          <h1>{TEXT.search.nearDuplicates}</h1>
        </div>
      </header>
      <Shown of={found}>{(answer) => <GroupList of={answer} />}</Shown>
    </>
  );
}

function GroupList({ of: { groups, isPart, complete } }: { readonly of: Groups }) {
  return (
    <>
      {!complete && <p class="hint">{TEXT.search.theIndexIsBeingBuilt}</p>}
      {isPart && <p class="hint">{TEXT.search.onlyTheNewestPictures}</p>}
      {groups.length === 0 ? (
        <NoDuplicates />
      ) : (
        <p class="hint" role="status">
          {countText(groups.length, TEXT.search.group)}
        </p>
      )}
      {groups.map(({ hits }) => (
        <Group key={keyOf(hits[0]!)} hits={hits} />
      ))}
    </>
  );
}

const keyOf = ({ jobId, mediaId, trackId }: Duplicate) => `${jobId} ${mediaId} ${trackId}`;

function Group({ hits }: { readonly hits: readonly Duplicate[] }) {
  const title = countText(hits.length, TEXT.search.picture);
  return (
    <section class="duplicates">
      <h2>{title}</h2>
      <ul class="hits grid">
        {hits.map((hit, n) => (
          <li key={keyOf(hit)} class="item">
            <HitTile hit={hit} />
            {n > 0 && (
              <small class="hint">
                {hit.distance === 0 ? TEXT.search.looksTheSame : TEXT.search.percentAlike(likeness(hit))}
              </small>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Bits of a hash. */
const BITS = 64;
/** Percent of the bits that the hash has in common with that of the first picture. */
const likeness = ({ distance }: Duplicate) => Math.round(100 * (1 - distance / BITS));

function NoDuplicates() {
  return (
    <div class="empty">
      <h2>{TEXT.search.noPicturesAreAlike}</h2>
      <p class="hint">{TEXT.search.howToFindDuplicates}</p>
      <a class="button" href={hrefOf(['new'], { pipeline: PIPELINE })}>
        {TEXT.search.measure}
      </a>
    </div>
  );
}
