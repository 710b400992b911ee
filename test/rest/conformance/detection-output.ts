/**
 * The detection output object (specification 2.2), written from the specification like `resources.ts`. "of
 * the reference" marks members that only the documents of the reference implementation have. No other members
 * are allowed.
 */
import { z } from 'zod';
import { BATCH_STATUSES, count, jobId, map, utc, whole } from './resources.ts';

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
  // of the reference
  index: count,
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
const range = z.strictObject({ start: count, stop: count });
const entry = {
  source: z.string().min(1),
  algorithm: z.string().min(1),
  // of the reference
  annotators: z.array(z.string()).optional(),
};
const output = z
  .object({ 'NO TRACKS': z.array(z.strictObject(entry)).optional() })
  .catchall(z.array(z.strictObject({ ...entry, tracks: z.array(track).min(1) })));
/** The specification lists no members. These are from the reference implementation. */
const markup = z.strictObject({
  id: whole,
  path: z.url(),
  status: z.string(),
  message: z.string().nullable(),
});
const medium = z.strictObject({
  mediaId: whole,
  // of the reference
  parentMediaId: whole,
  path: z.url(),
  sha256: z.string().regex(/^([0-9a-f]{64})?$/),
  mimeType: z.string().regex(/^(\w+\/\S+)?$/),
  mediaType: z.enum(['AUDIO', 'IMAGE', 'VIDEO', 'UNKNOWN']),
  length: whole,
  // of the reference
  frameRanges: z.array(range),
  timeRanges: z.array(range),
  mediaMetadata: map,
  mediaProperties: map,
  status: z.string(),
  detectionProcessingErrors: z.record(z.string(), z.unknown()),
  markupResult: markup.nullable(),
  // of the reference
  mediaSelectorsOutputUri: z.url().optional(),
  output,
});
const isKnown = ({ status, sha256, mimeType }: z.infer<typeof medium>) =>
  status !== 'COMPLETE' || (sha256 !== '' && mimeType !== '');
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
  // of the reference
  timing: z.strictObject({ processingTime: count, actions: z.array(z.strictObject({ name: z.string(), processingTime: count })) }), // oxfmt-ignore
  status: z.enum(BATCH_STATUSES),
  algorithmProperties: z.record(z.string(), map),
  jobProperties: map,
  environmentVariableProperties: map,
  media: z.array(medium.refine(isKnown, { error: 'has a hash and a type when it is complete' })).min(1),
});
