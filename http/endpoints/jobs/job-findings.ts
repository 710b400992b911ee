import { z } from 'zod';
import type { PartialAnswer } from '../../../actors/findings/partial-findings.ts';
import type { JobViews } from '../../../actors/views/jobs/jobs.ts';
import type { AnswerTo, Question } from '../../../domain/tracks/viewing.ts';
import { json, ok, sentence } from '../../routing/declaration.ts';
import { endpoint } from '../../steps/endpoint.ts';
import type { PeopleDeps } from '../search/people.ts';
import { HttpError, overloadError } from '../../routing/errors.ts';
import { jobIdParam } from '../../schemas/jobs/batch-jobs.ts';
import {
  boxesQuery,
  boxPage,
  lanes,
  mediaOfJob,
  mediaIdParam,
  mediaQuery,
  trackPage,
  tracksQuery,
} from '../../schemas/jobs/job-findings.ts';

export interface FoundDeps {
  readonly views: JobViews;
  /**
   * Answers a question from a detection document.
   * @throws HttpError if too many questions are pending; ENOENT if the document is deleted
   */
  askDocument<Q extends Question>(document: string, question: Q): Promise<AnswerTo<Q>>;
  /** Answers a question from the results of a running job. @throws HttpError if too many questions are pending */
  askRunningJob<Q extends Question>(number: number, question: Q): Promise<PartialAnswer<Q>>;
}

export const OF_DOCUMENT = {
  method: 'get',
  tag: 'Batch jobs',
  caller: 'USER',
  jobs: 'BATCH_JOB',
  absent: () => noDocument(),
} as const;
export const mediumParams = z.object({ id: jobIdParam, mediaId: mediaIdParam });
export const WRONG = {
  400: sentence('A part of the path or the query is wrong.'),
  404: sentence('There is no such job, or it has ended and has no document here.'),
};
export const READ_ONCE =
  'While the job runs, the answer has the results of finished parts of the medium. `partial` lists these parts, and is absent when the job has ended. Tracks that touch an unfinished part may still grow. The first request for a large document, and the first after new results, takes longer, because the server builds an index.';

/** The results in the media of a job, one part at a time (not in the specification). */
export const foundEndpoints = [
  endpoint({
    ...OF_DOCUMENT,
    path: '/rest/jobs/{id}/media',
    id: 'listMediaOfJob',
    summary: 'List the media of a job, with counts of findings',
    description: `${READ_ONCE} A page of a running job may be shorter than \`limit\` although more media follow.`,
    params: z.object({ id: jobIdParam }),
    query: mediaQuery,
    answers: { 200: json('A part of the media.', mediaOfJob), ...WRONG },
    async handle({ params: { id }, query }, deps: FoundDeps & PeopleDeps) {
      const { media, ...rest } = await askQuestion(id, { kind: 'media', ...query }, deps);
      const counts = (await deps.people.counts([id])).get(id);
      const peopleIn = ({ mediaId, partial }: (typeof media)[number]) =>
        counts === undefined || partial !== undefined ? null : (counts.get(mediaId) ?? 0);
      return ok({ media: media.map((medium) => ({ ...medium, people: peopleIn(medium) })), ...rest });
    },
  }),
  endpoint({
    ...OF_DOCUMENT,
    path: '/rest/jobs/{id}/media/{mediaId}/lanes',
    id: 'getLanesOfMedium',
    summary: 'Show the findings of a medium over time',
    description: READ_ONCE,
    params: mediumParams,
    answers: { 200: json('The lanes.', lanes), ...WRONG },
    handle: async ({ params: { id, mediaId } }, deps: FoundDeps) =>
      ok(await askQuestion(id, { kind: 'lanes', medium: mediaId }, deps)),
  }),
  endpoint({
    ...OF_DOCUMENT,
    path: '/rest/jobs/{id}/media/{mediaId}/tracks',
    id: 'listTracksOfMedium',
    summary: 'List tracks of a part of a medium, without detections',
    description: READ_ONCE,
    params: mediumParams,
    query: tracksQuery,
    answers: { 200: json('A part of the tracks.', trackPage), ...WRONG },
    async handle({ params: { id, mediaId }, query }, deps: FoundDeps) {
      const { fromMs, toMs, lane, minConfidence, text, limit, offset } = query;
      const question = { fromMs, toMs, lane, minConfidence, text, limit, offset, medium: mediaId };
      return ok(await askQuestion(id, { kind: 'tracks', ...question }, deps));
    },
  }),
  endpoint({
    ...OF_DOCUMENT,
    path: '/rest/jobs/{id}/media/{mediaId}/boxes',
    id: 'listBoxesOfMedium',
    summary: 'List the boxes of some frames',
    description: READ_ONCE,
    params: mediumParams,
    query: boxesQuery,
    answers: { 200: json('The boxes.', boxPage), ...WRONG },
    handle: async ({ params: { id, mediaId }, query }, deps: FoundDeps) =>
      ok(await askQuestion(id, { kind: 'boxes', medium: mediaId, ...query }, deps)),
  }),
];

function noDocument(): never {
  throw new HttpError(
    'document-not-found',
    'There is no such job, or it has ended and has no document here.',
  );
}

export async function askQuestion<Q extends Question>(
  id: number,
  question: Q,
  deps: FoundDeps,
): Promise<AnswerTo<Q>> {
  const document = await deps.views.document(id);
  if (document === undefined) return askRunning(id, question, deps);
  try {
    return await deps.askDocument(document, question);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error;
    throw new HttpError('document-not-found', 'The detection document of this job is missing on the server.');
  }
}

async function askRunning<Q extends Question>(
  id: number,
  question: Q,
  deps: FoundDeps,
): Promise<AnswerTo<Q>> {
  const answer = await deps.askRunningJob(id, question);
  if (answer === 'ENDED') {
    // The job may have ended in the meantime.
    const document = await deps.views.document(id);
    return document === undefined ? noDocument() : deps.askDocument(document, question);
  }
  if (answer === undefined) return noDocument();
  if ('busy' in answer) throw overloadError(answer.busy);
  return answer;
}
