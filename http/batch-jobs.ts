import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import type { JobCommand, JobReply } from '../actors/batch-job/commands.ts';
import type { JobDesk, JobRequest } from '../actors/batch-job/desk.ts';
import type { Family } from '../actors/runtime/system.ts';
import { jobNumber, type JobViews } from '../actors/views/jobs.ts';
import { empty, HttpError, overloaded } from './errors.ts';
import { jobCreationRequest, type JobCreationRequest } from './schemas/jobs.ts';
import { problemsOf } from './schemas/problems.ts';
import { readJson, type BodyLimits } from './steps/json-body.ts';

export interface BatchJobParts {
  readonly desk: JobDesk;
  readonly jobs: Family<JobCommand, JobReply>;
  readonly views: JobViews;
  readonly bodyLimits: BodyLimits;
}

/** Specification 4.2. */
export function batchJobRoutes(router: Router, parts: BatchJobParts): void {
  router.post('/rest/jobs', (ctx) => create(ctx, parts));
  router.get('/rest/jobs/:id', (ctx) => single(ctx, parts));
  router.post('/rest/jobs/:id/cancel', (ctx) => cancel(ctx, parts));
  router.post('/rest/jobs/:id/resubmit', (ctx) => resubmit(ctx, parts));
  router.get('/rest/jobs/:id/output/detection', (ctx) => detection(ctx, parts));
}

async function create(ctx: Context, { desk, bodyLimits }: BatchJobParts): Promise<void> {
  const parsed = jobCreationRequest.safeParse(await readJson(ctx, bodyLimits));
  if (!parsed.success)
    throw creationRefused(
      undefined,
      `The request has errors in the following fields:\n${problemsOf(parsed.error)}`,
    );
  const body = parsed.data;
  const method = body.callbackMethod?.toUpperCase();
  if (method !== undefined && method !== 'GET' && method !== 'POST')
    throw creationRefused(
      body.externalId,
      `callbackMethod is "${body.callbackMethod}"; it must be GET or POST.`,
    );
  const submission = await desk.submit(toRequest(body));
  switch (submission.kind) {
    case 'overloaded':
      throw overloaded(submission.message);
    case 'refused':
      throw creationRefused(body.externalId, submission.message);
    case 'accepted':
      ctx.status = 201;
      ctx.body = creationResponse(submission.jobId, 0, null);
  }
}

/** The request in the words of the job desk; what the client left out gets the specification's defaults. */
function toRequest(body: JobCreationRequest): JobRequest {
  return {
    media: body.media.map((medium) => ({
      uri: medium.mediaUri,
      metadata: medium.metadata ?? {},
      properties: medium.properties ?? {},
      frameRanges: medium.frameRanges ?? [],
      timeRanges: medium.timeRanges ?? [],
    })),
    pipelineName: body.pipelineName ?? undefined,
    pipelineDefinition: body.pipelineDefinition ?? undefined,
    buildOutput: body.buildOutput ?? true,
    externalId: body.externalId ?? null,
    jobProperties: body.jobProperties ?? {},
    algorithmProperties: body.algorithmProperties ?? {},
    priority: body.priority ?? undefined,
    wantsCallback: isGiven(body.callbackURL),
    wantsSelectors: body.media.some(
      ({ mediaSelectors, mediaSelectorsOutputAction }) =>
        (mediaSelectors?.length ?? 0) > 0 || isGiven(mediaSelectorsOutputAction),
    ),
  };
}

const isGiven = (text: string | null | undefined) =>
  text !== null && text !== undefined && text.trim() !== '';

async function single(ctx: Context, { views }: BatchJobParts): Promise<void> {
  const id = jobNumber(idOf(ctx));
  const info = id === null ? undefined : await views.single(id);
  if (info === undefined) return empty(ctx, 400);
  ctx.body = info;
}

async function cancel(ctx: Context, { jobs }: BatchJobParts): Promise<void> {
  const id = jobNumber(idOf(ctx));
  if (id === null)
    throw new HttpError(400, unparsable(idOf(ctx)), {
      body: { responseCode: 1, message: unparsable(idOf(ctx)) },
    });
  const reply = await jobs.ask(String(id), { type: 'cancel' });
  if (reply.kind === 'done') {
    ctx.body = { responseCode: 0, message: null };
    return;
  }
  const message = `Failed to cancel the job with id '${id}'. Please check to make sure the job exists before submitting a cancel request. Also consider checking the server logs for more information on this error.`;
  throw new HttpError(400, message, { body: { responseCode: 1, message } });
}

const resubmitQuery = z.object({
  jobPriority: z
    .string()
    .regex(/^[0-9]$/, { error: 'must be a whole number from 0 to 9' })
    .transform(Number)
    .optional(),
});

async function resubmit(ctx: Context, { desk, views }: BatchJobParts): Promise<void> {
  const id = jobNumber(idOf(ctx));
  if (id === null) throw creationFailed(unparsable(idOf(ctx)));
  const query = resubmitQuery.safeParse(ctx.query);
  if (!query.success) throw creationFailed(problemsOf(query.error));
  const reply = await desk.resubmit(id, query.data.jobPriority);
  if (reply.kind === 'overloaded') throw overloaded(reply.message);
  if (reply.kind === 'refused') {
    const why =
      reply.reason === 'NO_SUCH_JOB'
        ? `There was no job with id: ${id}`
        : `The job with id ${id} is in the non-terminal state of '${reply.status}'. Only jobs in a terminal state may be resubmitted.`;
    throw creationFailed(`Failed to resubmit the job with id '${id}'. ${why}`);
  }
  ctx.body = creationResponse((await views.single(id))?.jobId ?? idOf(ctx), 0, null);
}

/** The document as it lies on the disk, streamed. */
async function detection(ctx: Context, { views }: BatchJobParts): Promise<void> {
  const id = jobNumber(idOf(ctx));
  const file = id === null ? undefined : await views.document(id);
  if (file === undefined) return empty(ctx, 400);
  const found = await stat(file).catch(() => undefined);
  if (found === undefined)
    throw new HttpError(500, 'The detection document of this job is missing on the server.');
  ctx.type = 'application/json';
  ctx.length = found.size;
  ctx.body = createReadStream(file);
}

const idOf = (ctx: Context) => (ctx['params'] as { id: string }).id;
const unparsable = (id: string) =>
  `Failed to parse job id of '${id}'. Expected a job id like <hostname>-<integer>.`;

function creationResponse(jobId: string | null, responseCode: 0 | 1, message: string | null) {
  return {
    jobId,
    coreResponse: { responseCode, message },
    archiveCheckStatus: jobId === null ? null : 'NO_ARCHIVE_URL_IN_JOB',
  };
}

function creationRefused(externalId: string | null | undefined, reason: string): HttpError {
  const withId = isGiven(externalId) ? ` with external id '${externalId}'` : '';
  return creationFailed(`Failure creating job${withId}. ${reason}`);
}

const creationFailed = (message: string) =>
  new HttpError(400, message, { body: creationResponse(null, 1, message) });
