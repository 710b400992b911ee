import { z } from 'zod';
import { wholeNumber } from '../common.ts';

/** The results in the media of a job, one part at a time (not in the specification). For viewers of large documents. */
export const mediaIdParam = wholeNumber(0).describe('mediaId of the medium, as in the document of the job');

const MOST_FRAME = 2 ** 31 - 1;
const frame = wholeNumber(0, MOST_FRAME);

export const mediaQuery = z.strictObject({
  limit: wholeNumber(1, 1_000).default(100).describe('Maximum number of media'),
  offset: wholeNumber(0, 10_000_000).default(0).describe('Number of media to skip'),
  mediaId: mediaIdParam.optional().describe('Only the medium with this mediaId'),
});

export const tracksQuery = z.strictObject({
  fromMs: wholeNumber(0, MOST_FRAME).default(0).describe('Tracks that have not ended by then'),
  toMs: wholeNumber(0, MOST_FRAME).default(MOST_FRAME).describe('Tracks that have begun by then'),
  lane: wholeNumber(0, 1_000_000).optional().describe('Only those of this lane'),
  minConfidence: z
    .string()
    .regex(/^-?\d{0,9}(\.\d{1,9})?$/, { error: 'must be a number' })
    .transform(Number)
    .pipe(z.number())
    .optional()
    .describe('Only tracks with at least this confidence'),
  text: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('A property of the track contains it; ASCII letters in any case'),
  limit: wholeNumber(1, 1_000).default(200).describe('Maximum number of tracks'),
  offset: wholeNumber(0, 10_000_000).default(0).describe('Number of tracks to skip'),
});

export const boxesQuery = z.strictObject({
  fromFrame: frame.default(0).describe('The first frame, from 0'),
  toFrame: frame.default(MOST_FRAME).describe('The last frame'),
  limit: wholeNumber(1, 20_000).default(5_000).describe('Maximum number of boxes'),
});

const viewedIssue = z.object({
  kind: z.enum(['errors', 'warnings']).describe('errors: something failed; warnings: nothing failed'),
  source: z.string().describe('What reports it: an action, an algorithm or the server'),
  code: z.string().describe('Stable name of the cause; docs/reference/error-codes.md lists all'),
  message: z.string().describe('Description of the problem'),
});
const properties = z.record(z.string(), z.string()).describe('Long values are cut');

const actionProgress = z
  .object({
    task: z.string().describe('Name of the task'),
    action: z.string().describe('Name of the action'),
    state: z
      .enum(['WAITING', 'RUNNING', 'DONE'])
      .describe('WAITING: no part of it has begun; DONE: all findings are in the answer'),
    percent: z.number().min(0).max(100).describe('Share of the medium that it has processed'),
    unit: z
      .enum(['FRAMES', 'MILLISECONDS'])
      .nullable()
      .describe('Unit of done; null: the action processes the medium as a whole, or tracks of earlier tasks'),
    done: z
      .array(
        z.object({
          start: z.int().describe('The first frame, or millisecond'),
          stop: z.int().describe('The last one, inclusive'),
        }),
      )
      .describe('Parts of the medium whose findings are in the answer, with both ends; the longest 500'),
  })
  .meta({ id: 'ActionProgress', description: 'Progress of an action of a running job on a medium' });

export const partial = z
  .object({
    percent: z.number().min(0).max(100).describe('Share of the work on the medium that is done'),
    actions: z.array(actionProgress).describe('In pipeline order; empty: the medium is not inspected yet'),
  })
  .optional()
  .meta({
    id: 'MediumProgress',
    description:
      'Progress of a running job on a medium. Absent when the job has ended: then the answer is final',
  });

const viewedMedium = z
  .object({
    n: z.int().min(0).describe('Place in the document, from 0'),
    mediaId: z.int().describe('mediaId of the medium in the document'),
    parentMediaId: z.int().describe('The medium that it was extracted from; -1: the request named it'),
    uri: z.string().describe('Its URI without secrets'),
    mimeType: z.string().describe('Media type, such as video/mp4'),
    mediaType: z.string().describe('VIDEO, IMAGE, AUDIO or UNKNOWN; documents are UNKNOWN'),
    length: z.int().describe('Frames of a video, 1 for an image, -1 for all else'),
    status: z.string().describe('As in the document; WAITING or IN_PROGRESS while the job works on it'),
    metadata: properties.describe(
      'What the inspection found, such as FPS, DURATION (milliseconds) and FRAME_WIDTH (pixels)',
    ),
    tracks: z
      .int()
      .min(0)
      .describe(
        'While an action runs, as many as its finished parts have reported; some may be joined later',
      ),
    detections: z.int().min(0).describe('While the job runs, those of finished actions'),
    findings: z
      .array(
        z.object({
          type: z.string().describe('Type of the tracks, such as FACE'),
          class: z
            .string()
            .nullable()
            .describe('Their CLASSIFICATION; null: they have none, or the job runs'),
          tracks: z.int().min(0).describe('Tracks of this type and class'),
        }),
      )
      .describe('What was found, most tracks first; the first 20. While the job runs, of finished actions'),
    people: z
      .int()
      .min(0)
      .nullable()
      .describe(
        'Different people in it; null: FACE EMBEDDING did not run, or its faces are not in groups (yet)',
      ),
    cues: z.int().min(0).describe('Cues of the formats vtt and srt; 0: those formats are refused'),
    zoneEvents: z
      .int()
      .min(0)
      .nullable()
      .describe(
        'Events in the zones of the job; null: it has no zones or still runs, or the medium has no pictures',
      ),
    issues: z.array(viewedIssue).describe('The first 100'),
    partial,
  })
  .meta({ id: 'ViewedMedium' });

