import { z } from 'zod';
import { json, nothing, type Operation } from '../openapi/operation.ts';
import { coreResponse, responseMessage, wholeNumber } from '../schemas/common.ts';
import { detectionDocument } from '../schemas/detection.ts';
import {
  archiveRepostRequest,
  archiveRepostResponse,
  creationQuery,
  dryRunResponse,
  jobCreationRequest,
  jobCreationResponse,
  jobId,
  singleJobInfo,
} from '../schemas/jobs.ts';

const TAG = 'Batch jobs';
const params = z.object({ id: jobId });

const CREATED = {
  jobId: 'host-12',
  coreResponse: { responseCode: 0, message: null },
  archiveCheckStatus: 'NO_ARCHIVE_URL_IN_JOB',
};
const REFUSED = {
  jobId: null,
  coreResponse: { responseCode: 1, message: 'Failure creating job. No pipeline named: NO SUCH' },
  archiveCheckStatus: null,
};

/** The routes of `http/batch-jobs.ts` (specification 4.2). */
export const batchJobOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/rest/jobs',
    id: 'createJob',
    tag: TAG,
    caller: 'USER',
    summary: 'Create a batch job',
    description: 'When this answers 201, the job is stored and survives the end of the server.',
    headers: z.object({
      'Idempotency-Key': z
        .string()
        .regex(/^[\x21-\x7e]{1,255}$/)
        .optional()
        .describe('A request that is repeated under the same key, for a day, gets the same job'),
    }),
    query: creationQuery,
    body: {
      schema: jobCreationRequest,
      example: {
        media: [{ mediaUri: 'file:///media/street.mp4' }],
        pipelineName: 'MOTION DETECTION PIPELINE',
      },
    },
    answers: {
      200: json('With dryRun=true: what the job would do.', dryRunResponse),
      201: {
        ...json('The job was accepted.', jobCreationResponse, CREATED),
        headers: { Location: 'Where the job can be asked for' },
      },
      400: json('The job was refused; the message says why.', jobCreationResponse, REFUSED),
      422: json('The Idempotency-Key was used for another request.', jobCreationResponse),
    },
  },
  {
    method: 'get',
    path: '/rest/jobs/{id}',
    id: 'getJob',
    tag: TAG,
    caller: 'USER',
    summary: 'Tell how a job stands',
    params,
    query: z.object({
      details: z.string().optional().describe('true: with the members that the specification does not list'),
    }),
    answers: { 200: json('The job.', singleJobInfo), 400: nothing('There is no such job.') },
  },
  {
    method: 'delete',
    path: '/rest/jobs/{id}',
    id: 'deleteJob',
    tag: TAG,
    caller: 'USER',
    summary: 'Remove a job that has ended, with its files',
    params,
    answers: {
      204: nothing('The job is gone.'),
      404: json('There is no such job.', responseMessage),
      409: json('The job has not ended yet.', responseMessage),
    },
  },
  {
    method: 'post',
    path: '/rest/jobs/archiverepost',
    id: 'repostToArchive',
    tag: TAG,
    caller: 'USER',
    summary: 'Post the results of jobs to their archives once more',
    description:
      'A job without archive counts as posted. What is sent is what was sent at the end of the job.',
    body: { schema: archiveRepostRequest, example: [12, 13] },
    answers: {
      200: json('Everything arrived.', archiveRepostResponse, { success: [12, 13], failures: [] }),
      500: json('Some posts failed; the others arrived.', archiveRepostResponse, {
        success: [12],
        failures: [{ jobId: 13, error: 'Job is still running.' }],
      }),
    },
  },
  {
    method: 'post',
    path: '/rest/jobs/{id}/cancel',
    id: 'cancelJob',
    tag: TAG,
    caller: 'USER',
    summary: 'Cancel a job',
    description: 'The job ends CANCELLED within seconds, with a document of what was found until then.',
    params,
    answers: {
      200: json('The job will end.', coreResponse, { responseCode: 0, message: null }),
      400: json('There is no such job, or it has ended or is being cancelled already.', coreResponse),
    },
  },
  {
    method: 'post',
    path: '/rest/jobs/{id}/resubmit',
    id: 'resubmitJob',
    tag: TAG,
    caller: 'USER',
    summary: 'Run a job that has ended once more',
    description: 'It keeps its id, its media and its plan.',
    params,
    query: z.object({
      jobPriority: wholeNumber(0, 9).optional().describe('0 lowest; absent: the default priority'),
    }),
    answers: {
      200: json('The job runs again.', jobCreationResponse, CREATED),
      400: json('There is no such job, it has not ended, or jobPriority is wrong.', jobCreationResponse),
      408: json('A form with jobPriority did not end in time.', responseMessage),
      413: json('A form with jobPriority is too large.', responseMessage),
    },
  },
  {
    method: 'get',
    path: '/rest/jobs/{id}/output/detection',
    id: 'getDetectionDocument',
    tag: TAG,
    caller: 'USER',
    summary: 'Get the detection document of a job that has ended',
    params,
    answers: {
      200: json('The document, streamed.', detectionDocument),
      400: nothing('There is no such job, it has not ended, or it was asked to write no document.'),
      502: json('The document of the earlier job that an archive had could not be fetched.', responseMessage),
    },
  },
];
