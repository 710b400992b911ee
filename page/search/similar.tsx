import type { z } from 'zod';
import type { similarPage } from '../../http/schemas/search/similar.ts';
import { send } from '../kit/api.ts';
import { countText } from '../kit/format.ts';
import { useLoaded } from '../kit/load.ts';
import { Icon } from '../kit/icons.tsx';
import { Shown } from '../kit/parts.tsx';
import { hrefOf, type Route } from '../kit/route.ts';
import { HitGrid } from './hit-grid.tsx';
import { HitTile } from './hit.tsx';
import { TEXT } from '../kit/text.ts';
import { chosenPicture, withUpload } from './chosen-picture.ts';
import { LikeForm } from './like-form.tsx';

type Page = z.output<typeof similarPage>;

const LIMIT = 60;

/** The tracks of all jobs that are most similar to a track, a picture or a text. */
export function Similar({ route: { query } }: { readonly route: Route }) {
  const words = query.get('words');
  const target = targetOf(query);
  return (
    <>
      <header class="bar">
        <div>
          <a class="up" href={hrefOf(['search'])}>
            <Icon name="back" size={16} /> {TEXT.common.search}
          </a>
          <h1>{query.has('track') ? TEXT.search.similarFindings : TEXT.search.searchByPicture}</h1>
        </div>
      </header>
      {!query.has('track') && <LikeForm words={words} />}
      {target instanceof File && (
        <p class="hint">
          {TEXT.search.comparedWith}: {target.name}
        </p>
      )}
      {target !== undefined && <Found target={target} key={query.toString()} />}
    </>
  );
}

/** A picture, or the members of the request body. Undefined if nothing is chosen yet. */
type Target = File | object;

function targetOf(query: URLSearchParams): Target | undefined {
  const words = query.get('words');
  if (words !== null) return { text: words };
  if (query.has('track'))
    return { jobId: query.get('job'), mediaId: Number(query.get('media')), trackId: query.get('track') };
  return chosenPicture(query.get('picture'));
}

function Found({ target }: { readonly target: Target }) {
  const found = useLoaded((signal) => {
    const ask = (like: object) =>
      send<Page>(
        'POST',
        'rest/search/similar',
        { ...like, filter: { distinct: true }, limit: LIMIT },
        {},
        signal,
      );
    return target instanceof File ? withUpload(target, signal, (mediaUri) => ask({ mediaUri })) : ask(target);
  }, []);
  return <Shown of={found}>{(page) => <SimilarHits page={page} />}</Shown>;
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
      {searched < 1 && <p class="hint">{TEXT.search.onlyPartWasCompared(Math.floor(searched * 100))}</p>}
      <p class="hint" role="status" title={model}>
        {hits.length === 0
          ? TEXT.search.nothingIsSimilar
          : TEXT.search.theMostSimilarFirst(countText(hits.length, TEXT.common.finding))}
      </p>
      <HitGrid of={hits.map(({ similarity, ...hit }) => ({ hit, similarity }))} />
    </>
  );
}
