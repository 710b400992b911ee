/** POST /rest/jobs: converts the request for the job service, and the result of the service into an answer. */
import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import type { DryRun, DryRuns } from '../../../actors/job-service/dry-run.ts';
import type { Repeatable } from '../../../actors/requests/idempotency.ts';
import type { JobRequest } from '../../../actors/job-service/job-request.ts';
import type { JobService } from '../../../actors/job-service/job-service.ts';
import type { Accepted, RefusalReason, Refused } from '../../../actors/requests/submission.ts';
import { noteUnusedSecrets, takeCallbackSecrets } from '../../../domain/job/webhook.ts';
import type { JobTrace } from '../../../domain/job/trace.ts';
import type { UserLimits } from '../../users/user-limits.ts';
import { userOf, type User } from '../../access/bearer.ts';
import { answerWith, ok } from '../../routing/declaration.ts';
import type { ErrorCode } from '../../routing/error-codes.ts';
import { HttpError, overloadError } from '../../routing/errors.ts';
import type { JobGuard } from '../../users/job-step.ts';
import { onFailure, successResponse } from '../../schemas/common.ts';
import type { JobCreationRequest } from '../../schemas/jobs/batch-jobs.ts';
import { zonePlan } from '../../schemas/jobs/zones.ts';

export interface CreationDeps {
  readonly userLimits: UserLimits;
  readonly jobService: JobService;
  readonly dryRuns: DryRuns;
  /** URL at which clients reach the server. */
  readonly url: string;
}

interface Creation {
  readonly body: JobCreationRequest;
  /** The body before its schema converted it. */
  readonly given: unknown;
  /** One sentence for each unknown member of the body. */
  readonly unknownMembers: readonly string[];
  readonly isDryRun: boolean;
  /** Value of the header Idempotency-Key. */
  readonly key: string | undefined;
  readonly trace: JobTrace | undefined;
}

export async function createJob(
  { body, given, unknownMembers, isDryRun, key, trace }: Creation,
  ctx: Context,
  { jobService, dryRuns, url, jobAccess, userLimits }: CreationDeps & JobGuard,
) {
  const user = userOf(ctx);
  const tooHigh = userLimits.refusedPriority(ctx, body.priority ?? undefined);
  if (tooHigh !== undefined) {
    const message = creationFailure(tooHigh, body.externalId);
    throw new HttpError('priority-too-high', message, { body: notCreated(message) });
  }
  const priority = userLimits.priority(ctx, body.priority ?? undefined);
  const request = {
    ...toRequest(body),
    ...{ priority, user: user.name, owner: jobAccess.newOwner(ctx), trace },
  };
  const repeatable = repeatableOf(key, given, user);
  const notes = [...unknownMembers, ...secretNotes(body)];
  const submitNew = () =>
    userLimits.within(
      ctx,
      'jobs',
      () => jobService.submit(request, repeatable),
      (message) => notCreated(creationFailure(message, body.externalId)),
    );
  const submission = isDryRun
    ? await dryRuns.of(request)
    : ((repeatable && (await jobService.answerBefore(repeatable))) ?? (await submitNew()));
  switch (submission.kind) {
    case 'overloaded':
      throw overloadError(submission.message);
    case 'refused':
      throw refusalOf(submission, body.externalId);
    case 'keyReused':
      throw new HttpError('idempotency-key-reused', KEY_REUSED, { body: notCreated(KEY_REUSED) });
    case 'accepted':
      return answerWith(201, answerCreated(submission, notes), {
        Location: `${url}/rest/jobs/${submission.jobId}`,
      });
    case 'planned':
      return ok(answerPlanned(submission, notes));
  }
}

/** Returns a refusal if the body has too many media. Runs before validation, because listing the problems of a million media takes long. */
export function tooManyMedia(body: unknown, { jobService }: Pick<CreationDeps, 'jobService'>) {
  const message = jobService.tooMany(mediaCount(body));
  return message === undefined ? undefined : creationFailure(message);
}

function mediaCount(body: unknown): number {
  const media: unknown = typeof body === 'object' && body !== null && 'media' in body ? body.media : [];
  return Array.isArray(media) ? media.length : 0;
}

