import { z } from 'zod';
import { timestamp, trueOrFalse, wholeNumber } from '../common.ts';
import { jobId, jobIdParam } from '../jobs/batch-jobs.ts';
import { seenInStream } from './seen-in-stream.ts';

/** Groups of faces that look like one person (not in the specification): requests and answers. */
const MAX_PAGE = 500;
const MAX_NAME = 64;
/** Maximum number of tracks in one split. */
const MAX_TRACKS = 1_000;
const MAX_TRACK_ID = 1_000;

const PERSON_ID = /^[0-9a-f]{16}$/;
export const personId = z
  .string()
  .regex(PERSON_ID, { error: 'must have 16 digits from 0 to f' })
  .meta({ description: 'The id of the person', examples: ['5c0e7a1b9d2f4836'] });

const personName = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}]{1,64}$/u, { error: 'must have 1 to 64 characters, none of them a control character' });

const PLACE_OF_PERSON = /^\d{1,9}_[0-9a-f]{16}$/;
const PLACE_OF_TRACK = /^\d{1,15}_-?\d{1,15}_\d{1,15}(?:\.\d{1,6})?_.{1,1000}$/s;
const limit = wholeNumber(1, MAX_PAGE).default(50);

/** Text form of the position where a page of people ended. */
export const peopleCursor = {
  textOf: ({ tracks, id }: { readonly tracks: number; readonly id: string }): string => `${tracks}_${id}`,
  /** Parses a cursor. `text` must match PLACE_OF_PERSON. */
  read(text: string) {
    const [tracks = '', id = ''] = text.split('_');
    return { tracks: Number(tracks), id };
  },
};

interface TrackCursor {
  readonly job: number;
  readonly mediaId: number;
  readonly startFrame: number;
  readonly trackId: string;
}

/** Text form of the position where a page of tracks ended. */
export const trackCursor = {
  textOf: ({ job, mediaId, startFrame, trackId }: TrackCursor): string =>
    [job, mediaId, startFrame, trackId].join('_'),
  /** Parses a cursor. `text` must match PLACE_OF_TRACK. */
  read(text: string): TrackCursor {
    const [job, mediaId, startFrame, ...trackId] = text.split('_');
    return {
      ...{ job: Number(job), mediaId: Number(mediaId), startFrame: Number(startFrame) },
      trackId: trackId.join('_'),
    };
  },
};

export const peopleQuery = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1, { error: 'must not be blank' })
    .max(MAX_NAME)
    .optional()
    .describe('A part of the name, in any case of letters'),
  named: trueOrFalse.optional().describe('true: only people with a name. false: only people without'),
  job: jobIdParam.optional().describe('Only people in this job: its id'),
  mediaId: wholeNumber(0).optional().describe('With job: only people in this medium of it'),
  limit: limit.describe('Maximum number of people on a page'),
  cursor: z
    .string()
    .regex(PLACE_OF_PERSON, { error: 'must be the value of next from the previous page' })
    .optional()
    .meta({ description: 'Value of next from the previous page', examples: ['12_5c0e7a1b9d2f4836'] }),
});

export const personQuery = z.strictObject({
  limit: limit.describe('Maximum number of tracks on a page'),
  cursor: z
    .string()
    .regex(PLACE_OF_TRACK, { error: 'must be the value of next from the previous page' })
    .optional()
    .meta({ description: 'Value of next from the previous page', examples: ['12_31_0_3b1f4c9bd8a2'] }),
});

const occurrence = z
  .object({
    jobId,
    mediaId: z.int().describe('mediaId of the medium in the document'),
    mediaUri: z.string().describe('As in the document'),
    mediaType: z.string().describe('VIDEO or IMAGE'),
    trackId: z.string().describe('Id of the track in the document'),
    startOffsetFrame: z.number().describe('The first frame of the track, from 0'),
    stopOffsetFrame: z.number().describe('The last frame of the track, inclusive'),
    startOffsetTime: z
      .number()
      .describe('Milliseconds from the start of the medium, or since a streaming job was created'),
    stopOffsetTime: z.number().describe('Milliseconds from the start of the medium'),
    stream: seenInStream,
    confidence: z.number().describe('Confidence of the exemplar'),
    frame: z.number().describe('Frame of the exemplar'),
    box: z
      .object({
        x: z.number().describe('Pixels from the left edge'),
        y: z.number().describe('Pixels from the upper edge'),
        width: z.number().describe('Pixels from the left to the right side'),
        height: z.number().describe('Pixels from the upper to the lower side'),
      })
      .describe('The face in that frame: pixels of the medium as a viewer shows it'),
    width: z.number().nullable().describe('Of the medium, as a viewer shows it; null: unknown'),
    height: z.number().nullable().describe('Of the medium, as a viewer shows it; null: unknown'),
    frameUrl: z
      .string()
      .describe(
        'Picture of the frame of the exemplar: a path on this service. Cut the box out of it. Of a live stream, only a recording has it.',
      ),
  })
  .meta({ id: 'Occurrence', description: 'A face track of a person' });

export const person = z
  .object({
    id: personId,
    name: z.string().nullable().describe('null: the person has no name'),
    created: timestamp.describe('When the group got its first face'),
    model: z.string().describe('The model that made the vectors of the faces'),
    tracks: z.int().min(1).describe('Face tracks of the person'),
    media: z.int().min(1).describe('Media that show the person, by URI'),
    jobs: z.int().min(1).describe('Jobs that found the person'),
    face: occurrence.describe('The best face'),
  })
  .meta({
    id: 'Person',
    description: 'A group of faces that look like one person; only what is in jobs that you may see',
  });

export const peoplePage = z
  .object({
    people: z.array(person).describe('Those with most tracks first'),
    total: z.int().min(0).describe('People on all pages'),
    next: z.string().nullable().describe('The cursor of the next page; null: this is the last one'),
    grouping: z
      .boolean()
      .describe('false: new faces join no group, because FACE_EMBEDDING or SEARCH is false'),
    complete: z
      .boolean()
      .describe('false: faces of the job that the query names are not in groups yet, or not at all'),
  })
  .meta({ id: 'PeoplePage', description: 'A page of people' });

export const personPage = z
  .object({
    person,
    tracks: z.array(occurrence).describe('Those of the newest job first'),
    next: z.string().nullable().describe('The cursor of the next page; null: this is the last one'),
  })
  .meta({ id: 'PersonPage', description: 'A person, and a page of where the person is seen' });

export const personChange = z
  .strictObject({ name: personName.nullable().describe('The new name; null: without a name') })
  .meta({ id: 'PersonChange', description: 'The name of a person' });

export const personMerge = z
  .strictObject({ person: personId.describe('Id of the person that becomes a part of this one') })
  .meta({ id: 'PersonMerge', description: 'Two groups that show one person' });

export const personSplit = z
  .strictObject({
    tracks: z
      .array(
        z.strictObject({
          jobId: jobIdParam.describe('Job of the track'),
          mediaId: z.int().describe('Medium of the track'),
          trackId: z.string().min(1).max(MAX_TRACK_ID).describe('Id of the track'),
        }),
      )
      .min(1)
      .max(MAX_TRACKS)
      .describe('Tracks that show somebody else'),
  })
  .meta({ id: 'PersonSplit', description: 'Tracks of a person that show somebody else' });
