import { z } from 'zod';
import { jobStatus } from './batch-jobs.ts';
import { mediumZoneRun } from './zone-runs.ts';

/**
 * The detection output object (specification 2.2). The server never parses it. This schema documents it, and tests validate documents with
 * it.
 */
const properties = z.record(z.string(), z.string());
const range = z.object({
  start: z.int().min(0).describe('The first frame, or millisecond'),
  stop: z.int().min(0).describe('The last one, inclusive'),
});

/** Address of a file. Null if the results of an earlier job were copied into a bucket. */
const href = (what: string) =>
  z
    .string()
    .nullish()
    .describe(
      `With OUTPUT_DETAILS, if the URI ${what} is a file of the server: its path, relative to /rest/jobs/{jobId}/`,
    );

const detection = z
  .object({
    offsetFrame: z.int().min(0).describe('Number of the frame in the medium, from 0'),
    offsetTime: z.int().min(0).describe('Milliseconds from the start of the medium'),
    x: z.int().describe('Pixels from the left edge of the stored frame'),
    y: z.int().describe('Pixels from the upper edge of the stored frame'),
    width: z.int().describe('Pixels from the left to the right side of the box'),
    height: z.int().describe('Pixels from the upper to the lower side of the box'),
    confidence: z.number().describe('-1 when the detector gives none'),
    detectionProperties: properties.describe('Properties of the detection, by name'),
    artifactExtractionStatus: z
      .enum(['NOT_ATTEMPTED', 'REQUESTED', 'COMPLETED', 'FAILED'])
      .describe('Whether the picture was cut out; NOT_ATTEMPTED: it was not requested'),
    artifactPath: z.string().nullable().describe('URI of the picture that was cut out; null: there is none'),
    artifactHref: href('of the picture'),
    uprightBox: z
      .object({
        x: z.int().describe('Pixels from the left edge of the picture as shown'),
        y: z.int().describe('Pixels from the upper edge of the picture as shown'),
        width: z.int().min(1).describe('Pixels'),
        height: z.int().min(1).describe('Pixels'),
      })
      .optional()
      .describe(
        'With OUTPUT_DETAILS: the box in the picture as a viewer shows it, if that differs from the stored one',
      ),
  })
  .meta({ id: 'Detection', description: 'A box in a frame, in pixels of the stored medium' });

const track = z
  .object({
    id: z.string().describe('The same input gives the same id'),
    index: z.int().min(0).describe('Number of the track within its action and medium'),
    startOffsetFrame: z.int().min(0).describe('Frame of the first detection, from 0'),
    stopOffsetFrame: z.int().min(0).describe('Frame of the last detection, inclusive'),
    startOffsetTime: z.int().min(0).describe('Milliseconds from the start of the medium'),
    stopOffsetTime: z.int().min(0).describe('Milliseconds; of a video the time of the last frame'),
    type: z.string().describe('Type of the track, such as FACE, CLASS, TEXT, SPEECH or MOTION'),
    source: z.string().describe('Name of the action'),
    confidence: z.number().describe('Confidence of the exemplar; -1: the detector gives none'),
    trackProperties: properties.describe('Properties of the whole track, by name'),
    exemplar: detection.describe('The detection that shows the track best; EXEMPLAR_POLICY chooses it'),
    detections: z.array(detection).describe('All its detections, by frame'),
  })
  .meta({ id: 'Track' });

const issues = z
  .array(
    z.object({
      mediaId: z.int().optional().describe('Absent: it is of the job as a whole'),
      details: z
        .array(
          z.object({
            source: z.string().describe('What reports it: an action, an algorithm or the server'),
            code: z.string().describe('Stable name of the cause; docs/reference/error-codes.md lists all'),
            message: z.string().describe('Description of the problem'),
          }),
        )
        .describe('What went wrong with this medium'),
    }),
  )
  .describe('By medium');

const pipeline = z.object({
  name: z.string().describe('Name of the pipeline, in upper case'),
  description: z.string().describe('What it is for'),
  tasks: z
    .array(
      z.object({
        actionType: z.string().describe('DETECTION, or MARKUP for a task that draws'),
        name: z.string().describe('Name of the task, in upper case'),
        description: z.string().describe('What the task does'),
        actions: z
          .array(
            z.object({
              algorithm: z.string().describe('The algorithm that the action runs'),
              name: z.string().describe('Name of the action, in upper case'),
              description: z.string().describe('What the action does'),
              properties: properties.describe('Values that the action sets'),
            }),
          )
          .describe('Its actions, which ran at a time'),
      }),
    )
    .describe('Its tasks in the order in which they ran'),
});

