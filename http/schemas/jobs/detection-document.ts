import { z } from 'zod';
import { jobStatus } from './batch-jobs.ts';

/** The detection output object (specification 2.2). The server never parses it: this documents it, and tests hold it against this. */
const properties = z.record(z.string(), z.string());
const range = z.object({ start: z.int().min(0), stop: z.int().min(0) });

/** Null where the results of an earlier job were copied into a bucket. */
const href = (what: string) =>
  z
    .string()
    .nullish()
    .describe(
      `With OUTPUT_DETAILS, beside the URI ${what} when it is a file of the server: what to GET, relative to /rest/jobs/{jobId}/`,
    );

const detection = z
  .object({
    offsetFrame: z.int().min(0).describe('Number of the frame in the medium, from 0'),
    offsetTime: z.int().min(0).describe('Milliseconds from the start of the medium'),
    x: z.int().describe('Pixels from the left edge of the frame as it is stored'),
    y: z.int().describe('Pixels from the upper edge of the frame as it is stored'),
    width: z.int().describe('Pixels'),
    height: z.int().describe('Pixels'),
    confidence: z.number().describe('-1 when the detector gives none'),
    detectionProperties: properties,
    artifactExtractionStatus: z.enum(['NOT_ATTEMPTED', 'REQUESTED', 'COMPLETED', 'FAILED']),
    artifactPath: z.string().nullable(),
    artifactHref: href('of the picture'),
    uprightBox: z
      .object({ x: z.int(), y: z.int(), width: z.int().min(1), height: z.int().min(1) })
      .optional()
      .describe(
        'With OUTPUT_DETAILS: the box in the picture as a viewer shows it, when that is not how it is stored',
      ),
  })
  .meta({ id: 'Detection', description: 'A box in a frame, in pixels of the medium as it is stored' });

const track = z
  .object({
    id: z.string().describe('The same input gives the same id'),
    index: z.int().min(0).describe('Number of the track within its action and medium'),
    startOffsetFrame: z.int().min(0).describe('Frame of the first detection, from 0'),
    stopOffsetFrame: z.int().min(0).describe('Frame of the last detection, inclusive'),
    startOffsetTime: z.int().min(0).describe('Milliseconds from the start of the medium'),
    stopOffsetTime: z.int().min(0).describe('Milliseconds; of a video the time of the last frame'),
    type: z.string(),
    source: z.string().describe('Name of the action'),
    confidence: z.number(),
    trackProperties: properties,
    exemplar: detection,
    detections: z.array(detection),
  })
  .meta({ id: 'Track' });

const issues = z
  .array(
    z.object({
      mediaId: z.int().optional().describe('Absent: it is of the job as a whole'),
      details: z.array(z.object({ source: z.string(), code: z.string(), message: z.string() })),
    }),
  )
  .describe('By medium');

const pipeline = z.object({
  name: z.string(),
  description: z.string(),
  tasks: z.array(
    z.object({
      actionType: z.string(),
      name: z.string(),
      description: z.string(),
      actions: z.array(
        z.object({ algorithm: z.string(), name: z.string(), description: z.string(), properties }),
      ),
    }),
  ),
});

const processingError = z.object({
  startOffsetFrame: z.int(),
  stopOffsetFrame: z.int(),
  startOffsetTime: z.int(),
  stopOffsetTime: z.int(),
  code: z.string(),
  message: z.string(),
});

