import type { z } from 'zod';
import type { similarPage } from '../../http/schemas/search/similar.ts';
import { send } from '../kit/api.ts';
import { countText } from '../kit/format.ts';
import { useLoaded } from '../kit/load.ts';
import { Shown } from '../kit/parts.tsx';
import type { Route } from '../kit/route.ts';
import { HitTile } from './hit.tsx';

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
      <h1>Similar findings</h1>
      <Shown of={found}>{(page) => <SimilarHits page={page} />}</Shown>
    </>
  );
}

function SimilarHits({ page: { like, hits, model, searched, complete } }: { readonly page: Page }) {
  return (
    <>
      {like !== null && (
        <ul class="hits grid like" aria-label="Compared with">
          <li>
            <HitTile hit={{ ...like, vectorModel: null }} />
          </li>
        </ul>
      )}
      {!complete && <p class="hint">The index is being built and does not have all documents yet.</p>}
      {searched < 1 && (
        <p class="hint">
          The index of vectors is being built. {Math.floor(searched * 100)} % of the vectors were compared.
        </p>
      )}
      <p class="hint" role="status">
        {hits.length === 0
          ? `No other track has a vector of the model ${model}.`
          : `${countText(hits.length, 'finding')}, the most similar first. Model: ${model}`}
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