const processingError = z.object({
  startOffsetFrame: z.int().describe('The first frame of the part that failed'),
  stopOffsetFrame: z.int().describe('The last frame of that part, inclusive'),
  startOffsetTime: z.int().describe('Milliseconds from the start of the medium to the start of that part'),
  stopOffsetTime: z.int().describe('Milliseconds from the start of the medium to the end of that part'),
  code: z.string().describe('Stable name of the cause; docs/reference/error-codes.md lists all'),
  message: z.string().describe('Description of the problem'),
});

const medium = z
  .object({
    mediaId: z.int().describe('Number of the medium, unique on the server'),
    parentMediaId: z.int().describe('The medium that it was extracted from; -1: the request named it'),
    archiveSourceMediaPath: z
      .string()
      .optional()
      .describe('Of results that were copied: its URI in the earlier job'),
    path: z.string().describe('Its URI without secrets, and without the content of data: URIs'),
    href: href('of the medium'),
    sha256: z.string().describe('SHA-256 of its bytes in hexadecimal digits; empty: it could not be read'),
    mimeType: z.string().describe('Media type, such as video/mp4'),
    mediaType: z
      .enum(['VIDEO', 'IMAGE', 'AUDIO', 'UNKNOWN'])
      .describe('UNKNOWN: neither picture, video nor sound, such as a document'),
    length: z.int().describe('Frames of a video, 1 for an image, -1 for all else'),
    frameRanges: z.array(range).describe('The frames of the request, or pages of a document; empty: all'),
    timeRanges: z.array(range).describe('The milliseconds of the request; empty: all'),
    mediaMetadata: properties.describe(
      'What the inspection found, such as DURATION (milliseconds), FPS and FRAME_WIDTH (pixels)',
    ),
    mediaProperties: properties.describe('Properties of the request for this medium alone'),
    status: z
      .enum(['COMPLETE', 'ERROR', 'INCOMPLETE'])
      .describe(
        'ERROR: the medium is unusable, or something failed; INCOMPLETE: a part failed, or the job was cancelled',
      ),
    detectionProcessingErrors: z.record(z.string(), z.array(processingError)).describe('By action'),
    markupResult: z
      .object({
        id: z.int().describe('Number of the copy, unique on the server'),
        path: z.string().describe('URI of the copy with the tracks drawn in'),
        status: z
          .enum(['COMPLETE', 'COMPLETE_WITH_WARNING', 'FAILED'])
          .describe('COMPLETE_WITH_WARNING: some boxes could not be drawn'),
        message: z
          .string()
          .nullable()
          .describe('Why it failed, or what could not be drawn; null: nothing is wrong'),
        href: href('of the copy'),
      })
      .nullable()
      .describe('A copy of the medium with the findings drawn in; null: there is none'),
    mediaSelectorsOutputUri: z
      .string()
      .optional()
      .describe('The document with results in place of the selected text'),
    mediaSelectorsOutputHref: href('of that document'),
    output: z
      .record(
        z.string(),
        z.array(
          z.object({
            source: z.string().describe('Name of the action'),
            algorithm: z.string().describe('The algorithm that the action ran'),
            annotators: z
              .array(z.string())
              .optional()
              .describe('Actions that gave the tracks more properties'),
            tracks: z
              .array(track)
              .optional()
              .describe('What was found; absent below NO TRACKS and TRACKS SUPPRESSED'),
          }),
        ),
      )
      .describe(
        'By track type; NO TRACKS when there are none, TRACKS SUPPRESSED when they are not to be shown',
      ),
    zoneRun: mediumZoneRun
      .optional()
      .describe(
        'What happened in the zones and at the lines of the request. Absent: it named none, or the medium has no pictures',
      ),
  })
  .meta({ id: 'DetectionMedium' });