export const mediaOfJob = z
  .object({
    media: z.array(viewedMedium).describe('Media that fit the query, in the order of the document'),
    total: z.int().min(0).describe('All media of the job, independent of limit and offset'),
    issues: z.array(viewedIssue).describe('Of the job as a whole; the first 100'),
  })
  .meta({ id: 'MediaOfJob' });

export const lanes = z
  .array(
    z.object({
      lane: z.int().min(0).describe('Number of the lane within the medium, from 0'),
      type: z.string().describe('Type of the tracks, such as FACE'),
      action: z.string().describe('Name of the action'),
      algorithm: z.string().describe('The algorithm that it ran'),
      task: z.string().nullable().describe('Name of the task; null: the document does not say'),
      tracks: z.int().min(0).describe('Tracks in the lane'),
      detections: z.int().min(0).describe('Detections of these tracks'),
      binMs: z.number().describe('Milliseconds'),
      bins: z
        .array(z.int().min(0))
        .describe(
          'Detections in each part of binMs milliseconds. The only detection of a track counts in every part from the start to the stop of the track.',
        ),
      partial: actionProgress.optional().describe('Progress of the action; absent when the job has ended'),
    }),
  )
  .meta({ id: 'Lanes', description: 'Everything of one type that one action found in a medium is a lane' });

export const trackPage = z
  .object({
    tracks: z
      .array(
        z.object({
          n: z.int().min(0).describe('Number within the medium, from 0'),
          lane: z.int().min(0).describe('The lane of the track, as the lanes of the medium number them'),
          id: z.string().describe('Id of the track in the document'),
          startMs: z.int().describe('Begin of the track: milliseconds from the start of the medium'),
          stopMs: z.int().describe('End of the track: milliseconds from the start of the medium'),
          startFrame: z.int().describe('The first frame of the track, from 0'),
          stopFrame: z.int().describe('The last frame of the track, inclusive'),
          confidence: z.number().describe('Confidence of the exemplar; -1: the detector gives none'),
          label: z.string().nullable().describe('Class or text of the track'),
          properties: properties.describe(
            'Properties of the track, and of its exemplar. Long values are cut',
          ),
          exemplarFrame: z.int().nullable().describe('The frame of the exemplar; null: it has no box'),
          exemplarMs: z
            .int()
            .nullable()
            .describe('The time of the exemplar: milliseconds; null: it has no box'),
          artifact: z.string().nullable().describe('artifactPath of the exemplar'),
        }),
      )
      .describe('The tracks that fit the query'),
    total: z.int().min(0).describe('Number of all tracks that match'),
    partial,
  })
  .meta({ id: 'TrackPage', description: 'In the order in which they begin' });

export const boxPage = z
  .object({
    boxes: z
      .array(
        z.object({
          frame: z.int().describe('Number of the frame, from 0'),
          track: z.int().min(0).describe('The n of its track'),
          lane: z.int().min(0).describe('The lane of its track'),
          label: z.string().nullable().describe('Class or text of the track; null: none'),
          x: z.int().describe('Left edge: pixels from the left edge of the frame'),
          y: z.int().describe('Upper edge: pixels from the upper edge of the frame'),
          width: z.int().describe('Pixels from the left to the right side'),
          height: z.int().describe('Pixels from the upper to the lower side'),
          confidence: z.number().describe('Confidence of the detection; -1: the detector gives none'),
          corners: z
            .string()
            .nullable()
            .describe('x,y of the four corners, if the box is rotated in the stored frame'),
        }),
      )
      .describe('The boxes, by frame'),
    toFrame: z
      .int()
      .describe('The last frame with boxes; later ones are left out, because there are too many'),
    partial,
  })
  .meta({ id: 'BoxPage', description: 'By frame, in pixels of the stored frame' });
