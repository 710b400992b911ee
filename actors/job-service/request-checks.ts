/** All checks that can refuse a request for a job. */
import { archiveUrls, refusedArchiveUrl } from '../../domain/job/archive.ts';
import type { MediumProblem } from '../../domain/types.ts';
import { archiveJob } from '../batch-job/completion/archive.ts';
import type { JobServiceDeps, JobRequest } from './job-request.ts';
import type { JobRecord, RequestedMedium } from '../batch-job/state/record.ts';
import { mediaWarnings, unacceptedMedia } from './request-media.ts';
import { findModels } from '../requests/request-models.ts';
import { planOf, type RequestPlan } from './request-plan.ts';
import type { Refused } from '../requests/submission.ts';

type WantedJob = Omit<JobRecord, 'number' | 'jobId'>;

/** A request of which nothing speaks against storing it. */
export interface PlannedJob {
  readonly kind: 'planned';
  /** The job as it is to be stored, but for what it gets when it is. */
  readonly wanted: WantedJob;
  /** Why media cannot be used, one for each, and why the pipeline finds nothing in media whose type stands in the request. */
  readonly useless: readonly (string | undefined)[];
  /** What is unsure, for a dry run: warnings move the status of a job. */
  readonly notes: readonly string[];
  /** Where the results of each medium are posted. */
  readonly archiveUrls: readonly (string | null)[];
}

/** Media checked at a time when a job is created. */
const CHECKS = 16;
/** Media that a refusal names. */
const SHOWN_MEDIA = 20;

/** Every reason to refuse a request. Nothing is stored, and the archive is not queried. */
export async function checkedRequest(
  request: JobRequest,
  deps: JobServiceDeps,
): Promise<PlannedJob | Refused> {
  const { catalog, settings } = deps;
  const planned = await planOf(request, catalog, settings);
  if ('refused' in planned) return { kind: 'refused', reason: planned.reason, message: planned.refused };
  const models = await findModels(
    { ...request, ...settings, plan: planned.plan },
    request.media,
    deps.models,
  );
  if (models.refused !== undefined) return { kind: 'refused', reason: 'NO_MODEL', message: models.refused };
  const problems = await checkMedia(
    request.media.map(({ uri }) => uri),
    deps,
  );
  const unaccepted = await unacceptedMedia({ ...request, ...settings, plan: planned.plan }, request.media);
  const useless = problems.map((problem, i) => problem?.message ?? unaccepted[i]);
  if (useless.every((reason) => reason !== undefined)) {
    const list = request.media.slice(0, SHOWN_MEDIA).map(({ uri }, i) => `${shortUri(uri)}: ${useless[i]}`);
    const isOutside = problems.some((problem) => problem?.outsideRoots === true);
    return {
      kind: 'refused',
      reason: isOutside ? 'MEDIA_OUTSIDE_ROOTS' : 'MEDIA_UNUSABLE',
      message: `Could not start job because all media have errors: ${list.join(', ')}`,
    };
  }
  const warnings = [...planned.warnings, ...mediaWarnings(unaccepted)];
  const wanted = wantedJob(request, { ...planned, warnings }, problems, settings);
  const urls = archiveUrls(archiveJob(wanted));
  const wrongUrl = urls.flatMap((url) => (url === null ? [] : (refusedArchiveUrl(url) ?? [])))[0];
  if (wrongUrl !== undefined)
    return { kind: 'refused', message: `Property validation failed due to: ${wrongUrl}` };
  return { kind: 'planned', wanted, useless, archiveUrls: urls, notes: models.notes };
}

/** Why media cannot be used, one for each, as far as that shows without reading them. */
export async function checkMedia(
  uris: readonly string[],
  { checkMedium }: Pick<JobServiceDeps, 'checkMedium'>,
): Promise<readonly (MediumProblem | undefined)[]> {
  const problems: (MediumProblem | undefined)[] = [];
  for (let i = 0; i < uris.length; i += CHECKS)
    problems.push(...(await Promise.all(uris.slice(i, i + CHECKS).map((uri) => checkMedium(uri)))));
  return problems;
}

function wantedJob(
  request: JobRequest,
  planned: RequestPlan,
  problems: readonly (MediumProblem | undefined)[],
  settings: JobServiceDeps['settings'],
): WantedJob {
  return {
    siteId: settings.siteId,
    plan: planned.plan,
    ...(planned.warnings.length === 0 ? {} : { warnings: planned.warnings }),
    media: request.media.map((medium, i): RequestedMedium => {
      const problem = problems[i];
      if (problem === undefined) return { ...medium, mediaId: 0 };
      const { code, message } = problem;
      return { ...medium, mediaId: 0, problem: { code, message } };
    }),
    priority: request.priority ?? settings.defaultPriority,
    user: request.user,
    ...(request.owner === undefined ? {} : { owner: request.owner }),
    buildOutput: request.buildOutput,
    externalId: request.externalId,
    ...(request.labels === undefined ? {} : { labels: request.labels }),
    ...(request.zones === undefined ? {} : { zones: request.zones }),
    ...(request.callback === undefined ? {} : { callback: request.callback }),
    jobProperties: request.jobProperties,
    algorithmProperties: request.algorithmProperties,
    serverProperties: settings.serverProperties,
    environmentProperties: settings.environmentProperties,
  };
}

/** For messages: the content of a data: URI is left out. */
const shortUri = (uri: string) => (uri.startsWith('data:') ? 'data:…,<truncated>' : uri.slice(0, 500));