const counted = z.int().min(1);
/** COCO, in the form that pycocotools and similar programs read. */
export const cocoDocument = z
  .object({
    info: z
      .object({
        description: z.string().describe('What the file has, in words'),
        version: z.string().describe('Version of this form of the file'),
        contributor: z.string().describe('The program that wrote it'),
      })
      .describe('Where the data comes from'),
    licenses: z.array(z.never()).describe('Always empty: the server does not know the rights to the media'),
    images: z
      .array(
        z.object({
          id: counted.describe('Number of the image in this file, from 1'),
          width: z.int().describe('Pixels'),
          height: z.int().describe('Pixels'),
          file_name: z
            .string()
            .describe('Name of the frame as a file; the ZIP of format=yolo has it under the same name'),
          coco_url: z.string().describe('URI of the medium'),
          media_id: z.int().describe('mediaId of the medium'),
          frame: z.int().min(0).describe('Number of the frame in the medium, from 0'),
        }),
      )
      .describe('Images, and frames of videos on which something was found'),
    categories: z
      .array(
        z.object({
          id: counted.describe('Number of the category, from 1'),
          name: z.string().describe('CLASSIFICATION of the tracks, or their type'),
          supercategory: z.string().describe('Type of the tracks'),
        }),
      )
      .describe('What was found, by name'),
    annotations: z
      .array(
        z.object({
          id: counted.describe('Number of the box, from 1'),
          image_id: counted.describe('The image that it is on'),
          category_id: counted.describe('The category that it has'),
          bbox: z
            .array(z.number())
            .length(4)
            .describe('x, y, width and height: pixels from the upper left corner'),
          area: z.number().describe('Square pixels'),
          iscrowd: z.literal(0).describe('Always 0: a box is one object'),
          score: z.number().optional().describe('Confidence; absent: the detector gives none'),
          attributes: z
            .record(z.string(), z.union([z.string(), z.number()]))
            .describe('Properties of the detection, and the track that it belongs to'),
        }),
      )
      .describe('The boxes'),
  })
  .meta({ id: 'CocoDocument', description: 'With format=coco' });

export const detectionDocument = z
  .object({
    jobId: z.string().describe('<hostname>-<job number>'),
    archiveSourceJobId: z
      .string()
      .optional()
      .describe('The earlier job, known to an archive, whose results were copied for this one'),
    objectId: z.uuid().describe('UUID of this document; each run of a job has a new one'),
    pipeline: pipeline.describe('The pipeline as it was when the job was created'),
    priority: z.int().min(0).max(9).describe('0 is the lowest, 9 the highest'),
    siteId: z.string().describe('SITE_ID of the server'),
    externalJobId: z.string().nullable().describe('externalId of the request; null: it had none'),
    timeStart: z.iso.datetime().describe('When the job was created, or resubmitted, in UTC'),
    timeStop: z.iso.datetime().describe('When it ended, in UTC'),
    timing: z
      .object({
        processingTime: z.int().min(0).describe('Milliseconds that components worked for the job'),
        actions: z
          .array(
            z.object({
              name: z.string().describe('Name of the action'),
              processingTime: z.int().min(0).describe('Milliseconds that components worked for it'),
            }),
          )
          .describe('By action, in pipeline order'),
      })
      .describe('Milliseconds that components worked, in all and for each action'),
    status: jobStatus.describe('How the job ended'),
    algorithmProperties: z.record(z.string(), properties).describe('Properties of the request by algorithm'),
    jobProperties: properties.describe('Properties of the request'),
    environmentVariableProperties: properties.describe(
      'Properties that the environment of the server sets (TROUPE_PROP_<NAME>)',
    ),
    media: z.array(medium).describe('The media of the job, and media extracted from them'),
    errors: issues.describe('What failed, by medium'),
    warnings: issues.describe('What went wrong without a failure, by medium'),
    componentVersions: z
      .array(
        z.object({
          action: z.string().describe('Name of the action'),
          algorithm: z.string().describe('The algorithm that it ran'),
          versions: z.array(z.string()).min(1).describe('componentVersion of each component that answered'),
        }),
      )
      .optional()
      .describe(
        'With OUTPUT_DETAILS: the versions of the components that have answered; several when one was replaced meanwhile',
      ),
    effectiveProperties: z
      .array(
        z.object({
          action: z.string().describe('Name of the action'),
          algorithm: z.string().describe('The algorithm that it ran'),
          mediaType: z
            .enum(['VIDEO', 'IMAGE', 'AUDIO', 'UNKNOWN'])
            .describe('The values apply to media of this type'),
          properties: properties.describe('Values by name of the property'),
        }),
      )
      .optional()
      .describe(
        'With OUTPUT_DETAILS: the values that applied to each action on media of the types of the job, without their own mediaProperties',
      ),
  })
  .meta({ id: 'DetectionOutputObject' });
