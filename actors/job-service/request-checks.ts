/** All checks that can refuse a job request. */
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

/** A request that passed all checks. */
export interface PlannedJob {
  readonly kind: 'planned';
  /** The job to be stored, without the fields that it gets when it is stored. */
  readonly wanted: WantedJob;
  /** Why each medium cannot be used, or why the pipeline finds nothing in a medium whose type the request states. */
  readonly useless: readonly (string | undefined)[];
  /** Uncertainties, for a dry run only: warnings would change the status of a job. */
  readonly notes: readonly string[];
  /** URL to which the results of each medium are posted. */
  readonly archiveUrls: readonly (string | null)[];
}

/** Number of media that are checked at the same time when a job is created. */
const CHECKS = 16;
/** Maximum number of media named in a refusal. */
const SHOWN_MEDIA = 20;

/** Returns all reasons to refuse a request. It stores nothing and does not query the archive. */
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

/** The reasons why media cannot be used, one for each, as far as this is known without reading them. */
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

/** The URI for messages, without the content of a data: URI. */
const shortUri = (uri: string) => (uri.startsWith('data:') ? 'data:…,<truncated>' : uri.slice(0, 500));
