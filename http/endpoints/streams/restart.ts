import { z } from 'zod';
import { noSuchStream } from '../../../actors/streaming-service/job-service.ts';
import { isEnded } from '../../../actors/streaming-job/state.ts';
import { json, limitReached } from '../../routing/declaration.ts';
import { HttpError } from '../../routing/errors.ts';
import { wholeNumber } from '../../schemas/common.ts';
import { creationHeaders } from '../../schemas/jobs/batch-jobs.ts';
import {
  streamingJobCreationProblem,
  streamingJobCreationResponse,
  streamingJobRestartRequest,
} from '../../schemas/streaming/streaming-jobs.ts';
import { userOf } from '../../access/bearer.ts';
import { endpoint } from '../../steps/endpoint.ts';
import { traceparentOfRequest } from '../../steps/traces.ts';
import { repeatableOf, WRONG_KEY } from '../jobs/job-creation.ts';
import type { StreamingJobDeps } from '../streaming-jobs.ts';
import { createdAnswer, creationFailure, notCreated, secretNotes, toChanges } from './stream-requests.ts';

const params = z.object({ id: wholeNumber(1).meta({ description: 'The stored job', examples: [14] }) });

/** Starts a stored streaming job again with changes (not in the specification). */
export const streamRestartEndpoints = [
  endpoint({
    tag: 'Streaming jobs',
    caller: 'USER',
    method: 'post',
    path: '/rest/streaming/jobs/{id}/restart',
    id: 'restartStreamingJob',
    jobs: 'STREAMING_JOB',
    summary: 'Start a stored streaming job again, with changes',
    description:
      'Creates a job with the whole request of the stored job: properties, callbacks, receivers of events, addresses with their passwords. ' +
      'Members of the body replace the stored ones; null and empty lists remove them. Then Troupe cancels the stored job, if it is live. ' +
      'Secrets of callbacks stay unless jobProperties names others.',
    params,
    headers: creationHeaders,
    body: {
      schema: streamingJobRestartRequest,
      noun: 'changes of a streaming job',
      example: { zones: [{ name: 'yard', points: [[0.1, 0.4], [0.9, 0.4], [0.9, 1], [0.1, 1]] }] }, // oxfmt-ignore
    },
    answers: {
      201: {
        ...json('The new job was accepted.', streamingJobCreationResponse, {
          jobId: 15,
          outputObjectDirectory: '/var/lib/troupe/output-objects/15',
          coreResponse: { responseCode: 0, message: null },
        }),
        headers: { Location: 'Address of the new job' },
      },
      400: json(
        'The job does not exist, or the new one is refused. The stored one continues.',
        streamingJobCreationProblem,
      ),
      403: json('The job belongs to another user.', streamingJobCreationProblem),
      422: json('The Idempotency-Key was used for another request.', streamingJobCreationProblem),
      429: limitReached(streamingJobCreationProblem),
    },
    refusal: notCreated,
    says: {
      params: (_, given) => `Failed to parse the streaming job id '${(given as { id: string }).id}'.`,
      body: (problems) => creationFailure(`The request has errors in the following fields:\n${problems}`),
      headers: () => WRONG_KEY,
    },
    absent: ({ params: { id } }) => noJob(id),
    async handle({ params: { id }, body, given, unknownMembers, headers, ctx }, deps: StreamingJobDeps) {
      const { streams, url, userLimits } = deps;
      const stored = await streams.views.detailedStream(id);
      if (stored === undefined) return noJob(id);
      const externalId = body.externalId === undefined ? stored.externalId : body.externalId;
      const repeatable = repeatableOf(headers['Idempotency-Key'], { restart: id, given }, userOf(ctx));
      const changes = toChanges(body, externalId, traceparentOfRequest(ctx));
      const restart = () => streams.service.restart(id, changes, repeatable);
      const says = (message: string) => notCreated(creationFailure(message, externalId));
      // The new job replaces a live one.
      const isNew = isEnded(stored.jobStatus) || stored.jobStatus === 'CANCELLING';
      const submission =
        (repeatable && (await streams.service.answerBefore(repeatable))) ??
        (await (isNew ? userLimits.within(ctx, 'streams', restart, says) : restart()));
      if (submission === 'unknown') return noJob(id);
      return createdAnswer(submission, externalId, url, [...unknownMembers, ...secretNotes(body)]);
    },
  }),
];

function noJob(id: number): never {
  const message = noSuchStream(id);
  throw new HttpError('job-not-found', message, { status: 400, body: notCreated(message) });
}
