import { z } from 'zod';
import { noSuchStream } from '../../actors/streaming-service/job-service.ts';
import type { Streams } from '../../actors/guardian/register-streams.ts';
import { isEnded } from '../../actors/streaming-job/state.ts';
import type { UserLimits } from '../users/user-limits.ts';
import { userOf } from '../access/bearer.ts';
import {
  answerWith,
  content,
  json,
  limitReached,
  nothing,
  ok,
  sentence,
  withoutBody,
} from '../routing/declaration.ts';
import { eventsFor, leftBy } from '../steps/client.ts';
import { endpoint } from '../steps/endpoint.ts';
import { traceparentOfRequest } from '../steps/traces.ts';
import { errorMembers, HttpError, notThere } from '../routing/errors.ts';
import type { LiveEventStreams } from '../events/live-event-streams.ts';
import { MOST_VIEWERS, PICTURES_TYPE, type LivePictures } from '../events/live-pictures.ts';
import { onFailure, successResponse, wholeNumber } from '../schemas/common.ts';
import type { JobGuard } from '../users/job-step.ts';
import { creationHeaders, singleJobQuery } from '../schemas/jobs/batch-jobs.ts';
import {
  allStreamingJobs,
  cancelQuery,
  listQuery,
  streamingJobCancelProblem,
  streamingJobCancelResponse,
  streamingJobCreationProblem,
  streamingJobCreationRequest,
  streamingJobCreationResponse,
  streamingJobInfo,
} from '../schemas/streaming/streaming-jobs.ts';
import { repeatableOf, WRONG_KEY } from './jobs/job-creation.ts';
import {
  createdAnswer,
  creationFailure,
  notCreated,
  secretNotes,
  toRequest,
} from './streams/stream-requests.ts';

export interface StreamingJobDeps {
  readonly streams: Streams;
  readonly userLimits: UserLimits;
  readonly liveEventStreams: LiveEventStreams;
  readonly livePictures: LivePictures;
  /** URL at which clients reach the server. */
  readonly url: string;
}

const COMMON = { tag: 'Streaming jobs', caller: 'USER' } as const;
const ID = { description: 'Batch and streaming jobs share one range of ids', examples: [14] };
const params = z.object({ id: wholeNumber(1).meta(ID) });
const NO_SUCH_JOB = nothing('There is no such job.');
const WHY_REFUSED = creationFailure('The segment size must be at least 10.');
const noBody = () => null;
const noJob = () => withoutBody(400);

/** Time to wait for a picture: a component sends it with its next message. */
const PICTURE_MS = 5_000;
const EVENTS = content(
  'The events.',
  'text/event-stream',
  'retry: 2000\n\nid: 1\nevent: segment\ndata: {"type":"segment","at":1767325472480,"segment":3,"tracks":1,"detections":40}\n\n',
);

