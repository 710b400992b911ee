import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import type { JobCommand, JobReply } from '../actors/batch-job/commands.ts';
import type { ArchiveChecks } from '../actors/batch-job/archive-checks.ts';
import type { JobService } from '../actors/batch-job/job-service.ts';
import type { JobRequest } from '../actors/batch-job/job-request.ts';
import type { DryRun, DryRuns } from '../actors/batch-job/dry-run.ts';
import type { Repeatable } from '../actors/batch-job/idempotency.ts';
import type { Accepted } from '../actors/batch-job/submission.ts';
import type { Family } from '../actors/runtime/system.ts';
import { jobNumber, type ArchivedDocument, type JobViews } from '../actors/views/jobs.ts';
import { userOf } from './access/bearer.ts';
import { empty, HttpError, notThere, overloaded, refusedAs } from './errors.ts';
import {
  archiveRepostRequest,
  creationQuery,
  jobCreationRequest,
  type JobCreationRequest,
} from './schemas/jobs.ts';
import { checked } from './schemas/problems.ts';
import { readJson, readText, type BodyLimits } from './steps/json-body.ts';

interface OpenedDocument {
  readonly stream: Readable;
  readonly bytes: number | undefined;
}

export interface BatchJobDeps {
  readonly jobService: JobService;
  readonly dryRuns: DryRuns;
  readonly archiveChecks: ArchiveChecks;
  readonly jobs: Family<JobCommand, JobReply>;
  readonly views: JobViews;
  readonly bodyLimits: BodyLimits;
  /** Of parameters that come as the fields of a form. */
  readonly formLimits: BodyLimits;
  /** Opens a document of this service, with files named as they are today; undefined when there is none. */
  openDocument(file: string): Promise<OpenedDocument | undefined>;
  /** Opens the document of a job of another service; rejects with the end of a sentence. */
  openArchived(document: ArchivedDocument): Promise<OpenedDocument>;
  /** How clients reach the server. */
  readonly url: string;
}

/** Specification 4.2. */
export function batchJobRoutes(router: Router, deps: BatchJobDeps): void {
  router.post('/rest/jobs', (ctx) => create(ctx, deps));
  router.post('/rest/jobs/archiverepost', (ctx) => archiveRepost(ctx, deps));
  router.get('/rest/jobs/:id', (ctx) => single(ctx, deps));
  router.delete('/rest/jobs/:id', (ctx) => remove(ctx, deps));
  router.post('/rest/jobs/:id/cancel', (ctx) => cancel(ctx, deps));
  router.post('/rest/jobs/:id/resubmit', (ctx) => resubmit(ctx, deps));
  router.get('/rest/jobs/:id/output/detection', (ctx) => detection(ctx, deps));
}

async function create(ctx: Context, deps: BatchJobDeps): Promise<void> {
  const { jobService, dryRuns, bodyLimits, url } = deps;
  const query = checked(creationQuery, ctx.query, 'query');
  if ('problems' in query) throw creationFailed(query.problems);
  const json = await refusedAs(readJson(ctx, bodyLimits), refusalBody);
  const tooMany = jobService.tooMany(mediaCount(json));
  if (tooMany !== undefined) throw creationRefused(undefined, tooMany);
  const parsed = checked(jobCreationRequest, json);
  if ('problems' in parsed)
    throw creationRefused(undefined, `The request has errors in the following fields:\n${parsed.problems}`);
  const body = parsed.ok;
  const submission =
    query.ok.dryRun === true
      ? await dryRuns.of({ ...toRequest(body), user: userOf(ctx).name })
      : await jobService.submit({ ...toRequest(body), user: userOf(ctx).name }, repeatableOf(ctx, json));
  switch (submission.kind) {
    case 'overloaded':
      throw overloaded(submission.message);
    case 'refused':
      throw creationRefused(body.externalId, submission.message);
    case 'keyReused':
      throw creationFailed(KEY_REUSED, 422);
    case 'accepted':
      ctx.status = 201;
      ctx.set('Location', `${url}/rest/jobs/${submission.jobId}`);
      ctx.body = creationResponse(submission);
      return;
    case 'planned':
      ctx.body = dryRunResponse(submission);
  }
}

/** Counted before they are read: what is wrong with a million media takes long to say. */
function mediaCount(body: unknown): number {
  const media: unknown = typeof body === 'object' && body !== null && 'media' in body ? body.media : [];
  return Array.isArray(media) ? media.length : 0;
}

