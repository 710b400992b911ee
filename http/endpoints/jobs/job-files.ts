import type { Context } from 'koa';
import { z } from 'zod';
import type { Busy } from '../../../actors/frames/job-frames.ts';
import type { JobFile, JobFiles, Missing } from '../../../actors/job-files/job-files.ts';
import { jobNumber } from '../../../domain/job/job-id.ts';
import { content, nothing, sentence } from '../../routing/declaration.ts';
import { endpoint } from '../../steps/endpoint.ts';
import { HttpError, notThere, overloadError } from '../../routing/errors.ts';
import { jobId } from '../../schemas/jobs/batch-jobs.ts';
import { wholeNumber } from '../../schemas/common.ts';
import { mediaIdParam } from '../../schemas/jobs/job-findings.ts';
import { fileAnswer } from '../../steps/file-answer.ts';

export interface JobFileDeps {
  readonly jobFiles: JobFiles;
}

/** Common members of all endpoints for files of one job. */
export const JOB_FILE_ENDPOINT = {
  tag: 'Files of jobs',
  caller: 'USER',
  method: 'get',
  jobs: 'BATCH_JOB',
  absent: ({ params: { id } }: { readonly params: { readonly id: string } }) => noJob(id),
} as const;

export const ofMedium = z.object({ id: jobId, mediaId: mediaIdParam });
const count = wholeNumber(0, 2 ** 31 - 1);
const ofArtifact = z.object({
  id: jobId,
  medium: count.meta({ description: 'mediaId of the medium', examples: [31] }),
  task: count.describe('Index of the task'),
  action: count.describe('Index of the action in its task'),
  track: count.describe('Number of the track; 0 for whole frames'),
  picture: z
    .string()
    .refine((name) => /^frame-\d{1,10}(-\d{1,9})?\.png$/.test(name), { error: 'must be frame-<number>.png' })
    .describe('frame-<number of the frame>.png'),
});

const HEADERS = {
  'Content-Disposition': 'inline for pictures, sound and video, attachment for all else',
  ETag: 'Changes when the file is written',
  'Last-Modified': 'When the file was written',
};
const answers = (what: string) => ({
  200: { ...content(what, '*/*'), headers: { ...HEADERS, 'Accept-Ranges': 'bytes' } },
  206: {
    ...content('The part that Range requests.', '*/*'),
    headers: { ...HEADERS, 'Content-Range': 'The part, and the size of the file' },
  },
  304: nothing('The file has not changed (If-None-Match).'),
  400: sentence('A part of the path is wrong.'),
  404: sentence('The job or file does not exist. The message says why, and what to do.'),
  416: {
    ...sentence('The file ends before the requested Range.'),
    headers: { 'Content-Range': 'bytes */ and the size of the file' },
  },
});
const HOW = 'Supports Range (one part), If-Range, If-None-Match and If-Modified-Since.';

/** The media of jobs and files made from them (not in the specification), for clients that share no folder with the server. */
export const jobFileEndpoints = [
  endpoint({
    ...JOB_FILE_ENDPOINT,
    path: '/rest/jobs/{id}/media/{mediaId}',
    id: 'getJobMedium',
    summary: 'Get a medium of a job',
    description: `Returns the medium as the job analyzed it. A changed file is refused. Downloaded media are available until their job ends, extracted media as long as the job. ${HOW}`,
    params: ofMedium,
    answers: answers('The medium.'),
    handle: ({ params: { id, mediaId }, ctx }, { jobFiles }: JobFileDeps) =>
      serveFile(ctx, id, (number) => jobFiles.medium(number, mediaId)),
  }),
  endpoint({
    ...JOB_FILE_ENDPOINT,
    path: '/rest/jobs/{id}/media/{mediaId}/markup',
    id: 'getJobMarkup',
    summary: 'Get the marked-up copy of a medium',
    description: HOW,
    params: ofMedium,
    answers: answers('The copy.'),
    handle: ({ params: { id, mediaId }, ctx }, { jobFiles }: JobFileDeps) =>
      serveFile(ctx, id, (number) => jobFiles.markup(number, mediaId)),
  }),
  endpoint({
    ...JOB_FILE_ENDPOINT,
    path: '/rest/jobs/{id}/media/{mediaId}/selectors-output',
    id: 'getJobSelectorsOutput',
    summary: 'Get the JSON document with results in place of selected text',
    description: HOW,
    params: ofMedium,
    answers: answers('The document.'),
    handle: ({ params: { id, mediaId }, ctx }, { jobFiles }: JobFileDeps) =>
      serveFile(ctx, id, (number) => jobFiles.selectorsOutput(number, mediaId)),
  }),
  endpoint({
    ...JOB_FILE_ENDPOINT,
    path: '/rest/jobs/{id}/artifacts/{medium}/{task}/{action}/{track}/{picture}',
    id: 'getJobArtifact',
    summary: 'Get a picture of a detection',
    description: `Its path ends like artifactPath in the document. ${HOW}`,
    params: ofArtifact,
    answers: answers('The picture.'),
    handle: ({ params: { id, medium, picture, ...rest }, ctx }, { jobFiles }: JobFileDeps) => {
      const [frame = 0, again = 0] = (picture.match(/\d+/g) ?? []).map(Number);
      return serveFile(ctx, id, (number) =>
        jobFiles.artifact(number, { ...rest, mediaId: medium, frame, again }),
      );
    },
  }),
];

const serveFile = async (
  ctx: Context,
  id: string,
  find: (number: number) => Promise<JobFile | Missing | undefined>,
) => fileAnswer(ctx, await foundFor(id, find));

export function noJob(id: string): never {
  throw notThere('job', id, '/rest/jobs');
}

/** Returns a file of a job. @throws HttpError with the reason if there is none */
export async function foundFor<T extends object>(
  id: string,
  find: (number: number) => Promise<T | Missing | Busy | undefined>,
): Promise<T> {
  const number = jobNumber(id);
  const found = number === null ? undefined : await find(number);
  if (found === undefined) return noJob(id);
  if ('missing' in found) throw new HttpError('job-file-not-found', found.missing);
  if ('busy' in found) throw overloadError(found.busy);
  return found;
}
