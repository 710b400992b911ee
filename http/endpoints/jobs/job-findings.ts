import { z } from 'zod';
import type { JobViews } from '../../../actors/views/jobs/jobs.ts';
import type { AnswerTo, Question } from '../../../domain/tracks/viewing.ts';
import { json, ok, sentence } from '../../routing/declaration.ts';
import { endpoint } from '../../steps/endpoint.ts';
import { HttpError } from '../../routing/errors.ts';
import { jobIdParam } from '../../schemas/jobs/batch-jobs.ts';
import {
  boxesQuery,
  boxPage,
  lanes,
  mediaOfJob,
  mediaQuery,
  mediumParams,
  trackPage,
  tracksQuery,
} from '../../schemas/jobs/job-findings.ts';

export interface FoundDeps {
  readonly views: JobViews;
  /** Asks about a detection document. @throws HttpError when many do; ENOENT when it is gone */
  askDocument<Q extends Question>(document: string, question: Q): Promise<AnswerTo<Q>>;
}

const COMMON = {
  method: 'get',
  tag: 'Batch jobs',
  caller: 'USER',
  jobs: 'BATCH_JOB',
  absent: () => noDocument(),
} as const;
const params = z.object({ id: jobIdParam, ...mediumParams });
const WRONG = {
  400: sentence('A part of the path or the query is wrong.'),
  404: sentence('There is no such job, it has not ended, or it has no document here.'),
};
const READ_ONCE =
  'Of a large document the first question takes longer than the others: an index of it is made, which is kept beside it.';

/** What was found in the media of a job that has ended, a part at a time (ours). */
export const foundEndpoints = [
  endpoint({
    ...COMMON,
    path: '/rest/jobs/{id}/media',
    id: 'listMediaOfJob',
    summary: 'List the media of a job that has ended, with how much was found in each',
    description: READ_ONCE,
    params: z.object({ id: jobIdParam }),
    query: mediaQuery,
    answers: { 200: json('A part of the media.', mediaOfJob), ...WRONG },
    handle: async ({ params: { id }, query }, deps: FoundDeps) =>
      ok(await askQuestion(id, { kind: 'media', ...query }, deps)),
  }),
  endpoint({
    ...COMMON,
    path: '/rest/jobs/{id}/media/{n}/lanes',
    id: 'getLanesOfMedium',
    summary: 'Tell where in a medium how much was found, for each action and type',
    description: READ_ONCE,
    params,
    answers: { 200: json('The lanes.', lanes), ...WRONG },
    handle: async ({ params: { id, n } }, deps: FoundDeps) =>
      ok(await askQuestion(id, { kind: 'lanes', medium: n }, deps)),
  }),
  endpoint({
    ...COMMON,
    path: '/rest/jobs/{id}/media/{n}/tracks',
    id: 'listTracksOfMedium',
    summary: 'List the tracks of a stretch of a medium, without their detections',
    description: READ_ONCE,
    params,
    query: tracksQuery,
    answers: { 200: json('A part of the tracks.', trackPage), ...WRONG },
    async handle({ params: { id, n }, query }, deps: FoundDeps) {
      const { fromMs, toMs, lane, minConfidence, text, limit, offset } = query;
      const question = { fromMs, toMs, lane, minConfidence, text, limit, offset, medium: n };
      return ok(await askQuestion(id, { kind: 'tracks', ...question }, deps));
    },
  }),
  endpoint({
    ...COMMON,
    path: '/rest/jobs/{id}/media/{n}/boxes',
    id: 'listBoxesOfMedium',
    summary: 'List the boxes of a stretch of frames',
    description: READ_ONCE,
    params,
    query: boxesQuery,
    answers: { 200: json('The boxes.', boxPage), ...WRONG },
    handle: async ({ params: { id, n }, query }, deps: FoundDeps) =>
      ok(await askQuestion(id, { kind: 'boxes', medium: n, ...query }, deps)),
  }),
];

function noDocument(): never {
  throw new HttpError(
    'document-not-found',
    'There is no such job, it has not ended, or it has no document here.',
  );
}

async function askQuestion<Q extends Question>(
  id: number,
  question: Q,
  { views, askDocument }: FoundDeps,
): Promise<AnswerTo<Q>> {
  const document = await views.document(id);
  if (document === undefined) return noDocument();
  try {
    return await askDocument(document, question);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error;
    throw new HttpError('document-not-found', 'The detection document of this job is gone.');
  }
}
