import { z } from 'zod';
import { PAGE_KINDS } from '../../../domain/job/document-page.ts';
import { COLOURS } from '../../../domain/text/colours.ts';
import { phrasesOf, searchTerms } from '../../../domain/text/words.ts';
import { CURSOR } from './search-cursor.ts';
import { jobId, jobIdParam } from '../jobs/batch-jobs.ts';
import { queryTimestamp, timestamp, trueOrFalse, wholeNumber } from '../common.ts';
import { personId } from './people.ts';
import { seenInStream } from './seen-in-stream.ts';

/** Query and answer of the search over the results of jobs (not in the specification). */
const MAX_TEXT = 500;
/** Maximum number of words, phrases and word prefixes in a search text. */
const MAX_TERMS = 50;

const searchText = z
  .string()
  .max(MAX_TEXT)
  .refine((text) => searchTerms(text).length > 0, {
    error: 'must have a word: letters or digits, besides operators such as OR, * and quotes',
  })
  .refine((text) => phrasesOf(searchTerms(text)).length <= MAX_TERMS, {
    error: `must have at most ${MAX_TERMS} words and phrases`,
  });
const name = z.string().trim().min(1, { error: 'must not be blank' }).max(1_000);

export const conditions = {
  text: searchText.optional().describe('Words of a text, "several in a row", beginnings*, one OR another'),
  anything: searchText.optional().describe('Words of a text, or names of classes, types or colours'),
  class: name.optional().describe('Only tracks of this class (CLASSIFICATION), such as car'),
  type: name.optional().describe('Only tracks of this type, such as TEXT'),
  from: queryTimestamp.optional().describe('Only jobs that ended, and streams seen, then or later'),
  to: queryTimestamp.optional().describe('Only jobs that ended, and streams seen, before it'),
  job: jobIdParam.optional().describe('Only this job'),
  colour: z.enum(COLOURS).optional().describe('Only tracks of this colour (DOMINANT_COLOR)'),
  minConfidence: z.coerce
    .number({ error: 'must be a number from 0 to 1' })
    .min(0)
    .max(1)
    .optional()
    .describe('Only tracks with at least this confidence'),
  medium: name.optional().describe('Only media with this in their URI'),
  camera: name.optional().meta({
    description: 'Only live streams with this job id or, if not a number, this in their URI',
    examples: ['yard'],
  }),
  person: name.optional().meta({
    description: 'Only face tracks of this person, by id or name',
    examples: ['Anna'],
  }),
  distinct: trueOrFalse.optional().describe('true: only the newest of tracks that several jobs found'),
};

/** Maximum number of times in one request for counts. */
const MAX_SINCE = 10;

export const searchCountQuery = z.strictObject({
  ...conditions,
  since: z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat().flatMap((text) => text.split(',')))
    .pipe(z.array(queryTimestamp).max(MAX_SINCE))
    .optional()
    .describe(`At most ${MAX_SINCE} times with commas between: how many hits each has as from`)
    .meta({ examples: [['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']] }),
});
export const searchQuery = z.strictObject({
  ...conditions,
  sort: z
    .enum(['newest', 'oldest', 'best'])
    .default('newest')
    .describe(
      'newest or oldest: by the time of indexing. best: of the newest 20,000 hits those first that match most of the query',
    ),
  limit: wholeNumber(1, 500).default(50).describe('Maximum number of hits on a page'),
  cursor: z
    .string()
    .regex(CURSOR, { error: 'must be the value of next from the previous page' })
    .optional()
    .meta({ description: 'Value of next from the previous page', examples: ['812'] }),
});

const mark = z.object({
  start: z.int().min(0).describe('The first code unit of the match'),
  end: z.int().min(0).describe('The code unit after the match'),
});

