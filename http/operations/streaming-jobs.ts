import { z } from 'zod';
import { json, nothing, type Operation } from '../openapi/operation.ts';
import { responseMessage, wholeNumber } from '../schemas/common.ts';
import {
  allStreamingJobs,
  cancelQuery,
  listQuery,
  streamingJobCancelResponse,
  streamingJobCreationRequest,
  streamingJobCreationResponse,
  streamingJobInfo,
} from '../schemas/streaming.ts';

const TAG = 'Streaming jobs';
const params = z.object({ id: wholeNumber(1).describe('Batch and streaming jobs share one range of ids') });

/** The routes of `http/streaming-jobs.ts` (specification 4.3). */
export const streamingJobOperations: readonly Operation[] = [
  {
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
  },
  {
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
      400: json('The job was refused; the message says why.', streamingJobCreationResponse, {
        jobId: -1,
        outputObjectDirectory: null,
        coreResponse: {
          responseCode: 1,
          message:
            'Failure creating streaming job due to an exception. The segment size must be at least 10.',
        },
      }),
    },
  },
  {
    method: 'get',
    path: '/rest/streaming/jobs/{id}',
    id: 'getStreamingJob',
    tag: TAG,
    caller: 'USER',
    summary: 'Tell how a streaming job stands',
    params,
    answers: { 200: json('The job.', streamingJobInfo), 400: nothing('There is no such job.') },
  },
  {
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
  },
];
