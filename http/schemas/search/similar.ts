import { z } from 'zod';
import { wholeNumber } from '../common.ts';
import { jobIdParam } from '../jobs/batch-jobs.ts';
import { conditions, searchHit } from './search.ts';

/** Query and answer of the search for similar tracks and pictures (not in the specification). */
const MAX_HITS = 500;
const MAX_NAME = 1_000;
/** One more than the maximum length of a vector, so that a longer vector is refused with its own error code. */
const MAX_NUMBERS = 4_097;
const MAX_BASE64 = 21_852;

const MAX_URI = 8_192;
const MAX_TEXT = 500;
const OF_LIKE = [
  'jobId',
  'mediaId',
  'trackId',
  'vector',
  'model',
  'mediaUri',
  'box',
  'frame',
  'text',
] as const;
type OfLike = (typeof OF_LIKE)[number];
/** Combinations of members that select the track, picture or text to compare with. */
const FORMS: readonly { readonly all: readonly OfLike[]; readonly maybe: readonly OfLike[] }[] = [
  { all: ['jobId', 'mediaId', 'trackId'], maybe: [] },
  { all: ['vector', 'model'], maybe: [] },
  { all: ['mediaUri'], maybe: ['box', 'frame', 'model'] },
  { all: ['text'], maybe: ['model'] },
];
const pixels = (least: number) =>
  z
    .int()
    .min(least)
    .max(2 ** 31);

const filter = z
  .strictObject({
    ...conditions,
    minConfidence: z.number().min(0).max(1).optional().describe('Only tracks with at least this confidence'),
    distinct: z.boolean().optional().describe('true: only the newest of tracks that several jobs found'),
  })
  .describe('As the parameters of GET /rest/search');

export const similarRequest = z
  .strictObject({
    jobId: jobIdParam.optional().describe('Job of the track to which hits must be similar'),
    mediaId: z.int().optional().describe('Medium of the track'),
    trackId: z.string().min(1).max(MAX_NAME).optional().describe('Id of the track'),
    vector: z
      .union([z.array(z.number()).max(MAX_NUMBERS), z.string().max(MAX_BASE64)], {
        error: 'must be a list of numbers, or base64 of floats of 32 bits as in FEATURE',
      })
      .optional()
      .describe('Instead of a track: a vector, as numbers or as FEATURE has it'),
    model: z
      .string()
      .min(1)
      .max(MAX_NAME)
      .optional()
      .describe(
        'The model that made the vector, as vectorModel of a hit. With mediaUri or text: the model to use; absent: the one of the newest vectors',
      ),
    mediaUri: z
      .string()
      .min(1)
      .max(MAX_URI)
      .optional()
      .describe(
        'Instead of a track: a picture or video that a job could use, such as an upload. A temporary job makes its vector',
      ),
    box: z
      .strictObject({
        x: pixels(0).describe('Pixels from the left edge'),
        y: pixels(0).describe('Pixels from the upper edge'),
        width: pixels(1).describe('Pixels from the left to the right side'),
        height: pixels(1).describe('Pixels from the upper to the lower side'),
      })
      .optional()
      .describe('With mediaUri: only this part of the picture as a viewer shows it'),
    frame: z
      .int()
      .min(0)
      .max(2 ** 31)
      .optional()
      .describe('With mediaUri: the frame of a video, from 0'),
    text: z
      .string()
      .trim()
      .min(1)
      .max(MAX_TEXT)
      .optional()
      .describe(
        'Instead of a track: words that pictures may show. The text half of the model (TEXT_MODEL_NAME) makes their vector',
      ),
    filter: filter.optional(),
    minSimilarity: z.number().min(-1).max(1).optional().describe('Minimum similarity, from -1 to 1'),
    limit: z.int().min(1).max(MAX_HITS).default(50).describe('Maximum number of hits'),
  })
  .superRefine((given, { addIssue }) => {
    const said = OF_LIKE.filter((name) => given[name] !== undefined);
    const isOne = FORMS.some(
      ({ all, maybe }) =>
        all.every((name) => said.includes(name)) && said.every((name) => [...all, ...maybe].includes(name)),
    );
    if (!isOne)
      addIssue({
        code: 'custom',
        message: 'must have jobId, mediaId and trackId, or vector and model, or mediaUri, or text',
      });
  })
  .meta({
    id: 'SimilarRequest',
    description: 'A track, a vector, a picture or words, and which tracks are compared with it',
  });

export const similarPage = z
  .object({
    model: z.string().describe('Model whose vectors were compared'),
    like: searchHit
      .nullable()
      .describe('The track that hits are similar to; null: a vector, a picture or words were given'),
    hits: z
      .array(
        searchHit.extend({
          similarity: z
            .number()
            .describe('Cosine of the angle between the vectors, from -1 to 1; 1: the same direction'),
        }),
      )
      .describe('The most similar first; the track itself is left out'),
    searched: z
      .number()
      .min(0)
      .max(1)
      .describe('Part of the vectors that were compared; below 1, the index of vectors is being built'),
    complete: z.boolean().describe('false: the search does not have all documents yet'),
  })
  .meta({ id: 'SimilarPage', description: 'Similar tracks' });

export const vectorModels = z
  .object({
    models: z
      .array(
        z.object({
          model: z.string().describe('As vectorModel of a hit'),
          algorithm: z.string().describe('Algorithm of its tracks; words need ONNX'),
        }),
      )
      .describe('The one of the newest vectors first; it is used if a request names no model'),
    complete: z.boolean().describe('false: the search does not have all documents yet'),
  })
  .meta({ id: 'VectorModels', description: 'Models that can make vectors of other pictures' });

const { text, anything, class: name, type, from, to, job, colour, minConfidence, medium } = conditions;
export const duplicateQuery = z.strictObject({
  ...{ text, anything, class: name, type, from, to, job, colour, minConfidence, medium },
  limit: wholeNumber(1, MAX_HITS).default(50).describe('Maximum number of groups'),
});

export const duplicateGroups = z
  .object({
    groups: z
      .array(
        z.object({
          hits: z
            .array(
              searchHit.extend({
                distance: z
                  .int()
                  .min(0)
                  .max(64)
                  .describe('Bits of PERCEPTUAL_HASH that differ from the first picture of the group'),
              }),
            )
            .describe('Pictures of different media that look alike, at most 100, the newest first'),
        }),
      )
      .describe('The one with the newest picture first'),
    isPart: z.boolean().describe('true: there are more pictures than were compared'),
    complete: z.boolean().describe('false: the search does not have all documents yet'),
  })
  .meta({ id: 'DuplicateGroups', description: 'Near duplicates of pictures' });