export const searchHit = z
  .object({
    jobId,
    externalId: z.string().nullable().describe("The caller's id of the job"),
    jobEndDate: timestamp.describe('When the job ended; of a live stream, when its segment ended'),
    mediaIndex: z.int().min(0).describe('Place of the medium in the document, from 0'),
    mediaId: z.int().describe('mediaId of the medium in the document'),
    mediaUri: z.string().describe('As in the document'),
    mediaType: z.string().describe('VIDEO, IMAGE, AUDIO or UNKNOWN; documents are UNKNOWN'),
    trackId: z.string().describe('Id of the track in the document'),
    task: z.string().describe('Name of the task'),
    action: z.string().describe('The source of the track'),
    algorithm: z.string().describe('The algorithm that found it'),
    type: z.string().describe('Type of the track, such as TEXT or SPEECH'),
    class: z.string().nullable().describe('CLASSIFICATION of the track, such as car; null: it has none'),
    startOffsetFrame: z.number().describe('The first frame of the track, from 0'),
    stopOffsetFrame: z.number().describe('The last frame of the track, inclusive'),
    startOffsetTime: z.number().describe('Milliseconds; of a live stream, since the job was created'),
    stopOffsetTime: z.number().describe('Milliseconds'),
    stream: seenInStream,
    page: z
      .object({
        kind: z
          .enum(PAGE_KINDS)
          .describe('SLIDE: of a presentation; SHEET: of a spreadsheet; PAGE: of other documents'),
        number: z.string().describe('From 1; a picture on several pages has all of them: 3; 7'),
      })
      .nullable()
      .describe(
        'Where it was found in a document, or in a picture from a document (PAGE_NUM). null: no component reported a page.',
      ),
    confidence: z.number().describe('Confidence of the exemplar; -1: the detector gives none'),
    colour: z.enum(COLOURS).nullable().describe('Of DOMINANT_COLOR; null: unknown'),
    vectorModel: z
      .string()
      .nullable()
      .describe('Model of the vector by which similar tracks are found; null: the track has none'),
    person: z
      .object({
        id: personId,
        name: z.string().nullable().describe('null: the person has no name'),
      })
      .nullable()
      .describe('Of a face track: whom it shows. null: it is in no group of `GET /rest/people`'),
    frame: z.number().nullable().describe('Of the exemplar; null: it has no box'),
    box: z
      .object({
        x: z.number().describe('Pixels from the left edge'),
        y: z.number().describe('Pixels from the upper edge'),
        width: z.number().describe('Pixels from the left to the right side'),
        height: z.number().describe('Pixels from the upper to the lower side'),
      })
      .nullable()
      .describe('Of the exemplar: pixels of the medium as a viewer shows it'),
    width: z.number().nullable().describe('Of the medium, as a viewer shows it'),
    height: z.number().nullable().describe('Pixels, as a viewer shows it; null: it has no picture'),
    snippet: z
      .object({
        text: z.string().describe('Empty for a track without text'),
        marks: z
          .array(mark)
          .describe('The matches in it: from start to before end, in UTF-16 code units, in order'),
      })
      .describe('The text around the match; … shows that it continues'),
    score: z
      .number()
      .min(0)
      .max(1)
      .describe('Share of the text that matches; 1: all of it, or the query has no text'),
  })
  .meta({ id: 'SearchHit', description: 'A track that was found' });

export const searchPage = z
  .object({
    hits: z.array(searchHit).describe('Most recently indexed first'),
    next: z.string().nullable().describe('Value of cursor for the next page; null: this is the last page'),
    complete: z.boolean().describe('false: the index is being made, and does not have all documents yet'),
  })
  .meta({
    id: 'SearchPage',
    description:
      'A page of hits. It may be short, or empty, although more follow: continue until next is null.',
  });

const counted = { tracks: z.int().min(1).describe('Tracks that have it') };

export const searchCounts = z
  .object({
    tracks: z.int().min(0).describe('Tracks that were counted: the newest ones'),
    isPart: z.boolean().describe('true: there are more tracks than were counted'),
    findings: z
      .array(
        z.object({
          type: z.string().describe('Type of the tracks'),
          class: z.string().nullable().describe('Their CLASSIFICATION; null: they have none'),
          ...counted,
        }),
      )
      .describe('Tracks by type and class'),
    colours: z
      .array(z.object({ colour: z.enum(COLOURS).describe('Like their DOMINANT_COLOR'), ...counted }))
      .describe('Tracks by colour'),
    media: z
      .array(z.object({ mediaUri: z.string().describe('URI of the medium, as in the document'), ...counted }))
      .describe('The 30 with most tracks'),
    confidences: z
      .array(
        z.object({
          minConfidence: z.number().describe('0.5, 0.75 or 0.9'),
          tracks: z.int().min(0).describe('Tracks with at least this confidence'),
        }),
      )
      .describe('Tracks by confidence'),
    since: z
      .array(
        z.object({
          from: timestamp.describe('A time of the query'),
          tracks: z.int().min(0).describe('Tracks that match with this from'),
        }),
      )
      .describe('Tracks by the times of the query'),
    complete: z.boolean().describe('false: the index is being made'),
  })
  .meta({ id: 'SearchCounts', description: 'What the hits of a query have, most tracks first' });
