import { z } from 'zod';
import { wholeNumber } from '../common.ts';

/** What was found in the media of a job, a part at a time (ours): for viewers of large documents. */
export const mediaIdParam = wholeNumber(0).describe('mediaId of the medium, as in the document of the job');

const MOST_FRAME = 2 ** 31 - 1;
const frame = wholeNumber(0, MOST_FRAME);

export const mediaQuery = z.strictObject({
  limit: wholeNumber(1, 1_000).default(100).describe('Media at most'),
  offset: wholeNumber(0, 10_000_000).default(0).describe('Media that are passed over'),
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
    .optional()
    .describe('Only tracks of which the detector is so sure'),
  text: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('A property of the track contains it; ASCII letters in any case'),
  limit: wholeNumber(1, 1_000).default(200).describe('Tracks at most'),
  offset: wholeNumber(0, 10_000_000).default(0).describe('Tracks that are passed over'),
});

export const boxesQuery = z.strictObject({
  fromFrame: frame.default(0).describe('The first frame, from 0'),
  toFrame: frame.default(MOST_FRAME).describe('The last frame'),
  limit: wholeNumber(1, 20_000).default(5_000).describe('Boxes at most'),
});

const viewedIssue = z.object({
  kind: z.enum(['errors', 'warnings']),
  source: z.string(),
  code: z.string(),
  message: z.string(),
});
const properties = z.record(z.string(), z.string()).describe('Long values are cut');

const actionProgress = z
  .object({
    task: z.string(),
    action: z.string(),
    state: z.enum(['WAITING', 'RUNNING', 'DONE']),
    percent: z.number().min(0).max(100),
    unit: z
      .enum(['FRAMES', 'MILLISECONDS'])
      .nullable()
      .describe(
        'What done counts; null: the action looks at the medium as a whole, or at tracks of earlier tasks',
      ),
    done: z
      .array(z.object({ start: z.int(), stop: z.int() }))
      .describe('Parts of the medium whose findings are in the answer, with both ends; the longest 500'),
  })
  .meta({ id: 'ActionProgress', description: 'How far an action of a running job is on a medium' });

export const partial = z
  .object({
    percent: z.number().min(0).max(100),
    actions: z.array(actionProgress).describe('In pipeline order; empty: the medium is not inspected yet'),
  })
  .optional()
  .meta({
    id: 'MediumProgress',
    description:
      'How far a running job is on a medium. Absent when the job has ended: then the answer is final',
  });

const viewedMedium = z
  .object({
    n: z.int().min(0).describe('Place in the document, from 0'),
    mediaId: z.int(),
    parentMediaId: z.int(),
    uri: z.string(),
    mimeType: z.string(),
    mediaType: z.string(),
    length: z.int(),
    status: z.string().describe('As in the document; WAITING or IN_PROGRESS while the job works on it'),
    metadata: properties,
    tracks: z
      .int()
      .min(0)
      .describe(
        'While an action runs, as many as its finished parts have reported; some may be joined later',
      ),
    detections: z.int().min(0).describe('While the job runs, those of actions that are over'),
    cues: z.int().min(0).describe('Cues of the formats vtt and srt; 0: those formats are refused'),
    issues: z.array(viewedIssue).describe('The first 100'),
    partial,
  })
  .meta({ id: 'ViewedMedium' });

export const mediaOfJob = z
  .object({
    media: z.array(viewedMedium),
    total: z.int().min(0),
    issues: z.array(viewedIssue).describe('Of the job as a whole; the first 100'),
  })
  .meta({ id: 'MediaOfJob' });

export const lanes = z
  .array(
    z.object({
      lane: z.int().min(0),
      type: z.string(),
      action: z.string(),
      algorithm: z.string(),
      task: z.string().nullable(),
      tracks: z.int().min(0),
      detections: z.int().min(0),
      binMs: z.number().describe('Milliseconds'),
      bins: z
        .array(z.int().min(0))
        .describe(
          'Detections in each part of binMs milliseconds. The only detection of a track counts in every part from the start to the stop of the track.',
        ),
      partial: actionProgress.optional().describe('How far the action is; absent when the job has ended'),
    }),
  )
  .meta({ id: 'Lanes', description: 'Everything of one type that one action found in a medium is a lane' });

export const trackPage = z
  .object({
    tracks: z.array(
      z.object({
        n: z.int().min(0).describe('Number within the medium, from 0'),
        lane: z.int().min(0),
        id: z.string(),
        startMs: z.int(),
        stopMs: z.int(),
        startFrame: z.int(),
        stopFrame: z.int(),
        confidence: z.number(),
        label: z.string().nullable().describe('What it is, or says'),
        properties,
        exemplarFrame: z.int().nullable(),
        exemplarMs: z.int().nullable(),
        artifact: z.string().nullable().describe('artifactPath of the exemplar'),
      }),
    ),
    total: z.int().min(0).describe('How many fit in all'),
    partial,
  })
  .meta({ id: 'TrackPage', description: 'In the order in which they begin' });

export const boxPage = z
  .object({
    boxes: z.array(
      z.object({
        frame: z.int(),
        track: z.int().min(0).describe('The n of its track'),
        lane: z.int().min(0),
        label: z.string().nullable(),
        x: z.int(),
        y: z.int(),
        width: z.int(),
        height: z.int(),
        confidence: z.number(),
        corners: z
          .string()
          .nullable()
          .describe(
            'x,y of the four corners, when the box does not stand upright in the frame as it is stored',
          ),
      }),
    ),
    toFrame: z.int().describe('Boxes are given up to this frame; those of later ones were too many'),
    partial,
  })
  .meta({ id: 'BoxPage', description: 'By frame; pixels of the frame as it is stored' });
