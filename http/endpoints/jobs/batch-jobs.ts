import type { Context } from 'koa';
import { z } from 'zod';
import type { JobCommand, JobReply } from '../../../actors/batch-job/state/commands.ts';
import type { Family } from '../../../actors/runtime/system.ts';
import { jobNumber } from '../../../domain/job/job-id.ts';
import { userOf } from '../../access/bearer.ts';
import { json, limitReached, nothing, ok, sentence, withoutBody } from '../../routing/declaration.ts';
import { endpoint } from '../../steps/endpoint.ts';
import { jobTrace } from '../../steps/traces.ts';
import type { ErrorCode } from '../../routing/error-codes.ts';
import { errorMembers, HttpError, notThere, overloadError } from '../../routing/errors.ts';
import { coreProblem, coreResponse, onFailure, successResponse } from '../../schemas/common.ts';
import { cocoDocument, detectionDocument } from '../../schemas/jobs/detection-document.ts';
import { labelStudioTasks } from '../../schemas/jobs/exports.ts';
import {
  archiveRepostProblem,
  archiveRepostRequest,
  archiveRepostResponse,
  creationHeaders,
  creationQuery,
  documentQuery,
  dryRunResponse,
  jobCreationProblem,
  jobCreationRequest,
  jobChange,
  jobCreationResponse,
  jobId,
  jobIdParam,
  resubmitQuery,
  singleJobInfo,
  singleJobQuery,
} from '../../schemas/jobs/batch-jobs.ts';
import {
  createJob,
  answerCreated,
  creationFailure,
  notCreated,
  tooManyMedia,
  WRONG_KEY,
  type CreationDeps,
} from './job-creation.ts';
import type { JobGuard } from '../../users/job-step.ts';
import { whyNotCancelled } from './job-cancel.ts';
import { acceptedFormat, EXPORT_TYPES, foundIn } from './job-exports.ts';
import { repost, type ResultDeps } from './job-results.ts';

export interface BatchJobDeps extends CreationDeps, ResultDeps, JobGuard {
  readonly jobs: Family<JobCommand, JobReply>;
}

const COMMON = { tag: 'Batch jobs', caller: 'USER' } as const;
const params = z.object({ id: jobIdParam });
const CREATED = {
  jobId: 'host-12',
  coreResponse: { responseCode: 0, message: null },
  archiveCheckStatus: 'NO_ARCHIVE_URL_IN_JOB',
};
const WHY_REFUSED = creationFailure('No pipeline named: NO SUCH');
const REFUSED = { ...notCreated(WHY_REFUSED), ...errorMembers('pipeline-not-found', WHY_REFUSED) };
const NOT_POSTED = 'Some results were not posted. `failures` gives the reasons.';
const noBody = () => null;
const noJob = () => withoutBody(400);
const noJobId = (_: string, given: unknown) =>
  `Failed to parse job id of '${(given as { id: string }).id}'. Expected a job id like <hostname>-<integer>.`;