/** Specification 4.3. DELETE, events and pictures are not in the specification. */
export const streamingJobEndpoints = [
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/streaming/jobs',
    id: 'listStreamingJobs',
    jobs: 'LIST',
    summary: 'List the ids of streaming jobs',
    query: listQuery,
    answers: {
      200: json('The ids.', allStreamingJobs, { jobIds: [] }),
      400: sentence('isActive is neither true nor false.'),
    },
    async handle({ query: { isActive }, ctx }, { streams, jobAccess }: StreamingJobDeps & JobGuard) {
      return ok({ jobIds: await streams.views.list(isActive, jobAccess.sight(ctx)) });
    },
  }),
  endpoint({
    ...COMMON,
    method: 'post',
    path: '/rest/streaming/jobs',
    id: 'createStreamingJob',
    jobs: 'NONE',
    summary: 'Create a streaming job',
    description:
      'All algorithms of the pipeline must support streams. A pipeline with several actions can use only built-in algorithms. Passwords in streamUri are used and never shown.',
    headers: creationHeaders,
    body: {
      schema: streamingJobCreationRequest,
      noun: 'a streaming job',
      example: {
        enableOutputToDisk: true,
        stream: { streamUri: 'rtsp://camera.example/live', segmentSize: 100 },
        stallTimeout: 180_000,
        pipelineName: 'MOTION DETECTION PIPELINE',
      },
    },
    answers: {
      201: {
        ...json('The job was accepted.', streamingJobCreationResponse, {
          jobId: 12,
          outputObjectDirectory: '/var/lib/troupe/output-objects/12',
          coreResponse: { responseCode: 0, message: null },
        }),
        headers: { Location: 'Address of the job' },
      },
      400: json('The job is refused. The message says why.', streamingJobCreationProblem, {
        ...notCreated(WHY_REFUSED),
        ...errorMembers('invalid-job', WHY_REFUSED),
      }),
      422: json('The Idempotency-Key was used for another request.', streamingJobCreationProblem),
      429: limitReached(streamingJobCreationProblem),
    },
    refusal: notCreated,
    says: {
      body: (problems) => creationFailure(`The request has errors in the following fields:\n${problems}`),
      headers: () => WRONG_KEY,
    },
    async handle({ body, given, unknownMembers, headers, ctx }, deps: StreamingJobDeps & JobGuard) {
      const { streams, url, jobAccess, userLimits } = deps;
      const user = userOf(ctx);
      const repeatable = repeatableOf(headers['Idempotency-Key'], given, user);
      const request = toRequest(body, user.name, jobAccess.newOwner(ctx), traceparentOfRequest(ctx));
      const submitNew = () =>
        userLimits.within(
          ctx,
          'streams',
          () => streams.service.submit(request, repeatable),
          (message) => notCreated(creationFailure(message, body.externalId)),
        );
      const submission =
        (repeatable && (await streams.service.answerBefore(repeatable))) ?? (await submitNew());
      return createdAnswer(submission, body.externalId, url, [...unknownMembers, ...secretNotes(body)]);
    },
  }),
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/streaming/jobs/{id}',
    id: 'getStreamingJob',
    jobs: 'STREAMING_JOB',
    summary: 'Show a streaming job',
    params,
    query: singleJobQuery,
    answers: { 200: json('The job.', streamingJobInfo), 400: NO_SUCH_JOB },
    refusal: noBody,
    absent: noJob,
    async handle({ params: { id }, query: { details = '' } }, { streams }: StreamingJobDeps) {
      // Members outside the specification need details=true, because strict clients may refuse unknown members.
      const info = /^true$/i.test(details)
        ? await streams.views.detailedStream(id)
        : await streams.views.single(id);
      return info === undefined ? noJob() : ok(info);
    },
  }),
  endpoint({
    ...COMMON,
    method: 'delete',
    path: '/rest/streaming/jobs/{id}',
    id: 'deleteStreamingJob',
    jobs: 'STREAMING_JOB',
    summary: 'Delete an ended streaming job with its files',
    params: z.object({ id: z.string().meta({ ...ID, examples: ['14'] }) }),
    answers: {
      204: nothing('The job is deleted.'),
      404: sentence('There is no such job.'),
      409: sentence('The job has not ended yet.'),
    },
    absent: ({ params: { id } }) => noJobOf(id),
    async handle({ params: { id } }, { streams }: StreamingJobDeps) {
      const number = params.safeParse({ id }).data?.id;
      const outcome = number === undefined ? 'unknown' : await streams.service.remove(number);
      if (outcome === 'unknown') return noJobOf(id);
      if (outcome === 'live')
        throw new HttpError(
          'job-not-finished',
          `Streaming job ${id} has not ended yet. Cancel it first, or wait for its end.`,
        );
      return withoutBody(204);
    },
  }),
  endpoint({
    ...COMMON,
    method: 'post',
    path: '/rest/streaming/jobs/{id}/cancel',
    id: 'cancelStreamingJob',
    jobs: 'STREAMING_JOB',
    summary: 'Cancel a streaming job',
    params,
    query: cancelQuery,
    form: true,
    answers: {
      200: json('The job will end.', streamingJobCancelResponse),
      400: json('There is no such job, or it has ended.', streamingJobCancelProblem),
      403: json('The job belongs to another user.', streamingJobCancelProblem),
      408: sentence('A form with doCleanup did not arrive in time.'),
      413: sentence('A form with doCleanup is too large.'),
    },
    refusal: notCancelled,
    says: {
      params: (_, given) => `Failed to parse the streaming job id '${(given as { id: string }).id}'.`,
    },
    absent({ params, query }) {
      const message = noSuchStream(params.id);
      throw new HttpError('job-not-found', message, {
        status: 400,
        body: notCancelled(message, { params, query }),
      });
    },
    async handle({ params, query }, { streams }: StreamingJobDeps) {
      const outcome = await streams.service.cancel(params.id, query.doCleanup);
      if (outcome.kind === 'refused')
        throw new HttpError(outcome.isUnknown ? 'job-not-found' : 'job-finished', outcome.message, {
          status: 400,
          body: notCancelled(outcome.message, { params, query }),
        });
      const { outputObjectDirectory } = outcome;
      const coreResponse = successResponse();
      return ok({ jobId: params.id, doCleanup: query.doCleanup, outputObjectDirectory, coreResponse });
    },
  }),
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/streaming/jobs/{id}/events',
    id: 'watchStreamingJob',
    jobs: 'STREAMING_JOB',
    summary: 'Watch a streaming job (server-sent events)',
    description:
      'The first event, `job`, has the state of the job, as GET returns it. Each change of the state causes another `job` event. `trackBegan`, ' +
      '`trackEnded`, `zoneEvent`, `segment`, `reconnecting`, `warning` and `counts` report what happens in the stream; `missed` tells a slow client the number of lost events. `at` is the time in milliseconds since the epoch; events may arrive out of order. The stream ends with the job.',
    params,
    answers: { 200: EVENTS, 400: NO_SUCH_JOB },
    refusal: noBody,
    absent: noJob,
    async handle({ params: { id }, ctx }, { liveEventStreams }: StreamingJobDeps) {
      const stream = await liveEventStreams.open(id);
      if (stream === undefined) return noJob();
      return eventsFor(ctx, stream);
    },
  }),
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/streaming/jobs/{id}/frame.jpg',
    id: 'getLiveFrame',
    jobs: 'STREAMING_JOB',
    summary: 'Get the newest picture of a live stream, with boxes',
    params,
    answers: {
      200: content('The picture.', 'image/jpeg'),
      400: NO_SUCH_JOB,
      404: sentence('There is no picture: the stream is stalled, or the job has ended.'),
    },
    refusal: noBody,
    absent: noJob,
    async handle({ params: { id }, ctx }, { streams }: StreamingJobDeps) {
      const job = await streams.views.single(id);
      if (job === undefined) return noJob();
      const jpeg = isEnded(job.jobStatus)
        ? undefined
        : await streams.live.picture(id, PICTURE_MS, leftBy(ctx.res));
      if (jpeg === undefined) throw noPicture(id, job.jobStatus);
      return answerWith(200, jpeg, { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    },
  }),
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/streaming/jobs/{id}/live.mjpeg',
    id: 'viewLiveStream',
    jobs: 'STREAMING_JOB',
    summary: 'Watch the pictures of a live stream, with boxes (MJPEG)',
    description:
      'At most ten JPEG pictures a second, as parts of one answer that ends with the job. A slow viewer misses pictures. ' +
      `A camera has at most ${MOST_VIEWERS} viewers on a server.`,
    params,
    answers: {
      200: content('The pictures.', PICTURES_TYPE),
      400: NO_SUCH_JOB,
      404: sentence('The job has ended.'),
    },
    refusal: noBody,
    absent: noJob,
    async handle({ params: { id }, ctx }, { streams, livePictures }: StreamingJobDeps) {
      const job = await streams.views.single(id);
      if (job === undefined) return noJob();
      const pictures = await livePictures.open(id);
      if (pictures === undefined) throw noPicture(id, job.jobStatus);
      return eventsFor(ctx, pictures);
    },
  }),
];

function noPicture(id: number, status: string): HttpError {
  return new HttpError(
    'live-picture-unavailable',
    `Streaming job ${id} has no picture, because it is ${status}.`,
  );
}

function noJobOf(id: string): never {
  throw notThere('streaming job', id, '/rest/streaming/jobs');
}

/** Returns the error for a stream that was not cancelled. Its body repeats the parts of the request that could be read. */
function notCancelled(
  message: string,
  seen: { readonly params?: unknown; readonly query?: unknown },
): z.infer<typeof streamingJobCancelResponse> {
  const { id = -1 } = (seen.params ?? {}) as Partial<z.infer<typeof params>>;
  const { doCleanup = false } = (seen.query ?? {}) as Partial<z.infer<typeof cancelQuery>>;
  return { jobId: id, doCleanup, outputObjectDirectory: null, coreResponse: onFailure(message) };
}
