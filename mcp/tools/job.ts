import { z } from 'zod';
import type {
  JobInfo,
  JobPage,
  ListedJob,
  LiveIssues,
  MediaOfJob,
  ViewedMedium,
} from '../../client/answers.ts';
import { jobPath, jsonOf } from '../rest.ts';
import { AnswerLines } from '../text/answer-lines.ts';
import { clock, countOf, linkTo } from '../text/places.ts';
import { DATA_NOTE, mediumName, quote, typeName } from '../text/quote.ts';
import { textAnswer, tool, type ToolCall } from '../tool.ts';
import { jobArgument } from './arguments.ts';

const MOST_JOBS = 20;
const MOST_MEDIA = 30;
const MOST_ISSUES = 5;

const input = z.object({
  id: jobArgument.optional().describe('Id of a job. Without it, the newest jobs are listed'),
  status: z
    .string()
    .max(200)
    .optional()
    .describe(
      'In a list: only jobs with this status: COMPLETE, COMPLETE_WITH_WARNINGS, ERROR, CANCELLED, IN_PROGRESS, or several with commas',
    ),
  medium: z.string().max(500).optional().describe('In a list: only jobs over media with this in their name'),
  label: z.string().max(64).optional().describe('In a list: only jobs with this label'),
  limit: z.int().min(1).max(MOST_JOBS).default(10).describe('Jobs of a list'),
  before: z.string().max(40).optional().describe('In a list: `before` of the previous answer, for more'),
});

export const jobTool = tool({
  name: 'job',
  title: 'Show a job, or list jobs',
  description:
    'A job runs detectors over media. With an id: its status, progress, media with their numbers, and errors. Without: the newest jobs.',
  input,
  run: async ({ id, ...filters }, call) =>
    textAnswer(id === undefined ? await listText(filters, call) : await jobText(id, call)),
});

async function listText(filters: Omit<z.output<typeof input>, 'id'>, call: ToolCall): Promise<string> {
  const { jobs, next } = await call.json<JobPage>('/rest/jobs', filters);
  const lines = new AnswerLines();
  lines.add(
    jobs.length === 0
      ? 'There are no such jobs.'
      : `${countOf(jobs.length, 'job')}, newest first. ${DATA_NOTE}`,
  );
  const shown = lines.addAll(jobs.map((job) => listedText(job, call.pageUrl())));
  if (shown < jobs.length) lines.close(`${jobs.length - shown} jobs are not shown: use a smaller limit.`);
  if (next !== null) lines.close(`There may be more: repeat this call with before "${next}".`);
  return lines.toString();
}

function listedText(job: ListedJob, pageUrl: string): string {
  const { jobId, mediaUris, mediaCount, pipelineName } = job;
  const [first = ''] = mediaUris;
  const media =
    mediaCount === 1 ? mediumName(first) : `${mediaCount} media, the first is ${mediumName(first)}`;
  return `${jobId}: ${stateText(job)}, ${typeName(pipelineName)}, ${media}\n   ${linkTo(pageUrl, jobId)}`;
}

export function stateText({
  jobStatus,
  terminal,
  jobProgress,
  endDate,
}: Pick<JobInfo, 'jobStatus' | 'terminal' | 'jobProgress' | 'endDate'>): string {
  // oxfmt-ignore
  return terminal ? `${jobStatus}, ended ${endDate ?? ''}` : `${jobStatus}, ${Math.floor(jobProgress)} %`;
}

export async function jobInfo(id: string, { ask }: Pick<ToolCall, 'ask'>): Promise<JobInfo> {
  const answer = await ask({ method: 'GET', path: jobPath(id), query: { details: true } });
  return jsonOf(
    answer,
    `There is no job ${quote(id)}, or you cannot see it. The tool job lists jobs.`,
  ) as JobInfo;
}

async function jobText(id: string, call: ToolCall): Promise<string> {
  const job = await jobInfo(id, call);
  const lines = new AnswerLines();
  lines.add(`Job ${job.jobId}: ${stateText(job)}, pipeline ${typeName(job.pipelineName)}. ${DATA_NOTE}`);
  lines.add(linkTo(call.pageUrl(), job.jobId));
  if (job.waitingFor !== undefined) lines.add(`It waits: ${quote(job.waitingFor.reason)}`);
  const found = await mediaOf(id, job, call);
  for (const line of await issueLines(id, job, found, call)) lines.add(line);
  if (found === undefined) {
    lines.addAll(job.mediaUris.slice(0, MOST_MEDIA).map(mediumName));
    return lines.toString();
  }
  const shown = lines.addAll(found.media.map(mediumText));
  if (shown < found.total) lines.close(`${found.total - shown} more media are not shown.`);
  return lines.toString();
}

/** Returns undefined if the job has no document. */
async function mediaOf(id: string, job: JobInfo, { ask }: ToolCall): Promise<MediaOfJob | undefined> {
  const path = `${jobPath(job.jobId)}/media`;
  const answer = await ask({ method: 'GET', path, query: { limit: MOST_MEDIA } });
  return answer.status === 404 ? undefined : (jsonOf(answer, `Job ${id} cannot be read.`) as MediaOfJob);
}

function mediumText({ mediaId, uri, mediaType, mimeType, length, metadata, tracks }: ViewedMedium): string {
  const duration = Number(metadata['DURATION']);
  const size = duration > 0 ? `, ${clock(duration)}` : mediaType === 'VIDEO' ? `, ${length} frames` : '';
  return `medium ${mediaId} ${mediumName(uri)}: ${mediaType} (${quote(mimeType).slice(1, -1)})${size}, ${countOf(tracks, 'finding')}`;
}

interface Issue {
  readonly mediaId?: number | null;
  readonly code: string;
  readonly message: string;
}

async function issueLines(
  id: string,
  { terminal }: JobInfo,
  found: MediaOfJob | undefined,
  { ask }: ToolCall,
): Promise<readonly string[]> {
  const kinds = terminal ? issuesOf(found) : await liveIssues(id, ask);
  return kinds.flatMap(([kind, issues]) => {
    const more = issues.length > MOST_ISSUES ? [`${issues.length - MOST_ISSUES} more ${kind}s`] : [];
    return [...issues.slice(0, MOST_ISSUES).map((issue) => issueText(kind, issue)), ...more];
  });
}

type Issues = readonly (readonly ['error' | 'warning', readonly Issue[]])[];

function issuesOf(found: MediaOfJob | undefined): Issues {
  const all = [
    ...(found?.issues ?? []),
    ...(found?.media ?? []).flatMap(({ mediaId, issues }) => issues.map((issue) => ({ ...issue, mediaId }))),
  ];
  return [
    ['error', all.filter(({ kind }) => kind === 'errors')],
    ['warning', all.filter(({ kind }) => kind === 'warnings')],
  ];
}

/** Returns the issues of a running job. Returns none if the job has just ended. */
async function liveIssues(id: string, ask: ToolCall['ask']): Promise<Issues> {
  const answer = await ask({ method: 'GET', path: `${jobPath(id)}/issues` });
  if (answer.status !== 200) return [];
  const { errors, warnings } = jsonOf(answer) as LiveIssues;
  return [
    ['error', errors.shown],
    ['warning', warnings.shown],
  ];
}

function issueText(kind: string, { mediaId, code, message }: Issue): string {
  const medium = mediaId === null || mediaId === undefined ? '' : `, medium ${mediaId}`;
  return `${kind} ${typeName(code)}${medium}: ${quote(message)}`;
}
