import type { z } from 'zod';
import type { similarPage } from '../../http/schemas/search/similar.ts';
import { send } from '../kit/api.ts';
import { countText } from '../kit/format.ts';
import { useLoaded } from '../kit/load.ts';
import { Shown } from '../kit/parts.tsx';
import type { Route } from '../kit/route.ts';
import { HitTile } from './hit.tsx';
import { TEXT } from '../kit/text.ts';

type Page = z.output<typeof similarPage>;

const LIMIT = 60;

/** The tracks that look most like one, over all jobs. */
export function Similar({ route: { query } }: { readonly route: Route }) {
  const track = { jobId: query.get('job'), mediaId: Number(query.get('media')), trackId: query.get('track') };
  const found = useLoaded(
    () => send<Page>('POST', 'rest/search/similar', { ...track, filter: { distinct: true }, limit: LIMIT }),
    [JSON.stringify(track)],
  );
  return (
    <>
      <h1>{TEXT.search.similarFindings}</h1>
      <Shown of={found}>{(page) => <SimilarHits page={page} />}</Shown>
    </>
  );
}

function SimilarHits({ page: { like, hits, model, searched, complete } }: { readonly page: Page }) {
  return (
    <>
      {like !== null && (
        <ul class="hits grid like" aria-label={TEXT.search.comparedWith}>
          <li>
            <HitTile hit={{ ...like, vectorModel: null }} />
          </li>
        </ul>
      )}
      {!complete && <p class="hint">{TEXT.search.theIndexIsBeingBuilt}</p>}
      {searched < 1 && <p class="hint">{TEXT.search.theIndexOfVectorsIs(Math.floor(searched * 100))}</p>}
      <p class="hint" role="status">
        {hits.length === 0
          ? TEXT.search.noOtherTrackHasA(model)
          : TEXT.search.theMostSimilarFirstModel(countText(hits.length, TEXT.common.finding), model)}
      </p>
      <ul class="hits grid">
        {hits.map(({ similarity, ...hit }) => (
          <li key={`${hit.jobId} ${hit.mediaId} ${hit.trackId}`}>
            <HitTile hit={hit} similarity={similarity} />
          </li>
        ))}
      </ul>
    </>
  );
}
