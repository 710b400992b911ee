import { z } from 'zod';
import type { StreamingJobService, StreamingJobRequest } from '../../actors/streaming-job/job-service.ts';
import { answered, json, nothing, ok, withoutBody } from '../declaration.ts';
import { endpoint } from '../endpoint.ts';
import { responseMessage, wholeNumber } from '../schemas/common.ts';
import { jobId } from '../schemas/batch-jobs.ts';
import {
  allStreamingJobs,
  cancelQuery,
  listQuery,
  streamingJobCancelResponse,
  streamingJobCreationRequest,
  streamingJobCreationResponse,
  streamingJobInfo,
  type StreamingJobCreationRequest,
} from '../schemas/streaming-jobs.ts';
import { JOB_EVENTS } from './job-events.ts';

export interface StreamingJobDeps {
  readonly streamingJobs: StreamingJobService;
}

const TAG = 'Streaming jobs';
const params = z.object({ id: wholeNumber(1).describe('Batch and streaming jobs share one range of ids') });
const NO_SUCH_JOB = nothing('There is no such job.');
const noBody = () => null;

/** Specification 4.3. There are no streaming jobs yet: what is valid is refused with a clear message, nothing is stored. */
export const streamingJobEndpoints = [
  endpoint({
    method: 'get',
    path: '/rest/streaming/jobs',
    id: 'listStreamingJobs',
    tag: TAG,
    caller: 'USER',
    summary: 'List the ids of streaming jobs',
    query: listQuery,
    answers: {
      200: json('The ids.', allStreamingJobs, { jobIds: [] }),
      400: json('isActive is neither true nor false.', responseMessage),
    },
    handle: () => ok({ jobIds: [] }),
  }),
  endpoint({
    method: 'post',
    path: '/rest/streaming/jobs',
    id: 'createStreamingJob',
    tag: TAG,
    caller: 'USER',
    summary: 'Create a streaming job',
    description: 'Not supported yet: a request that is valid is refused, too.',
    body: {
      schema: streamingJobCreationRequest,
      example: {
        enableOutputToDisk: true,
        stream: { streamUri: 'rtsp://camera.example/live', segmentSize: 100 },
        stallTimeout: 180_000,
        pipelineName: 'MOTION DETECTION PIPELINE',
      },
    },
    answers: {
      201: json('The job was accepted.', streamingJobCreationResponse),
      400: json(
        'The job was refused; the message says why.',
        streamingJobCreationResponse,
        notCreated(creationFailure('The segment size must be at least 10.')),
      ),
    },
    refusal: notCreated,
    says: {
      body: (problems) => creationFailure(`The request has errors in the following fields:\n${problems}`),
    },
    handle({ body }, { streamingJobs }: StreamingJobDeps) {
      const { refused } = streamingJobs.submit(toRequest(body));
      return answered(400, notCreated(creationFailure(refused, body.externalId)));
    },
  }),
  endpoint({
    method: 'get',
    path: '/rest/streaming/jobs/{id}',
    id: 'getStreamingJob',
    tag: TAG,
    caller: 'USER',
    summary: 'Tell how a streaming job stands',
    params,
    answers: { 200: json('The job.', streamingJobInfo), 400: NO_SUCH_JOB },
    refusal: noBody,
    handle: () => withoutBody(400),
  }),
  endpoint({
    method: 'post',
    path: '/rest/streaming/jobs/{id}/cancel',
    id: 'cancelStreamingJob',
    tag: TAG,
    caller: 'USER',
    summary: 'Cancel a streaming job',
    params,
    query: cancelQuery,
    answers: {
      200: json('The job will end.', streamingJobCancelResponse),
      400: json('There is no such job, or it has ended.', streamingJobCancelResponse),
    },
    refusal: notCancelled,
    says: {
      params: (_, given) => `Failed to parse the streaming job id '${(given as { id: string }).id}'.`,
    },
    handle: ({ params, query }) =>
      answered(400, notCancelled(`Streaming job with id ${params.id} doesn't exist.`, { params, query })),
  }),
  endpoint({
    method: 'get',
    path: '/rest/streaming/jobs/{id}/events',
    id: 'watchStreamingJob',
    tag: TAG,
    caller: 'USER',
    summary: 'Watch a streaming job (server-sent events)',
    params: z.object({ id: jobId }),
    answers: { 200: JOB_EVENTS, 400: NO_SUCH_JOB },
    handle: () => withoutBody(400),
  }),
];

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

function creationFailure(reason: string, externalId?: string | null): string {
  const given = externalId !== null && externalId !== undefined && externalId.trim() !== '';
  const withId = given ? ` with external id '${externalId}'` : '';
  return `Failure creating streaming job${withId} due to an exception. ${reason}`;
}

function notCreated(message: string): z.infer<typeof streamingJobCreationResponse> {
  return { jobId: -1, outputObjectDirectory: null, coreResponse: { responseCode: 1, message } };
}

/** It repeats what of the request could be read. */
function notCancelled(
  message: string,
  seen: { readonly params?: unknown; readonly query?: unknown },
): z.infer<typeof streamingJobCancelResponse> {
  const { id = -1 } = (seen.params ?? {}) as Partial<z.infer<typeof params>>;
  const { doCleanup = false } = (seen.query ?? {}) as Partial<z.infer<typeof cancelQuery>>;
  return { jobId: id, doCleanup, outputObjectDirectory: null, coreResponse: { responseCode: 1, message } };
}
