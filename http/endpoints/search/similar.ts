import type { z } from 'zod';
import type { AskedVector } from '../../../actors/search/picture-vectors.ts';
import type { NotSimilar, SimilarQuery } from '../../../actors/search/search.ts';
import type { JobGuard } from '../../users/job-step.ts';
import { json, ok, sentence } from '../../routing/declaration.ts';
import { HttpError, overloadError } from '../../routing/errors.ts';
import {
  duplicateGroups,
  duplicateQuery,
  similarPage,
  similarRequest,
  vectorModels,
} from '../../schemas/search/similar.ts';
import { endpoint } from '../../steps/endpoint.ts';
import { likePicture, type PictureDeps } from './like-picture.ts';
import { conditionsOf, HIT, SEARCH_IS_OFF, seenTracks, shownHits, type SearchDeps } from './search.ts';

const COMMON = { tag: 'Search', caller: 'USER', jobs: 'LIST' } as const;
const MODEL = 'clip-image@3b1f4c9bd8a2';
const PICTURE = { ...HIT, type: 'CLASS', vectorModel: MODEL, snippet: { text: '', marks: [] }, score: 1 };

/** Tracks and pictures that look alike (not in the specification). */
export const similarEndpoints = [
  endpoint({
    ...COMMON,
    method: 'post',
    path: '/rest/search/similar',
    id: 'searchSimilar',
    summary: 'Find tracks similar to a track, vector, picture or words',
    description:
      'Compares the vectors (FEATURE) that one model made of tracks. Name a track by `jobId`, `mediaId` and `trackId`, or send a `vector` with its `model`. For a picture (`mediaUri`), a job makes the vector first, as the job with the newest vectors did. Words (`text`) need a model with a text half (TEXT_MODEL_NAME).',
    body: {
      schema: similarRequest,
      example: { jobId: 'host-12', mediaId: 31, trackId: HIT.trackId, filter: { type: 'CLASS' }, limit: 20 },
    },
    answers: {
      200: json('Similar tracks.', similarPage, {
        model: MODEL,
        like: PICTURE,
        hits: [{ ...PICTURE, similarity: 0.93 }],
        searched: 1,
        complete: true,
      }),
      400: sentence('The body or the vector is wrong.'),
      404: sentence('There is no such job, track or model in the search.'),
      409: sentence('The track has no vector, or the model made none of the picture or the words.'),
      501: sentence('The search is switched off.'),
    },
    async handle({ body, ctx }, deps: PictureDeps) {
      const { indexer, people, jobAccess } = deps;
      if (indexer === undefined) throw new HttpError('search-disabled', SEARCH_IS_OFF);
      const { filter = {}, minSimilarity, limit } = body;
      const made = vectorToMake(body);
      const picture = made === undefined ? undefined : await likePicture(made, ctx, deps);
      const asked = { ...body, ...picture };
      const query = { ...conditionsOf(filter), minSimilarity, limit, like: likeOf(asked) };
      const sight = jobAccess.sight(ctx);
      const seen = await seenTracks(filter, sight, people);
      const found = await indexer.similar({ ...query, ...seen });
      if ('busy' in found) throw overloadError(found.busy);
      if ('refusal' in found) throw refusalOf(found, asked);
      const { model, like, hits, searched, complete } = found;
      const forgotten = await people.findForgotten(
        [...hits, ...(like ? [like] : [])].map((hit) => hit.trackId),
      );
      if (like && forgotten.has(like.trackId)) throw refusalOf({ refusal: 'NO_VECTOR', complete }, asked);
      const others = hits.filter(
        ({ jobId, trackId }) => jobId !== picture?.madeBy && !forgotten.has(trackId),
      );
      const shown = await shownHits(others, sight, people);
      const [shownLike = null] = await shownHits(like === null ? [] : [like], sight, people);
      return ok({ model, like: shownLike, hits: shown, searched, complete });
    },
  }),
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/search/models',
    id: 'listVectorModels',
    summary: 'List the models that can search by a picture',
    description:
      'Models with vectors of tracks that you may see. `POST /rest/search/similar` can make a vector of another picture (`mediaUri`) with each of them.',
    answers: {
      200: json('The models.', vectorModels, {
        models: [{ model: MODEL, algorithm: 'ONNX' }],
        complete: true,
      }),
      501: sentence('The search is switched off.'),
    },
    async handle({ ctx }, { pictureVectors, jobAccess }: PictureDeps) {
      if (pictureVectors === undefined) throw new HttpError('search-disabled', SEARCH_IS_OFF);
      const found = await pictureVectors.models(jobAccess.sight(ctx));
      if ('busy' in found) throw overloadError(found.busy);
      return ok({ models: [...found.models], complete: found.complete });
    },
  }),
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/search/duplicates',
    id: 'searchDuplicates',
    summary: 'Find pictures that are near duplicates',
    description:
      'Groups pictures and videos of different media whose PERCEPTUAL_HASH differs in at most 7 of 64 bits. IMAGE PROPERTIES measures it; of a video, one frame counts. At most the newest 20,000 are compared.',
    query: duplicateQuery,
    answers: {
      200: json('Groups of pictures.', duplicateGroups, {
        groups: [
          {
            hits: [
              { ...PICTURE, vectorModel: null, distance: 0 },
              { ...PICTURE, vectorModel: null, jobId: 'host-11', mediaId: 30, distance: 3 },
            ],
          },
        ],
        isPart: false,
        complete: true,
      }),
      400: sentence('A part of the query is wrong.'),
      501: sentence('The search is switched off.'),
    },
    says: { query: (problems) => `The query has errors in the following fields:\n${problems}` },
    async handle({ query, ctx }, { indexer, people, jobAccess }: SearchDeps & JobGuard) {
      if (indexer === undefined) throw new HttpError('search-disabled', SEARCH_IS_OFF);
      const { limit, ...conditions } = query;
      const sight = jobAccess.sight(ctx);
      const found = await indexer.duplicates({ ...conditionsOf(conditions), limit, sight });
      if ('busy' in found) throw overloadError(found.busy);
      const groups = await Promise.all(
        found.groups.map(async (group) => ({ hits: await shownHits(group, sight, people) })),
      );
      return ok({ groups, isPart: found.isPart, complete: found.complete });
    },
  }),
];