/** Specification 4.2. */
export const batchJobEndpoints = [
  endpoint({
    ...COMMON,
    method: 'post',
    path: '/rest/jobs',
    id: 'createJob',
    jobs: 'NONE',
    summary: 'Create a batch job',
    description: 'When this answers 201, the job is stored and survives a restart of the server.',
    headers: creationHeaders,
    query: creationQuery,
    body: {
      schema: jobCreationRequest,
      noun: 'a job',
      example: {
        media: [{ mediaUri: 'file:///media/street.mp4' }],
        pipelineName: 'MOTION DETECTION PIPELINE',
      },
    },
    answers: {
      200: json('With dryRun=true: what the job would do.', dryRunResponse),
      201: {
        ...json('The job was accepted.', jobCreationResponse, CREATED),
        headers: { Location: 'Address of the job' },
      },
      400: json('The job is refused. The message says why.', jobCreationProblem, REFUSED),
      422: json('The Idempotency-Key was used for another request.', jobCreationProblem),
      429: limitReached(jobCreationProblem),
    },
    refusal: notCreated,
    firstLook: tooManyMedia,
    says: {
      body: (problems) => creationFailure(`The request has errors in the following fields:\n${problems}`),
      headers: () => WRONG_KEY,
    },
    handle: ({ body, given, unknownMembers, query, headers, ctx }, deps: BatchJobDeps) =>
      createJob(
        {
          ...{ body, given, unknownMembers, isDryRun: query.dryRun === true },
          ...{ key: headers['Idempotency-Key'], trace: jobTrace(ctx) },
        },
        ctx,
        deps,
      ),
  }),
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/jobs/{id}',
    id: 'getJob',
    jobs: 'BATCH_JOB',
    summary: 'Show a job',
    params,
    query: singleJobQuery,
    answers: { 200: json('The job.', singleJobInfo), 400: nothing('There is no such job.') },
    refusal: noBody,
    absent: noJob,
    async handle({ params: { id }, query: { details = '' } }, { views }: BatchJobDeps) {
      // Members outside the specification need details=true, because strict clients may refuse unknown members.
      const info = /^true$/i.test(details) ? await views.detailedJob(id) : await views.single(id);
      return info === undefined ? noJob() : ok(info);
    },
  }),
  endpoint({
    ...COMMON,
    method: 'post',
    path: '/rest/jobs/{id}/cancel',
    id: 'cancelJob',
    jobs: 'BATCH_JOB',
    summary: 'Cancel a job',
    description: 'The job ends CANCELLED within seconds, with a document of what was found until then.',
    params,
    answers: {
      200: json('The job will end.', coreResponse, { responseCode: 0, message: null }),
      400: json('There is no such job, or it has ended or is being cancelled already.', coreProblem),
      403: json('The job belongs to another user.', coreProblem),
    },
    refusal: onFailure,
    says: { params: noJobId },
    absent: ({ params: { id } }) => noSuchJobToCancel(id),
    async handle({ params: { id } }, { jobs, views }: BatchJobDeps) {
      const reply = await jobs.ask(String(id), { type: 'cancel' });
      if (reply.kind === 'done') return ok(successResponse());
      const job = await views.single(id);
      const message = whyNotCancelled(id, job);
      const code = job === undefined ? 'job-not-found' : 'job-finished';
      throw new HttpError(code, message, { status: 400, body: onFailure(message) });
    },
  }),
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/jobs/{id}/output/detection',
    id: 'getDetectionDocument',
    jobs: 'BATCH_JOB',
    summary: 'Get the detection document of an ended job',
    description:
      '`format` chooses a format for other tools. Without it, the Accept header can choose one of the types of 200, except application/xml.',
    params,
    query: documentQuery,
    answers: {
      200: {
        ...json(
          'The document, or its export in another format, streamed.',
          z.union([detectionDocument, cocoDocument, labelStudioTasks]),
        ),
        others: EXPORT_TYPES,
      },
      400: {
        ...sentence(
          'The job does not exist, has not ended or has no document (no body), or is not available in this format (with a message).',
        ),
        onRequest: true,
      },
      409: sentence('With another format than json: the job has not ended.'),
      502: sentence('The archive did not return the document of the earlier job.'),
    },
    refusal: (_, { params: address }) => (address === undefined ? null : {}),
    absent: noJob,
    handle: ({ params: { id }, query, ctx }, deps: BatchJobDeps) =>
      foundIn(id, { ...query, format: query.format ?? acceptedFormat(ctx) }, ctx.res, deps),
  }),
  endpoint({
    ...COMMON,
    method: 'post',
    path: '/rest/jobs/{id}/resubmit',
    id: 'resubmitJob',
    jobs: 'BATCH_JOB',
    summary: 'Run an ended job again',
    description: 'It keeps its id, its media and its plan.',
    params,
    query: resubmitQuery,
    form: true,
    answers: {
      200: json('The job runs again.', jobCreationResponse, CREATED),
      400: json('There is no such job, it has not ended, or jobPriority is wrong.', jobCreationProblem),
      403: json('The job belongs to another user.', jobCreationProblem),
      429: limitReached(jobCreationProblem),
      408: sentence('A form with jobPriority did not arrive in time.'),
      413: sentence('A form with jobPriority is too large.'),
    },
    refusal: notCreated,
    says: { params: noJobId },
    absent: ({ params: { id } }) => noSuchJobToResubmit(id),
    handle: ({ params: { id }, query: { jobPriority }, ctx }, deps: BatchJobDeps) =>
      resubmit(id, jobPriority, ctx, deps),
  }),
  endpoint({
    ...COMMON,
    method: 'post',
    path: '/rest/jobs/archiverepost',
    id: 'repostToArchive',
    jobs: 'LIST',
    summary: 'Post results to archives again',
    description:
      'A job without archive counts as posted. Troupe sends the same data as at the end of the job.',
    body: { schema: archiveRepostRequest, example: [12, 13] },
    answers: {
      200: json('Everything arrived.', archiveRepostResponse, { success: [12, 13], failures: [] }),
      500: json('Some posts failed. The others have arrived.', archiveRepostProblem, {
        success: [12],
        failures: [{ jobId: 13, error: 'Job is still running.' }],
        ...errorMembers('archive-repost-failed', NOT_POSTED),
      }),
    },
    says: { body: (problems) => `The body must be an array of job ids:\n${problems}` },
    /** Specification 6.4: 200 when every post succeeded, else 500 with the same body. */
    async handle({ body, ctx }, deps: BatchJobDeps) {
      const reposted = await repost(body, ctx, deps);
      if (reposted.failures.length === 0) return ok(reposted);
      throw new HttpError('archive-repost-failed', NOT_POSTED, { body: reposted });
    },
  }),
  // Not in the specification.
  endpoint({
    ...COMMON,
    method: 'patch',
    path: '/rest/jobs/{id}',
    id: 'changeJob',
    jobs: 'BATCH_JOB',
    summary: 'Change the priority, labels or external id of a job',
    description:
      'A new priority also applies to waiting work of the job. It does not interrupt running work.',
    params: z.object({ id: jobId }),
    body: { schema: jobChange, example: { priority: 7, labels: ['set:night'] } },
    answers: {
      200: json('The job as it is now.', singleJobInfo),
      404: sentence('There is no such job.'),
      409: sentence('The job has ended, so its priority cannot be changed.'),
    },
    says: { body: (problems) => `The change has errors in the following fields:\n${problems}` },
    absent: ({ params }) => noJobOf(params.id),
    handle: ({ params, body, ctx }, deps: BatchJobDeps) => changeJob(params.id, body, ctx, deps),
  }),
  endpoint({
    ...COMMON,
    method: 'delete',
    path: '/rest/jobs/{id}',
    id: 'deleteJob',
    jobs: 'BATCH_JOB',
    summary: 'Delete an ended job with its files',
    params: z.object({ id: jobId }),
    answers: {
      204: nothing('The job is deleted.'),
      404: sentence('There is no such job.'),
      409: sentence('The job has not ended yet.'),
    },
    absent: ({ params }) => noJobOf(params.id),
    async handle({ params, ctx }, { jobService }: BatchJobDeps) {
      const id = jobNumber(params.id);
      const outcome = id === null ? 'unknown' : await jobService.remove(id, userOf(ctx).name);
      if (outcome === 'unknown') return noJobOf(params.id);
      if (outcome === 'live')
        throw new HttpError(
          'job-not-finished',
          `Job ${id} has not ended yet. Cancel it first, or wait for its end.`,
        );
      return withoutBody(204);
    },
  }),
];