const medium = z
  .object({
    mediaId: z.int(),
    parentMediaId: z.int().describe('The medium that it was made of; -1: the request named it'),
    archiveSourceMediaPath: z
      .string()
      .optional()
      .describe('Of results that were copied: its URI in the earlier job'),
    path: z.string().describe('Its URI; what is secret in it, and the content of data: URIs, is left out'),
    href: href('of the medium'),
    sha256: z.string(),
    mimeType: z.string(),
    mediaType: z.enum(['VIDEO', 'IMAGE', 'AUDIO', 'UNKNOWN']),
    length: z.int().describe('Frames of a video, 1 for an image, -1 for all else'),
    frameRanges: z.array(range),
    timeRanges: z.array(range),
    mediaMetadata: properties,
    mediaProperties: properties,
    status: z.enum(['COMPLETE', 'ERROR', 'INCOMPLETE']),
    detectionProcessingErrors: z.record(z.string(), z.array(processingError)).describe('By action'),
    markupResult: z
      .object({
        id: z.int(),
        path: z.string().describe('URI of the copy with the tracks drawn in'),
        status: z.enum(['COMPLETE', 'COMPLETE_WITH_WARNING', 'FAILED']),
        message: z.string().nullable(),
        href: href('of the copy'),
      })
      .nullable(),
    mediaSelectorsOutputUri: z
      .string()
      .optional()
      .describe('The document with what its selectors selected replaced by what was found'),
    mediaSelectorsOutputHref: href('of that document'),
    output: z
      .record(
        z.string(),
        z.array(
          z.object({
            source: z.string(),
            algorithm: z.string(),
            annotators: z
              .array(z.string())
              .optional()
              .describe('Actions that gave the tracks more properties'),
            tracks: z.array(track).optional(),
          }),
        ),
      )
      .describe(
        'By track type; NO TRACKS when there are none, TRACKS SUPPRESSED when they are not to be shown',
      ),
  })
  .meta({ id: 'DetectionMedium' });

const counted = z.int().min(1);
/** COCO, as pycocotools and its like read it. */
export const cocoDocument = z
  .object({
    info: z.object({ description: z.string(), version: z.string(), contributor: z.string() }),
    licenses: z.array(z.never()),
    images: z.array(
      z.object({
        id: counted,
        width: z.int(),
        height: z.int(),
        file_name: z.string(),
        coco_url: z.string(),
        media_id: z.int(),
        frame: z.int().min(0),
      }),
    ),
    categories: z.array(z.object({ id: counted, name: z.string(), supercategory: z.string() })),
    annotations: z.array(
      z.object({
        id: counted,
        image_id: counted,
        category_id: counted,
        bbox: z.array(z.number()).length(4),
        area: z.number(),
        iscrowd: z.literal(0),
        score: z.number().optional(),
        attributes: z.record(z.string(), z.union([z.string(), z.number()])),
      }),
    ),
  })
  .meta({ id: 'CocoDocument', description: 'With format=coco' });

export const detectionDocument = z
  .object({
    jobId: z.string(),
    archiveSourceJobId: z
      .string()
      .optional()
      .describe('The earlier job, known to an archive, whose results were copied for this one'),
    objectId: z.uuid(),
    pipeline,
    priority: z.int().min(0).max(9),
    siteId: z.string(),
    externalJobId: z.string().nullable(),
    timeStart: z.iso.datetime(),
    timeStop: z.iso.datetime(),
    timing: z
      .object({
        processingTime: z.int().min(0),
        actions: z.array(z.object({ name: z.string(), processingTime: z.int().min(0) })),
      })
      .describe('Milliseconds that components worked, in all and for each action'),
    status: jobStatus,
    algorithmProperties: z.record(z.string(), properties),
    jobProperties: properties,
    environmentVariableProperties: properties,
    media: z.array(medium),
    errors: issues,
    warnings: issues,
    componentVersions: z
      .array(z.object({ action: z.string(), algorithm: z.string(), versions: z.array(z.string()).min(1) }))
      .optional()
      .describe(
        'With OUTPUT_DETAILS: the versions of the components that have answered; several when one was replaced meanwhile',
      ),
    effectiveProperties: z
      .array(
        z.object({
          action: z.string(),
          algorithm: z.string(),
          mediaType: z.enum(['VIDEO', 'IMAGE', 'AUDIO', 'UNKNOWN']),
          properties,
        }),
      )
      .optional()
      .describe(
        'With OUTPUT_DETAILS: the values that applied to each action on media of the types of the job, without their own mediaProperties',
      ),
  })
  .meta({ id: 'DetectionOutputObject' });