export const WRONG_KEY = 'Idempotency-Key must have 1 to 255 visible ASCII characters.';
export const KEY_REUSED =
  'The Idempotency-Key was used for another request. Use a new key for a new job, or send the same body again.';

/** Identifies a repeated request by its key. A client that repeats a request, for example after a timeout, gets the same job. */
export function repeatableOf(
  key: string | undefined,
  given: unknown,
  { subject, name }: User,
): Repeatable | undefined {
  if (key === undefined) return undefined;
  const requestHash = createHash('sha256').update(JSON.stringify(given)).digest('hex');
  return { user: subject ?? name, key, requestHash };
}

/** Returns the callback of a job. The default method is GET (specification 2.1). */
function callbackOf(
  { callbackURL, callbackMethod, externalId }: JobCreationRequest,
  secrets: readonly string[] | undefined,
): JobRequest['callback'] {
  const method = callbackMethod?.trim().toUpperCase() ?? 'GET';
  if (method !== 'GET' && method !== 'POST')
    throw refusalOf(
      { message: `callbackMethod is "${callbackMethod}"; it must be GET or POST.` },
      externalId,
    );
  if (!isGiven(callbackURL)) return undefined;
  return { url: callbackURL!.trim(), method, ...(secrets === undefined ? {} : { secrets }) };
}

/** Converts the body to a request of the job service. Missing members get the defaults of the specification. */
function toRequest(body: JobCreationRequest): Omit<JobRequest, 'user' | 'owner' | 'priority'> {
  const { jobProperties, callbackSecrets, refused } = takeCallbackSecrets(body.jobProperties ?? {});
  if (refused !== undefined) throw refusalOf({ message: refused }, body.externalId);
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
    ...((body.labels ?? []).length === 0 ? {} : { labels: body.labels! }),
    jobProperties,
    algorithmProperties: body.algorithmProperties ?? {},
    callback: callbackOf(body, callbackSecrets),
    ...zonesOf(body),
  };
}

/** Returns the zones of a job. Empty lists count as absent. */
function zonesOf(body: JobCreationRequest): Pick<JobRequest, 'zones'> {
  const zones = zonePlan(body);
  const isEmpty = [zones.zones, zones.lines, zones.rules].every((list) => list.length === 0);
  return isEmpty ? {} : { zones };
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

const secretNotes = ({ jobProperties, callbackURL }: JobCreationRequest): readonly string[] =>
  noteUnusedSecrets(jobProperties ?? {}, isGiven(callbackURL), 'callbackURL');

const answerPlanned = ({ priority, pipeline, media, warnings }: DryRun, notes: readonly string[]) => ({
  coreResponse: successResponse([...notes, ...warnings]),
  ...{ priority, pipeline, media },
});

export function answerCreated(
  { jobId, archiveCheckStatus, outputObjectUri, warning }: Accepted,
  notes: readonly string[] = [],
) {
  return {
    jobId,
    coreResponse: successResponse([...notes, ...(warning === undefined ? [] : [warning])]),
    archiveCheckStatus,
    ...(outputObjectUri === undefined ? {} : { outputObjectUri }),
  };
}

function refusalOf(
  { message: why, reason }: Omit<Refused, 'kind'>,
  externalId: string | null | undefined,
): HttpError {
  const message = creationFailure(why, externalId);
  return new HttpError(codeOfRefusal(reason), message, { status: 400, body: notCreated(message) });
}

const CODES: Readonly<Record<RefusalReason, ErrorCode>> = {
  NO_SUCH_PIPELINE: 'pipeline-not-found',
  NO_MODEL: 'model-not-found',
  MEDIA_UNUSABLE: 'media-unusable',
  MEDIA_OUTSIDE_ROOTS: 'media-outside-roots',
};

export const codeOfRefusal = (reason: RefusalReason | undefined): ErrorCode =>
  reason === undefined ? 'invalid-job' : CODES[reason];

export const creationFailure = (reason: string, externalId?: string | null) =>
  `Failure creating job${isGiven(externalId) ? ` with external id '${externalId}'` : ''}. ${reason}`;

export const notCreated = (message: string) => ({
  jobId: null,
  coreResponse: onFailure(message),
  archiveCheckStatus: null,
});