function noJobOf(id: string): never {
  throw notThere('job', id, '/rest/jobs');
}

const whyNotResubmitted = (id: number, why: string) => `Failed to resubmit the job with id '${id}'. ${why}`;

function notResubmitted(code: ErrorCode, id: number, why: string): HttpError {
  const message = whyNotResubmitted(id, why);
  return new HttpError(code, message, { status: 400, body: notCreated(message) });
}

function noSuchJobToCancel(id: number): never {
  const message = whyNotCancelled(id, undefined);
  throw new HttpError('job-not-found', message, { status: 400, body: onFailure(message) });
}

function noSuchJobToResubmit(id: number): never {
  throw notResubmitted('job-not-found', id, `There was no job with id: ${id}`);
}

async function changeJob(
  jobId: string,
  { priority, labels, externalId }: z.output<typeof jobChange>,
  ctx: Context,
  { jobService, views, userLimits }: BatchJobDeps,
) {
  const tooHigh = userLimits.refusedPriority(ctx, priority);
  if (tooHigh !== undefined) throw new HttpError('priority-too-high', tooHigh);
  const id = jobNumber(jobId);
  const reply =
    id === null
      ? undefined
      : await jobService.change(id, {
          ...(priority === undefined ? {} : { priority }),
          ...(labels === undefined ? {} : { labels }),
          ...(externalId === undefined ? {} : { externalId }),
        });
  if (reply?.kind === 'refused' && reply.reason === 'WRONG_STATE')
    throw new HttpError(
      'job-finished',
      `Job ${jobId} has ended, so its priority cannot be changed. Resubmit it with another priority, or change only its labels and external id.`,
    );
  const job = reply?.kind === 'done' ? await views.detailedJob(id!) : undefined;
  if (job === undefined) return noJobOf(jobId);
  return ok(job);
}

async function resubmit(
  id: number,
  priority: number | undefined,
  ctx: Context,
  { jobService, views, userLimits }: BatchJobDeps,
) {
  const tooHigh = userLimits.refusedPriority(ctx, priority);
  if (tooHigh !== undefined) throw notResubmitted('priority-too-high', id, tooHigh);
  const reply = await userLimits.within(
    ctx,
    'jobs',
    () => jobService.resubmit(id, userLimits.priority(ctx, priority), { trace: jobTrace(ctx) }),
    (message) => notCreated(whyNotResubmitted(id, message)),
  );
  if (reply.kind === 'overloaded') throw overloadError(reply.message);
  if (reply.kind === 'refused') {
    const why =
      reply.reason === 'NO_SUCH_JOB'
        ? `There was no job with id: ${id}`
        : `The job with id ${id} is in the non-terminal state of '${reply.status}'. Only jobs in a terminal state may be resubmitted.`;
    throw notResubmitted(reply.reason === 'NO_SUCH_JOB' ? 'job-not-found' : 'job-not-finished', id, why);
  }
  const job = await views.single(id);
  // A resubmitted run is always processed, without an archive check: the archive knows the results of the run before.
  const archiveCheckStatus =
    job?.archiveStatus === 'NOT REQUESTED' ? 'NO_ARCHIVE_URL_IN_JOB' : 'NOT_REQUESTED';
  return ok(answerCreated({ kind: 'accepted', jobId: job?.jobId ?? String(id), archiveCheckStatus }));
}
