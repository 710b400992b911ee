import type { z } from 'zod';
import type { searchPage } from '../../http/schemas/search/search.ts';
import { get } from '../kit/api.ts';
import { countText } from '../kit/format.ts';
import { Icon } from '../kit/icons.tsx';
import { useLoaded } from '../kit/load.ts';
import { Problem, Shown } from '../kit/parts.tsx';
import { go, hrefOf, type Route } from '../kit/route.ts';
import { askedOf, chosenIn, type Asked } from './conditions.ts';
import { useCounts, type Counts } from './counts.ts';
import { ChosenFilters, SearchFacets } from './filters.tsx';
import { dropPicture } from './similar/like-form.tsx';
import { HitGrid } from './hit-grid.tsx';
import { canCompareCrops, useVectorModels } from '../kit/findings/similar-address.ts';
import { Saved } from './saved-searches.tsx';
import { TEXT } from '../kit/text.ts';

type Page = z.output<typeof searchPage>;

const LIMIT = 48;

const hrefFor = (chosen: Asked) => hrefOf(['search'], chosen);

/** The search in the results of all jobs: one field for texts, names and colours, with filters beside it. */
export function Search({ route: { query } }: { readonly route: Route }) {
  const chosen = chosenIn(query, ['sort']);
  const asked = askedOf(chosen);
  const cursor = query.get('cursor') ?? undefined;
  const page = useLoaded(
    (signal) => get<Page>('rest/search', { ...asked, sort: chosen['sort'], cursor, limit: LIMIT }, signal),
    [JSON.stringify(asked), chosen['sort'], cursor],
  );
  const counts = useCounts(chosen);
  const canCrop = canCompareCrops(useVectorModels());
  return (
    <>
      <h1 class="unseen">{TEXT.common.search}</h1>
      <Field chosen={chosen} />
      <p class="chips offers">
        <a class="chip" href={hrefOf(['search', 'duplicates'])}>
          {TEXT.search.nearDuplicates}
        </a>
      </p>
      <ChosenFilters chosen={chosen} hrefFor={hrefFor} />
      <Saved chosen={chosen} />
      <div class="library">
        {counts.value === undefined ? (
          counts.error === undefined && <aside class="facets" aria-hidden="true" />
        ) : (
          <SearchFacets counts={counts.value} {...{ chosen, hrefFor }} />
        )}
        <div class="content">
          {counts.error !== undefined && page.error === undefined && (
            <Problem again={counts.again}>{counts.error.message}</Problem>
          )}
          <Shown of={page}>
            {(found) => <Hits page={found} {...{ chosen, canCrop }} counts={counts.value} />}
          </Shown>
        </div>
      </div>
    </>
  );
}

function Field({ chosen }: { readonly chosen: Asked }) {
  return (
    <form
      class="find large"
      role="search"
      aria-label={TEXT.common.search}
      onDrop={dropPicture}
      onSubmit={(event) => {
        event.preventDefault();
        const text = (new FormData(event.currentTarget).get('text') as string).trim();
        go(hrefOf(['search'], { ...chosen, text }));
      }}
    >
      <Icon name="search" />
      <input
        name="text"
        type="search"
        aria-label={TEXT.search.textThingOrColour}
        placeholder={TEXT.search.textThatWasReadOr}
        defaultValue={chosen['text'] ?? ''}
      />
      <a class="quiet-button" href={hrefOf(['search', 'similar'])} title={TEXT.search.searchByPicture}>
        <Icon name="image" />
        <span class="unseen">{TEXT.search.searchByPicture}</span>
      </a>
      <button type="submit" class="primary">
        {TEXT.common.search}
      </button>
    </form>
  );
}

function Hits({
  page: { hits, next, complete },
  counts,
  chosen,
  canCrop,
}: {
  readonly page: Page;
  readonly counts: Counts | undefined;
  readonly chosen: Asked;
  readonly canCrop: boolean;
}) {
  const isEmpty = hits.length === 0 && next === null;
  return (
    <>
      {!complete && <p class="hint">{TEXT.search.theIndexIsBeingBuilt}</p>}
      {isEmpty && <NothingFound chosen={chosen} />}
      {!isEmpty && counts !== undefined && (
        <p class="hint" role="status">
          {counts.isPart ? TEXT.search.moreThan : ''}
          {countText(counts.tracks, TEXT.common.finding)}
        </p>
      )}
      <HitGrid of={hits.map((hit) => ({ hit }))} canCrop={canCrop} />
      {next !== null && (
        <nav class="pages" aria-label={TEXT.common.pages}>
          <a href={hrefOf(['search'], { ...chosen, cursor: next })}>{TEXT.search.moreFindings}</a>
        </nav>
      )}
    </>
  );
}

function NothingFound({ chosen }: { readonly chosen: Asked }) {
  const isAsked = Object.keys(chosen).length > 0;
  return (
    <div class="empty">
      <h2>{isAsked ? TEXT.common.nothingWasFound : TEXT.search.thereIsNothingToSearch}</h2>
      <p class="hint">
        {isAsked ? (
          <>
            {TEXT.search.checkTheSpellingUseFewer}{' '}
            <a href={hrefOf(['search'])}>{TEXT.search.clearAllFilters}</a>.
          </>
        ) : (
          <a href={hrefOf(['new'])}>{TEXT.search.startAnAnalysis}</a>
        )}
      </p>
    </div>
  );
}
