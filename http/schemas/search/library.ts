import { z } from 'zod';
import { isMediaPlace, MEDIA_GROUPS, MEDIA_SORTS } from '../../../domain/job/media-order.ts';
import { jobId, jobIdParam, label } from '../jobs/batch-jobs.ts';
import { queryTimestamp, timestamp, wholeNumber } from '../common.ts';
import { LIBRARY_CURSOR, placeOfText } from './library-cursor.ts';

/** The library (not in the specification): the media of all jobs that have ended, with their results. */

/** Maximum offset from UTC: minutes. No place is further from UTC. */
const MAX_OFFSET = 1_080;

/** Maximum number of jobs in one request for first media. */
const MAX_FIRST_OF = 100;

const NO_CURSOR = 'must be the value of next from a page with the same sort and group';

const name = z.string().trim().min(1, { error: 'must not be blank' }).max(1_000);

export const libraryQuery = z
  .strictObject({
    type: name.optional().describe('Only media with a finding of this type, such as FACE, in any case'),
    class: name.optional().describe('Only media with a finding of this class, such as person, in any case'),
    mediaType: z.enum(['VIDEO', 'IMAGE', 'AUDIO', 'UNKNOWN']).optional().describe('UNKNOWN: documents'),
    name: name.optional().describe('A part of the URI, in any case'),
    label: label.optional().meta({ description: 'Only of jobs with this label', examples: ['set:night'] }),
    from: queryTimestamp.optional().describe('Only of jobs whose endDate is not before it'),
    to: queryTimestamp.optional().describe('Only of jobs whose endDate is before it'),
    firstOf: z
      .string()
      .transform((text) => text.split(','))
      .pipe(z.array(jobIdParam).max(MAX_FIRST_OF))
      .optional()
      .describe(
        `Only the first medium of each of these jobs: at most ${MAX_FIRST_OF} ids with commas between`,
      ),
    sort: z
      .enum(MEDIA_SORTS)
      .default('newest')
      .describe(
        'newest: of the job that ended last first; name: by file name; length: the longest first, then those of most pages',
      ),
    group: z
      .enum(MEDIA_GROUPS)
      .optional()
      .describe(
        'What stays together; sort orders the media of a group. label: a medium is listed under each label of its job',
      ),
    utcOffset: wholeNumber(-MAX_OFFSET, MAX_OFFSET)
      .default(0)
      .describe('With group=day: minutes by which your time is ahead of UTC'),
    limit: wholeNumber(1, 200).default(60).describe('The maximum number of media of a page'),
    cursor: z
      .string()
      .regex(LIBRARY_CURSOR, { error: NO_CURSOR })
      .optional()
      .meta({ description: 'Value of next from the previous page', examples: ['1772357460_12_0'] }),
  })
  .superRefine(({ cursor, sort, group }, { addIssue }) => {
    if (cursor === undefined) return;
    const place = placeOfText(cursor);
    if (place === undefined || !isMediaPlace(place, { sort, group }))
      addIssue({ code: 'custom', path: ['cursor'], message: NO_CURSOR });
  });

const finding = z.object({
  type: z.string().describe('Type of the tracks, such as FACE'),
  class: z.string().nullable().describe('CLASSIFICATION of the tracks; null: they have none'),
  tracks: z.int().min(1).describe('Tracks of this type and class'),
});

const box = z.object({
  x: z.number().describe('Pixels from the left edge'),
  y: z.number().describe('Pixels from the upper edge'),
  width: z.number().describe('Pixels from the left to the right side'),
  height: z.number().describe('Pixels from the upper to the lower side'),
  type: z.string().describe('Type of the track, such as FACE'),
  class: z.string().nullable().describe('CLASSIFICATION of the track; null: it has none'),
});

const libraryMedium = z
  .object({
    jobId,
    externalId: z.string().nullable().describe("The caller's id of the job; null: it has none"),
    jobEndDate: timestamp.describe('When the job ended'),
    mediaIndex: z.int().min(0).describe('Place of the medium in the document, from 0'),
    mediaId: z.int().describe('mediaId of the medium in the document'),
    mediaUri: z.string().describe('As the document has it'),
    mediaType: z.string().describe('VIDEO, IMAGE, AUDIO or UNKNOWN; documents are UNKNOWN'),
    mimeType: z.string().describe('Media type, such as video/mp4'),
    length: z.number().describe('Frames of a video, pages of a document'),
    durationMs: z.number().nullable().describe('Length in milliseconds; null: it has none, or it is unknown'),
    width: z.number().nullable().describe('Pixels, as a viewer shows it'),
    height: z.number().nullable().describe('Pixels, as a viewer shows it; null: it has no picture'),
    frame: z
      .number()
      .nullable()
      .describe('A frame that shows what was found; null: the medium has no frames'),
    findings: z.array(finding).describe('Most tracks first'),
    boxes: z
      .array(box)
      .describe('Findings whose exemplar is on this frame: pixels of the medium as a viewer shows it'),
    people: z
      .int()
      .min(1)
      .nullable()
      .describe('Different people whom FACE EMBEDDING found; null: none, or it did not run'),
    label: z
      .string()
      .nullable()
      .describe('With group=label: the one under which it is listed; null: its job has none'),
  })
  .meta({ id: 'LibraryMedium', description: 'A medium with what was found in it' });

export const libraryPage = z
  .object({
    media: z.array(libraryMedium).describe('In the order of group and sort'),
    next: z.string().nullable().describe('The cursor of the next page; null: this is the last one'),
    complete: z.boolean().describe('false: the index is being built and does not have all media'),
  })
  .meta({ id: 'LibraryPage', description: 'A page of media. It may be short although more follow.' });

export const libraryCounts = z
  .object({
    total: z.int().min(0).describe('Media that fit the query'),
    mediaTypes: z.record(z.string(), z.int().min(0)).describe('Media by type'),
    findings: z
      .array(
        z.object({
          type: z.string().describe('Type of the tracks'),
          class: z.string().nullable().describe('Their CLASSIFICATION; null: they have none'),
          media: z.int().min(0).describe('Media with such tracks'),
        }),
      )
      .describe('The 100 types and classes of most media'),
    labels: z
      .array(
        z.object({
          label: z.string().describe('Label of jobs'),
          media: z.int().min(0).describe('Media of jobs with this label'),
        }),
      )
      .describe('The 100 labels of most media'),
    complete: z.boolean().describe('false: the index is being built and does not have all media'),
  })
  .meta({ id: 'LibraryCounts', description: 'Numbers of media by type, finding and label' });