function dryRunResponse({ priority, pipeline, media, warnings }: DryRun) {
  const warning = warnings.length === 0 ? null : warnings.join('\n');
  return {
    coreResponse: { responseCode: warning === null ? 0 : 2, message: warning },
    priority,
    pipeline,
    media,
  };
}

const KEY_REUSED =
  'The Idempotency-Key was used for another request. Use a new key for a new job, or send the same body again.';

/** A client that repeats a request under the same key (after a time-out, say) gets the same job. */
function repeatableOf(ctx: Context, body: unknown): Repeatable | undefined {
  const key = ctx.get('idempotency-key');
  if (key === '') return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw creationFailed('Idempotency-Key must have 1 to 255 visible ASCII characters.');
  const requestHash = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  const { subject, name } = userOf(ctx);
  return { user: subject ?? name, key, requestHash };
}

/** Specification 2.1: GET when nothing is said. */
function callbackOf({ callbackURL, callbackMethod, externalId }: JobCreationRequest): JobRequest['callback'] {
  const method = callbackMethod?.trim().toUpperCase() ?? 'GET';
  if (method !== 'GET' && method !== 'POST')
    throw creationRefused(externalId, `callbackMethod is "${callbackMethod}"; it must be GET or POST.`);
  return isGiven(callbackURL) ? { url: callbackURL!.trim(), method } : undefined;
}

/** The request in the words of the job service; what the client left out gets the specification's defaults. */
function toRequest(body: JobCreationRequest): Omit<JobRequest, 'user'> {
  return {
    media: body.media.map((medium) => ({
      uri: medium.mediaUri,
      metadata: medium.metadata ?? {},
      properties: medium.properties ?? {},
      frameRanges: medium.frameRanges ?? [],
      timeRanges: medium.timeRanges ?? [],
      ...selectorsOf(medium),
    })),
    pipelineName: body.pipelineName ?? undefined,
    pipelineDefinition: body.pipelineDefinition ?? undefined,
    buildOutput: body.buildOutput ?? true,
    externalId: body.externalId ?? null,
    jobProperties: body.jobProperties ?? {},
    algorithmProperties: body.algorithmProperties ?? {},
    priority: body.priority ?? undefined,
    callback: callbackOf(body),
  };
}

type RequestedMedium = JobCreationRequest['media'][number];

function selectorsOf({ mediaSelectors, mediaSelectorsOutputAction }: RequestedMedium) {
  const selectors = (mediaSelectors ?? []).map(({ selectionProperties, ...selector }) => ({
    ...selector,
    selectionProperties: selectionProperties ?? {},
  }));
  return {
    ...(selectors.length === 0 ? {} : { selectors }),
    ...(isGiven(mediaSelectorsOutputAction)
      ? { selectorsOutputAction: mediaSelectorsOutputAction!.trim() }
      : {}),
  };
}

const isGiven = (text: string | null | undefined) =>
  text !== null && text !== undefined && text.trim() !== '';

async function single(ctx: Context, { views }: BatchJobDeps): Promise<void> {
  const id = jobNumber(idOf(ctx));
  const info = id === null ? undefined : await infoOf(id, ctx, views);
  if (info === undefined) return empty(ctx, 400);
  ctx.body = info;
}

/** Members that the specification does not list go only to those who ask for them: readers of its clients may refuse them. */
const infoOf = (id: number, { query }: Context, views: JobViews) =>
  /^true$/i.test(String(query['details'])) ? views.detailed(id) : views.single(id);

