import type { z } from 'zod';
import type { similarPage } from '../../../http/schemas/search/similar.ts';
import { getBlob, send } from '../../kit/api.ts';
import { countText } from '../../kit/format.ts';
import { useGet, useLoaded } from '../../kit/load.ts';
import { Icon } from '../../kit/icons.tsx';
import { Problem, Shown } from '../../kit/parts.tsx';
import { hrefOf, type Route } from '../../kit/route.ts';
import { chosenIn, similarFilterOf, type Asked } from '../conditions.ts';
import { useCounts } from '../counts.ts';
import { ChosenFilters, SearchFacets } from '../filters.tsx';
import { HitGrid } from '../hit-grid.tsx';
import { HitTile } from '../hit.tsx';
import { TEXT } from '../../kit/text.ts';
import { chosenPicture, withUpload } from './chosen-picture.ts';
import { ComparedCrop } from './compared-crop.tsx';
import {
  canCompareCrops,
  cropIn,
  pictureOf,
  targetIn,
  useVectorModels,
  type Crop,
} from '../../kit/findings/similar-address.ts';
import { ModelChoice } from './model-choice.tsx';
import { LikeForm } from './like-form.tsx';
import type { MediaOfJob, Medium } from '../../kit/findings/types.ts';

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
      {target !== undefined && <Compared target={target} query={query} />}
    </>
  );
}

interface ComparedProps {
  readonly target: Target;
  readonly query: URLSearchParams;
}

/** The hits with their filters. All of them are in the address, so that it can be shared. */
function Compared({ target, query }: ComparedProps) {
  const chosen = chosenIn(query, ['alike']);
  const hrefFor = (filters: Asked) => hrefOf(['search', 'similar'], { ...targetIn(query), ...filters });
  const counts = useCounts(chosen);
  const models = useVectorModels();
  const filters = { chosen, hrefFor, isSimilar: true } as const;
  return (
    <>
      <ChosenFilters {...filters} />
      <div class="library">
        <SearchFacets {...filters} counts={counts.value} />
        <div class="content">
          <ModelChoice models={models.value?.models ?? []} {...{ query, chosen }} />
          <ToTarget
            target={target}
            narrowed={{ ...similarFilterOf(chosen), limit: LIMIT }}
            unfiltered={Object.keys(chosen).length > 0 ? hrefFor({}) : undefined}
            canCrop={canCompareCrops(models)}
          />
          {counts.error !== undefined && <Problem again={counts.again}>{counts.error.message}</Problem>}
        </div>
      </div>
    </>
  );
}

/** `body`: members of the request that name a track or a text. The model is absent if the server chooses it. */
type Target =
  | { readonly file: File; readonly model: string | undefined }
  | { readonly crop: Crop; readonly model: string | undefined }
  | { readonly body: object };

/** Returns undefined if nothing is chosen yet. */
function targetOf(query: URLSearchParams): Target | undefined {
  const words = query.get('words');
  const model = query.get('model') ?? undefined;
  if (words !== null) return { body: { text: words, model } };
  const [jobId, mediaId, trackId] = ['job', 'media', 'track'].map((name) => query.get(name));
  const crop = cropIn(query);
  // Another model than that of the track makes a vector of its picture.
  if (trackId != null && (model === undefined || crop === undefined))
    return { body: { jobId, mediaId: Number(mediaId), trackId } };
  if (crop !== undefined) return { crop, model };
  const file = chosenPicture(query.get('picture'));
  return file && { file, model };
}

interface Narrowed {
  /** Address without filters. Undefined if there are none. */
  readonly unfiltered: string | undefined;
  /** Members of the request that narrow the hits. */
  readonly narrowed: object;
  readonly canCrop: boolean;
}

function ToTarget({ target, ...rest }: Narrowed & { readonly target: Target }) {
  if ('crop' in target) return <ToCrop {...target} {...rest} />;
  if ('body' in target) return <Found {...rest} load={(ask) => ask(target.body)} />;
  const { file, model } = target;
  return (
    <>
      <p class="hint">
        {TEXT.search.comparedWith}: {file.name}
      </p>
      <Found
        {...rest}
        isSlow
        load={(ask, signal) => withUpload(file, signal, (mediaUri) => ask({ mediaUri, model }))}
      />
    </>
  );
}

interface CropProps extends Narrowed {
  readonly crop: Crop;
  readonly model: string | undefined;
}

function ToCrop({ crop, ...rest }: CropProps) {
  if (crop.isLive) return <ToUploadedCrop crop={crop} {...rest} />;
  return <ToCropOfMedium crop={crop} {...rest} />;
}

/** The medium of a crop is named by its URI, which its job knows. */
function ToCropOfMedium({ crop, model, ...rest }: CropProps) {
  const { jobId, mediaId, frame, box } = crop;
  const media = useGet<MediaOfJob>(`rest/jobs/${encodeURIComponent(jobId)}/media`, { mediaId });
  return (
    <Shown of={media}>
      {({ media: [medium] }) => {
        if (medium === undefined) return <Problem>{TEXT.viewer.theJobHasNoSuch}</Problem>;
        // A picture from a document has no URI that a job could use.
        if (medium.parentMediaId !== -1) return <ToUploadedCrop {...{ crop, model, medium, ...rest }} />;
        return (
          <>
            <ComparedCrop crop={crop} medium={medium} />
            <Found {...rest} isSlow load={(ask) => ask({ mediaUri: medium.uri, frame, box, model })} />
          </>
        );
      }}
    </Shown>
  );
}

/** The picture of a crop is loaded and uploaded. */
function ToUploadedCrop({ crop, model, medium, ...rest }: CropProps & { readonly medium?: Medium }) {
  const { box } = crop;
  return (
    <>
      <ComparedCrop crop={crop} medium={medium} />
      <Found
        {...rest}
        isSlow
        load={async (ask, signal) => {
          const file = new File([await getBlob(pictureOf(crop), signal)], 'crop.jpg', { type: 'image/jpeg' });
          return withUpload(file, signal, (mediaUri) => ask({ mediaUri, box, model }));
        }}
      />
    </>
  );
}

type Ask = (like: object) => Promise<Page>;

interface FoundProps extends Narrowed {
  readonly load: (ask: Ask, signal: AbortSignal) => Promise<Page>;
  /** True if a model must analyze a picture first. */
  readonly isSlow?: true;
}

function Found({ load, isSlow, narrowed, ...rest }: FoundProps) {
  const found = useLoaded((signal) => {
    const ask: Ask = (like) => send('POST', 'rest/search/similar', { ...like, ...narrowed }, {}, signal);
    return load(ask, signal);
  }, []);
  return (
    <>
      {isSlow && found.loading && (
        <p class="hint" role="status">
          {TEXT.search.theModelLooks}
        </p>
      )}
      <Shown of={found}>{(page) => <SimilarHits page={page} {...rest} />}</Shown>
    </>
  );
}

type HitsProps = Omit<Narrowed, 'narrowed'> & { readonly page: Page };

function SimilarHits({ page: { like, hits, model, searched, complete }, unfiltered, canCrop }: HitsProps) {
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
        {hits.length === 0 && unfiltered !== undefined && (
          <>
            {' '}
            {TEXT.search.useFewerFiltersOr} <a href={unfiltered}>{TEXT.search.clearAllFilters}</a>.
          </>
        )}
      </p>
      <HitGrid of={hits.map(({ similarity, ...hit }) => ({ hit, similarity }))} canCrop={canCrop} />
    </>
  );
}
