import { z } from 'zod';

/** Bodies of the batch job endpoints (specification 2.1): each validates, types and documents. */
const MAX_PROPERTIES = 64 * 1024;
const properties = z.record(z.string(), z.string()).refine((map) => sizeOf(map) <= MAX_PROPERTIES, {
  error: `must have no more than ${MAX_PROPERTIES} characters in all`,
});

function sizeOf(map: Readonly<Record<string, string>>): number {
  return Object.entries(map).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
}

const mediaRange = z
  .object({ start: z.int().nonnegative(), stop: z.int().nonnegative() })
  .refine(({ start, stop }) => stop >= start, { error: 'stop must not be before start', path: ['stop'] });

const mediaData = z.object({
  mediaUri: z.string().min(1),
  metadata: properties.optional(),
  properties: properties.optional(),
  frameRanges: z.array(mediaRange).max(10_000).optional(),
  timeRanges: z.array(mediaRange).max(10_000).optional(),
  mediaSelectorsOutputAction: z.string().optional(),
  mediaSelectors: z.array(z.unknown()).optional(),
});

const transientTask = z.object({ name: z.string().min(1), actions: z.array(z.string().min(1)) });
const transientAction = z.object({
  name: z.string().min(1),
  algorithm: z.string().min(1),
  properties: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
});
const transientPipelineDefinition = z.object({
  pipeline: z.array(z.string().min(1)),
  tasks: z.array(transientTask).optional(),
  actions: z.array(transientAction).optional(),
});

export const jobCreationRequest = z.object({
  media: z.array(mediaData),
  pipelineName: z.string().nullish(),
  pipelineDefinition: transientPipelineDefinition.nullish(),
  buildOutput: z.boolean().nullish(),
  externalId: z.string().max(1_000).nullish(),
  jobProperties: properties.nullish(),
  algorithmProperties: z.record(z.string(), properties).nullish(),
  priority: z.int().min(0).max(9).nullish(),
  callbackURL: z.string().nullish(),
  callbackMethod: z.string().nullish(),
});
export type JobCreationRequest = z.infer<typeof jobCreationRequest>;