async function cancel(ctx: Context, { jobs }: BatchJobDeps): Promise<void> {
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

const FORM = 'application/x-www-form-urlencoded';

/** The parameters of a request may also be the fields of a form. What is no such form counts as none. */
async function formOf(ctx: Context, limits: BodyLimits): Promise<Readonly<Record<string, string>>> {
  if (ctx.is(FORM) !== FORM) return {};
  return Object.fromEntries(new URLSearchParams(await readText(ctx, limits)));
}

async function resubmit(ctx: Context, { jobService, views, formLimits }: BatchJobDeps): Promise<void> {
  const id = jobNumber(idOf(ctx));
  if (id === null) throw creationFailed(unparsable(idOf(ctx)));
  const query = checked(resubmitQuery, { ...(await formOf(ctx, formLimits)), ...ctx.query });
  if ('problems' in query) throw creationFailed(query.problems);
  const reply = await jobService.resubmit(id, query.ok.jobPriority);
  if (reply.kind === 'overloaded') throw overloaded(reply.message);
  if (reply.kind === 'refused') {
    const why =
      reply.reason === 'NO_SUCH_JOB'
        ? `There was no job with id: ${id}`
        : `The job with id ${id} is in the non-terminal state of '${reply.status}'. Only jobs in a terminal state may be resubmitted.`;
    throw creationFailed(`Failed to resubmit the job with id '${id}'. ${why}`);
  }
  const job = await views.single(id);
  // A run that is asked for is run: the archive knows the one before.
  const archiveCheckStatus =
    job?.archiveStatus === 'NOT REQUESTED' ? 'NO_ARCHIVE_URL_IN_JOB' : 'NOT_REQUESTED';
  ctx.body = creationResponse({ kind: 'accepted', jobId: job?.jobId ?? idOf(ctx), archiveCheckStatus });
}

/** Specification 6.4: 200 when everything arrived, else 500 with the same body. */
async function archiveRepost(ctx: Context, { archiveChecks, bodyLimits }: BatchJobDeps): Promise<void> {
  const parsed = checked(archiveRepostRequest, await readJson(ctx, bodyLimits));
  if ('problems' in parsed)
    throw new HttpError(400, `The body must be an array of job ids:\n${parsed.problems}`);
  const success: number[] = [];
  const failures: { jobId: number; error: string }[] = [];
  const gone = new AbortController();
  ctx.res.once('close', () => gone.abort());
  for (const jobId of [...new Set(parsed.ok)].sort((a, b) => a - b)) {
    // Nobody waits for the rest any more, which may take long.
    if (ctx.res.destroyed) return;
    const error = await archiveChecks.repost(jobId, gone.signal);
    if (error === undefined) success.push(jobId);
    else failures.push({ jobId, error });
  }
  ctx.body = { success, failures };
  ctx.status = failures.length === 0 ? 200 : 500;
}

async function remove(ctx: Context, { jobService }: BatchJobDeps): Promise<void> {
  const id = jobNumber(idOf(ctx));
  const outcome = id === null ? 'unknown' : await jobService.remove(id, userOf(ctx).name);
  if (outcome === 'unknown') throw notThere('job', idOf(ctx), '/rest/jobs');
  if (outcome === 'live')
    throw new HttpError(409, `Job ${id} has not ended yet. Cancel it first, or wait for its end.`);
  empty(ctx, 204);
}

/** The document as it lies on the disk, streamed; its files have the names of today. */
async function detection(ctx: Context, deps: BatchJobDeps): Promise<void> {
  const { views, openDocument } = deps;
  const id = jobNumber(idOf(ctx));
  if (id === null) return empty(ctx, 400);
  const file = await views.document(id);
  if (file === undefined) return archivedDetection(ctx, deps, id);
  const document = await openDocument(file);
  if (document === undefined)
    throw new HttpError(500, 'The detection document of this job is missing on the server.');
  answerWith(ctx, document);
}

function answerWith(ctx: Context, { stream, bytes }: OpenedDocument): void {
  ctx.type = 'application/json';
  if (bytes !== undefined) ctx.length = bytes;
  ctx.body = stream;
}

/** The document of the job of another service that an archive had, as it is there. */
async function archivedDetection(ctx: Context, { views, openArchived }: BatchJobDeps, id: number) {
  const archived = await views.archivedDocument(id);
  if (archived === undefined) return empty(ctx, 400);
  const document = await openArchived(archived).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new HttpError(
      502,
      `The results of this job are those of an earlier one, whose document could not be fetched: ${reason}.`,
    );
  });
  answerWith(ctx, document);
}

const idOf = (ctx: Context) => (ctx['params'] as { id: string }).id;
const unparsable = (id: string) =>
  `Failed to parse job id of '${id}'. Expected a job id like <hostname>-<integer>.`;

function creationResponse({ jobId, archiveCheckStatus, outputObjectUri, warning }: Accepted) {
  return {
    jobId,
    coreResponse: { responseCode: warning === undefined ? 0 : 2, message: warning ?? null },
    archiveCheckStatus,
    ...(outputObjectUri === undefined ? {} : { outputObjectUri }),
  };
}

function creationRefused(externalId: string | null | undefined, reason: string): HttpError {
  const withId = isGiven(externalId) ? ` with external id '${externalId}'` : '';
  return creationFailed(`Failure creating job${withId}. ${reason}`);
}

const creationFailed = (message: string, status = 400) =>
  new HttpError(status, message, { body: refusalBody(message) });

const refusalBody = (message: string) => ({
  jobId: null,
  coreResponse: { responseCode: 1, message },
  archiveCheckStatus: null,
});
