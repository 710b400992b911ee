import { z } from 'zod';
import { JOINED_FORMATS } from '../../../domain/job/export-formats.ts';
import { documentQuery } from './batch-jobs.ts';
import { jobFilters } from './job-list.ts';

/** Maximum number of jobs in an export. */
export const MAX_EXPORTED_JOBS = 10_000;

const jobIds = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((text) => text.split(',')))
  .pipe(
    z.array(z.string().regex(/^(?:.{1,200}-)?\d{1,15}$/, { error: 'must be the id of a job' })).max(1_000),
  );

/** Exports of many jobs (not in the specification). */
export const joinedExportQuery = z
  .strictObject({
    format: z.enum(JOINED_FORMATS).describe('One file for all jobs'),
    pictures: documentQuery.shape.pictures,
    ids: jobIds.optional().describe('Only these jobs, at most 1,000; the parameter may also be repeated'),
    ...jobFilters,
  })
  .refine(
    ({ ids, format: _, pictures: _p, ...filters }) =>
      ids === undefined || Object.values(filters).every((one) => one === undefined),
    { path: ['ids'], error: 'cannot be given together with a filter' },
  );

const place = {
  x: z.number().min(0).max(100).describe('Left edge of the box: percent of the width of the picture'),
  y: z.number().min(0).max(100).describe('Upper edge of the box: percent of the height of the picture'),
  width: z.number().min(0).max(100).describe('Width of the box: percent of the width of the picture'),
  height: z.number().min(0).max(100).describe('Height of the box: percent of the height of the picture'),
  rotation: z.literal(0).describe('Always 0: boxes are upright'),
};
const region = {
  id: z.string().describe('Id of the region, unique in its prediction'),
  score: z.number().optional().describe('Confidence; absent: the detector gives none'),
};
const rectangle = z.object({
  ...region,
  type: z.literal('rectanglelabels').describe('A box in an image'),
  from_name: z.literal('label').describe('Name of the control tag in the labeling configuration'),
  to_name: z.literal('image').describe('Name of the object tag in the labeling configuration'),
  original_width: z.int().describe('Width of the image: pixels'),
  original_height: z.int().describe('Height of the image: pixels'),
  image_rotation: z.literal(0).describe('Always 0: the image is shown without rotation'),
  value: z
    .object({
      ...place,
      rectanglelabels: z.array(z.string()).length(1).describe('The class or type of the track'),
    })
    .describe('The box and its label'),
});
const videoRectangle = z.object({
  ...region,
  type: z.literal('videorectangle').describe('A track in a video'),
  from_name: z.literal('box').describe('Name of the control tag in the labeling configuration'),
  to_name: z.literal('video').describe('Name of the object tag in the labeling configuration'),
  value: z
    .object({
      framesCount: z.int().describe('Number of frames of the video'),
      duration: z.number().describe('Seconds'),
      labels: z.array(z.string()).length(1).describe('The class or type of the track'),
      sequence: z
        .array(
          z.object({
            frame: z.int().min(1).describe('From 1'),
            time: z.number().describe('Seconds'),
            enabled: z.boolean().describe('false: it ends at this frame, until the next one of the list'),
            ...place,
          }),
        )
        .describe('The boxes of the track, by frame'),
    })
    .describe('The track and its label'),
});

/** Label Studio: tasks with predictions in its import format. */
export const labelStudioTasks = z
  .array(
    z.object({
      data: z
        .object({
          image: z.string().optional().describe('URI of the image; absent: it is a video'),
          video: z.string().optional().describe('URI of the video; absent: it is an image'),
          mediaId: z.int().describe('mediaId of the medium'),
        })
        .describe('The media to label'),
      predictions: z
        .array(
          z.object({
            model_version: z.string().describe('The job that made the prediction'),
            result: z
              .array(z.discriminatedUnion('type', [rectangle, videoRectangle]))
              .describe('Its boxes, or tracks'),
          }),
        )
        .describe('What the job has found'),
    }),
  )
  .meta({
    id: 'LabelStudioTasks',
    description: 'With format=labelstudio; places are percent of the picture',
  });