type Asked = z.output<typeof similarRequest>;

/** Returns the input for a new vector. Returns undefined if the vector or the track is given. */
function vectorToMake({ text, mediaUri, box, frame = 0, model }: Asked): AskedVector | undefined {
  if (text !== undefined) return { words: text, model };
  return mediaUri === undefined ? undefined : { mediaUri, box, frame, model };
}

type LikeNamed = Pick<Asked, 'jobId' | 'mediaId' | 'trackId' | 'model'> & {
  readonly vector?: readonly number[] | string | undefined;
};

/** Returns the track or the vector to compare with. The schema ensures that one of them is given. */
function likeOf({ jobId: job, mediaId, trackId, vector, model }: LikeNamed): SimilarQuery['like'] {
  if (vector !== undefined && model !== undefined) return { vector, model };
  return { job: job!, mediaId: mediaId!, trackId: trackId! };
}

function refusalOf(refused: NotSimilar, { mediaId, trackId, vector = [], model = '' }: LikeNamed): HttpError {
  const yet = refused.complete ? '' : ' The index does not have all documents yet.';
  switch (refused.refusal) {
    case 'NO_JOB':
      return new HttpError(
        'job-not-found',
        `The search has no such job. It contains jobs that have ended.${yet}`,
      );
    case 'NO_TRACK':
      return new HttpError(
        'track-not-found',
        `Medium ${mediaId} of the job has no track "${trackId}". Take both ids from a hit of GET /rest/search.`,
      );
    case 'NO_VECTOR':
      return new HttpError(
        'track-without-vector',
        `Track "${trackId}" has no vector (FEATURE). Run a model that makes vectors on the medium.`,
      );
    case 'NO_MODEL':
      return new HttpError('vectors-not-found', `The search has no vectors of the model "${model}".${yet}`);
    case 'WRONG_VECTOR':
      return new HttpError('vector-invalid', `The vector cannot be compared: ${refused.why}.`);
    case 'DIMENSION':
      return new HttpError(
        'vector-dimension',
        `The vector has ${numbersOf(vector)} numbers, but those of the model "${model}" have ${refused.dimensions.join(' or ')}.`,
      );
  }
}

const FLOAT_BYTES = 4;
const numbersOf = (vector: NonNullable<LikeNamed['vector']>): number =>
  typeof vector === 'string' ? Buffer.from(vector, 'base64').length / FLOAT_BYTES : vector.length;
