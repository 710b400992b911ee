/** The detection output object (specification 2.2), written from the specification like `resources.ts`. */
import { z } from 'zod';
import { BATCH_STATUSES, count, jobId, map, ours, utc, whole } from './resources.ts';

const detection = z.strictObject({
  offsetFrame: count,
  offsetTime: count,
  x: whole,
  y: whole,
  width: whole,
  height: whole,
  confidence: z.number(),
  detectionProperties: map,
  artifactExtractionStatus: z.string(),
  artifactPath: z.string().nullable(),
});
const track = z.strictObject({
  id: z.string().min(1),
  index: ours,
  startOffsetFrame: count,
  stopOffsetFrame: count,
  startOffsetTime: count,
  stopOffsetTime: count,
  type: z.string().min(1),
  source: z.string().min(1),
  confidence: z.number(),
  trackProperties: map,
  exemplar: detection,
  detections: z.array(detection).min(1),
});
const entry = { source: z.string().min(1), algorithm: z.string().min(1) };
const output = z
  .object({ 'NO TRACKS': z.array(z.strictObject(entry)).optional() })
  .catchall(z.array(z.strictObject({ ...entry, tracks: z.array(track).min(1) })));
const medium = z.strictObject({
  mediaId: whole,
  parentMediaId: ours,
  path: z.url(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  mimeType: z.string().regex(/^\w+\/\S+$/),
  mediaType: z.enum(['AUDIO', 'IMAGE', 'VIDEO', 'UNKNOWN']),
  length: whole,
  frameRanges: ours,
  timeRanges: ours,
  mediaMetadata: map,
  mediaProperties: map,
  status: z.string(),
  detectionProcessingErrors: z.record(z.string(), z.unknown()),
  markupResult: z.null(),
  output,
});
const action = z.strictObject({
  algorithm: z.string(),
  name: z.string(),
  description: z.string(),
  properties: map,
});
const task = z.strictObject({
  actionType: z.string(),
  name: z.string(),
  description: z.string(),
  actions: z.array(action).min(1),
});

export const detectionOutput = z.strictObject({
  jobId,
  errors: z.array(z.unknown()),
  warnings: z.array(z.unknown()),
  objectId: z.string().min(1),
  pipeline: z.strictObject({ name: z.string(), description: z.string(), tasks: z.array(task).min(1) }),
  priority: whole.min(0).max(9),
  siteId: z.string(),
  externalJobId: z.string().nullable(),
  timeStart: utc,
  timeStop: utc,
  timing: ours,
  status: z.enum(BATCH_STATUSES),
  algorithmProperties: z.record(z.string(), map),
  jobProperties: map,
  environmentVariableProperties: map,
  media: z.array(medium).min(1),
  effectiveProperties: ours,
});
