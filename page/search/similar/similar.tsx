import type { z } from 'zod';
import type { similarPage } from '../../../http/schemas/search/similar.ts';
import { send } from '../../kit/api.ts';
import { countText } from '../../kit/format.ts';
import { useGet, useLoaded } from '../../kit/load.ts';
import { Icon } from '../../kit/icons.tsx';
import { Problem, Shown } from '../../kit/parts.tsx';
import { hrefOf, type Route } from '../../kit/route.ts';
import { HitGrid } from '../hit-grid.tsx';
import { HitTile } from '../hit.tsx';
import { TEXT } from '../../kit/text.ts';
import { chosenPicture, withUpload } from './chosen-picture.ts';
import { ComparedCrop } from './compared-crop.tsx';
import { canCompareCrops, cropIn, useVectorModels, type Crop } from './like.ts';
import { LikeForm } from './like-form.tsx';
import type { MediaOfJob } from '../../viewer/types.ts';

type Page = z.output<typeof similarPage>;

const LIMIT = 60;

/** The tracks of all jobs that are most similar to a track, a part of a picture, a picture or a text. */
export function Similar({ route: { query } }: { readonly route: Route }) {
  const words = query.get('words');
  const target = targetOf(query);
  const isPart = query.has('track') || query.has('box');
  return (
    <>
      <header class="bar">
        <div>
          <a class="up" href={hrefOf(['search'])}>
            <Icon name="back" size={16} /> {TEXT.common.search}
          </a>
          <h1>{isPart ? TEXT.search.similarFindings : TEXT.search.searchByPicture}</h1>
        </div>
      </header>
      {!isPart && <LikeForm words={words} />}
      {target !== undefined && <ToTarget target={target} key={query.toString()} />}
    </>
  );
}

/** `body`: members of the request that name a track or a text. */
type Target = { readonly file: File } | { readonly crop: Crop } | { readonly body: object };

/** Returns undefined if nothing is chosen yet. */
function targetOf(query: URLSearchParams): Target | undefined {
  const words = query.get('words');
  if (words !== null) return { body: { text: words } };
  const [jobId, mediaId, trackId] = ['job', 'media', 'track'].map((name) => query.get(name));
  if (trackId != null) return { body: { jobId, mediaId: Number(mediaId), trackId } };
  const crop = cropIn(query);
  if (crop !== undefined) return { crop };
  const file = chosenPicture(query.get('picture'));
  return file && { file };
}

function ToTarget({ target }: { readonly target: Target }) {
  if ('crop' in target) return <ToCrop crop={target.crop} />;
  if ('body' in target) return <Found load={(ask) => ask(target.body)} />;
  const { file } = target;
  return (
    <>
      <p class="hint">
        {TEXT.search.comparedWith}: {file.name}
      </p>
      <Found isSlow load={(ask, signal) => withUpload(file, signal, (mediaUri) => ask({ mediaUri }))} />
    </>
  );
}

/** The medium of a crop is named by its URI, which its job knows. */
function ToCrop({ crop }: { readonly crop: Crop }) {
  const { jobId, mediaId, frame, box } = crop;
  const media = useGet<MediaOfJob>(`rest/jobs/${encodeURIComponent(jobId)}/media`, { mediaId });
  return (
    <Shown of={media}>
      {({ media: [medium] }) =>
        medium === undefined ? (
          <Problem>{TEXT.viewer.theJobHasNoSuch}</Problem>
        ) : (
          <>
            <ComparedCrop crop={crop} medium={medium} />
            <Found isSlow load={(ask) => ask({ mediaUri: medium.uri, frame, box })} />
          </>
        )
      }
    </Shown>
  );
}

type Ask = (like: object) => Promise<Page>;

interface FoundProps {
  readonly load: (ask: Ask, signal: AbortSignal) => Promise<Page>;
  /** True if a model must analyze a picture first. */
  readonly isSlow?: true;
}

function Found({ load, isSlow }: FoundProps) {
  const found = useLoaded((signal) => {
    const body = { filter: { distinct: true }, limit: LIMIT };
    const ask: Ask = (like) => send('POST', 'rest/search/similar', { ...like, ...body }, {}, signal);
    return load(ask, signal);
  }, []);
  const canCrop = canCompareCrops(useVectorModels());
  return (
    <>
      {isSlow && found.loading && (
        <p class="hint" role="status">
          {TEXT.search.theModelLooks}
        </p>
      )}
      <Shown of={found}>{(page) => <SimilarHits page={page} canCrop={canCrop} />}</Shown>
    </>
  );
}

interface HitsProps {
  readonly page: Page;
  readonly canCrop: boolean;
}

function SimilarHits({ page: { like, hits, model, searched, complete }, canCrop }: HitsProps) {
  return (
    <>
      {like !== null && (
        <ul class="hits grid like" aria-label={TEXT.search.comparedWith}>
          <li>
            <HitTile hit={like} />
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
      <HitGrid of={hits.map(({ similarity, ...hit }) => ({ hit, similarity }))} canCrop={canCrop} />
    </>
  );
}
