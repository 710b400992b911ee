import type Router from '@koa/router';
import type { Context } from 'koa';
import type { z } from 'zod';
import type { StreamingJobService, StreamingJobRequest } from '../actors/streaming-job/job-service.ts';
import { empty, HttpError, refusedAs } from './errors.ts';
import { wholeNumber } from './schemas/common.ts';
import { checked } from './schemas/problems.ts';
import {
  cancelQuery,
  listQuery,
  streamingJobCreationRequest,
  type allStreamingJobs,
  type StreamingJobCreationRequest,
  type streamingJobCancelResponse,
  type streamingJobCreationResponse,
} from './schemas/streaming.ts';
import { readJson, type BodyLimits } from './steps/json-body.ts';

export interface StreamingJobRoutes {
  readonly streamingJobs: StreamingJobService;
  readonly bodyLimits: BodyLimits;
}

/** Specification 4.3. There are no streaming jobs yet: what is valid is refused with a clear message, nothing is stored. */
export function streamingJobRoutes(router: Router, deps: StreamingJobRoutes): void {
  router.get('/rest/streaming/jobs', list);
  router.post('/rest/streaming/jobs', (ctx) => create(ctx, deps));
  router.get('/rest/streaming/jobs/:id', (ctx) => empty(ctx, 400));
  router.post('/rest/streaming/jobs/:id/cancel', cancel);
}

function list(ctx: Context): void {
  const query = checked(listQuery, ctx.query, 'query');
  if ('problems' in query) throw new HttpError(400, query.problems);
  const body: z.infer<typeof allStreamingJobs> = { jobIds: [] };
  ctx.body = body;
}

async function create(ctx: Context, { streamingJobs, bodyLimits }: StreamingJobRoutes): Promise<void> {
  const parsed = checked(streamingJobCreationRequest, await refusedAs(readJson(ctx, bodyLimits), notCreated));
  if ('problems' in parsed)
    throw creationRefused(undefined, `The request has errors in the following fields:\n${parsed.problems}`);
  const { externalId } = parsed.ok;
  throw creationRefused(externalId, streamingJobs.submit(toRequest(parsed.ok)).refused);
}

/** The request in the words of the job service. */
function toRequest(body: StreamingJobCreationRequest): StreamingJobRequest {
  const { streamUri, segmentSize, mediaProperties } = body.stream;
  return {
    externalId: body.externalId ?? null,
    jobProperties: body.jobProperties ?? {},
    algorithmProperties: body.algorithmProperties ?? {},
    stream: { uri: streamUri, segmentSize, properties: mediaProperties ?? {} },
    pipelineName: body.pipelineName,
  };
}

function cancel(ctx: Context): void {
  const { id: text } = ctx['params'] as { id: string };
  const id = wholeNumber(1).safeParse(text);
  const query = checked(cancelQuery, ctx.query, 'query');
  const given = 'ok' in query ? query.ok : undefined;
  if (!id.success) throw cancelRefused(-1, given, `Failed to parse the streaming job id '${text}'.`);
  if ('problems' in query) throw cancelRefused(id.data, undefined, query.problems);
  throw cancelRefused(id.data, query.ok, `Streaming job with id ${id.data} doesn't exist.`);
}

function creationRefused(externalId: string | null | undefined, reason: string): HttpError {
  const given = externalId !== null && externalId !== undefined && externalId.trim() !== '';
  const withId = given ? ` with external id '${externalId}'` : '';
  const message = `Failure creating streaming job${withId} due to an exception. ${reason}`;
  return new HttpError(400, message, { body: notCreated(message) });
}

const notCreated = (message: string): z.infer<typeof streamingJobCreationResponse> => ({
  jobId: -1,
  outputObjectDirectory: null,
  coreResponse: { responseCode: 1, message },
});

function cancelRefused(
  jobId: number,
  query: z.infer<typeof cancelQuery> | undefined,
  message: string,
): HttpError {
  const body: z.infer<typeof streamingJobCancelResponse> = {
    jobId,
    doCleanup: query?.doCleanup ?? false,
    outputObjectDirectory: null,
    coreResponse: { responseCode: 1, message },
  };
  return new HttpError(400, message, { body });
}
