import { z } from 'zod';
import { JOINED_FORMATS } from '../../../domain/job/export-formats.ts';
import { documentQuery } from './batch-jobs.ts';
import { jobFilters } from './job-list.ts';

/** Jobs of an export at most. */
export const MAX_EXPORTED_JOBS = 10_000;

const jobIds = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((text) => text.split(',')))
  .pipe(
    z.array(z.string().regex(/^(?:.{1,200}-)?\d{1,15}$/, { error: 'must be the id of a job' })).max(1_000),
  );

/** Exports over many jobs (ours). */
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
  x: z.number().min(0).max(100),
  y: z.number().min(0).max(100),
  width: z.number().min(0).max(100),
  height: z.number().min(0).max(100),
  rotation: z.literal(0),
};
const region = { id: z.string(), score: z.number().optional() };
const rectangle = z.object({
  ...region,
  type: z.literal('rectanglelabels'),
  from_name: z.literal('label'),
  to_name: z.literal('image'),
  original_width: z.int(),
  original_height: z.int(),
  image_rotation: z.literal(0),
  value: z.object({ ...place, rectanglelabels: z.array(z.string()).length(1) }),
});
const videoRectangle = z.object({
  ...region,
  type: z.literal('videorectangle'),
  from_name: z.literal('box'),
  to_name: z.literal('video'),
  value: z.object({
    framesCount: z.int(),
    duration: z.number().describe('Seconds'),
    labels: z.array(z.string()).length(1),
    sequence: z.array(
      z.object({
        frame: z.int().min(1).describe('From 1'),
        time: z.number().describe('Seconds'),
        enabled: z.boolean().describe('false: it ends at this frame, until the next one of the list'),
        ...place,
      }),
    ),
  }),
});

/** Label Studio: tasks with predictions, as it imports them. */
export const labelStudioTasks = z
  .array(
    z.object({
      data: z.object({ image: z.string().optional(), video: z.string().optional(), mediaId: z.int() }),
      predictions: z.array(
        z.object({
          model_version: z.string(),
          result: z.array(z.discriminatedUnion('type', [rectangle, videoRectangle])),
        }),
      ),
    }),
  )
  .meta({
    id: 'LabelStudioTasks',
    description: 'With format=labelstudio; places are percent of the picture',
  });
