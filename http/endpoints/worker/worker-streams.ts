import { z } from 'zod';
import type { Streams } from '../../../actors/guardian/register-streams.ts';
import { fragmentOf } from '../../../protocol/stream-fragments.ts';
import { claimantOf } from '../../access/claimant.ts';
import { json, ok, sentence } from '../../routing/declaration.ts';
import { HttpError } from '../../routing/errors.ts';
import { dropRest } from '../../routing/unwanted-body.ts';
import { endpoint } from '../../steps/endpoint.ts';
import {
  fragmentName as fragmentNameParam,
  segmentNumber,
  streamAnswer,
  streamEnd,
  streamEvents,
} from '../../schemas/worker/worker-protocol.ts';
import { requireAccepted } from './answer-refusals.ts';
import { leaseParams, lost, NDJSON, WORKER_PROTOCOL, wrong } from './worker-protocol.ts';

export interface WorkerStreamDeps {
  readonly streams: Streams;
}

const goesOn = json('Accepted. A repeated message gets the same answer.', streamAnswer, { go: 'on' });

/** /worker/v1: reports of components that process live streams; `protocol/streams.ts` describes them. */
export const workerStreamEndpoints = [
  endpoint({
    ...WORKER_PROTOCOL,
    method: 'post',
    path: '/worker/v1/leases/{token}/segments/{segment}',
    id: 'postSegment',
    summary: 'Report the results of a segment of a live stream',
    description: 'NDJSON: a track a line, then one line with the summary of the segment.',
    params: leaseParams.extend({ segment: segmentNumber }),
    body: { schema: z.string(), type: NDJSON },
    answers: {
      200: goesOn,
      400: wrong,
      409: lost,
      422: sentence('The segment violates the protocol. The attempt is lost.'),
    },
    async handle({ params: { token, segment }, body, ctx }, { streams }: WorkerStreamDeps) {
      const outcome = await streams.gateway.intake.segment(token, claimantOf(ctx).worker, segment, body);
      return ok(requireAccepted(ctx, outcome));
    },
  }),
  endpoint({
    ...WORKER_PROTOCOL,
    method: 'post',
    path: '/worker/v1/leases/{token}/events',
    id: 'postStreamEvents',
    summary: 'Report events of a live stream',
    params: leaseParams,
    body: { schema: streamEvents, example: { events: [{ type: 'running', at: 1_790_000_000_000 }] } },
    answers: { 200: goesOn, 400: wrong, 409: lost },
    async handle({ params: { token }, body, ctx }, { streams }: WorkerStreamDeps) {
      return ok(
        requireAccepted(ctx, await streams.gateway.intake.events(token, claimantOf(ctx).worker, body)),
      );
    },
  }),
  endpoint({
    ...WORKER_PROTOCOL,
    method: 'put',
    path: '/worker/v1/leases/{token}/frame',
    id: 'putLiveFrame',
    summary: 'Send the newest picture of a live stream on request',
    params: leaseParams,
    body: { schema: z.string(), type: 'image/jpeg' },
    answers: {
      200: goesOn,
      400: wrong,
      409: lost,
      422: sentence('The picture is too large.'),
    },
    async handle({ params: { token }, body, ctx }, { streams }: WorkerStreamDeps) {
      return ok(
        requireAccepted(ctx, await streams.gateway.intake.picture(token, claimantOf(ctx).worker, body)),
      );
    },
  }),
  endpoint({
    ...WORKER_PROTOCOL,
    method: 'put',
    path: '/worker/v1/leases/{token}/recording/{name}',
    id: 'putRecordedFragment',
    summary: 'Send a part of a recording',
    description:
      'An MP4 file with one fragment. Its name has its time and content: `protocol/stream-fragments.ts` describes it.',
    params: leaseParams.extend({ name: fragmentNameParam }),
    body: { schema: z.string(), type: 'video/mp4' },
    answers: {
      200: goesOn,
      400: wrong,
      409: lost,
      413: sentence('The fragment is too large.'),
      507: sentence('The disk is full, and no older recording is left that could be removed.'),
    },
    async handle({ params: { token, name }, body, ctx }, { streams }: WorkerStreamDeps) {
      const fragment = fragmentOf(name)!;
      const outcome = await streams.gateway.intake.fragment(token, claimantOf(ctx).worker, fragment, body);
      if (typeof outcome !== 'string') return ok(requireAccepted(ctx, outcome));
      dropRest(body);
      throw refusedFragment(outcome);
    },
  }),
  endpoint({
    ...WORKER_PROTOCOL,
    method: 'post',
    path: '/worker/v1/leases/{token}/end',
    id: 'postStreamEnd',
    summary: 'Report the end of a live stream',
    params: leaseParams,
    body: { schema: streamEnd, example: { reason: 'ended', detail: 'The sender closed the stream.' } },
    answers: { 200: goesOn, 400: wrong, 409: lost },
    async handle({ params: { token }, body, ctx }, { streams }: WorkerStreamDeps) {
      return ok(
        requireAccepted(ctx, await streams.gateway.intake.onEnd(token, claimantOf(ctx).worker, body)),
      );
    },
  }),
];

const REFUSED = {
  broken: ['body-incomplete', 'The fragment is incomplete.'],
  tooLarge: ['body-too-large', 'The fragment is too large.'],
  noRoom: ['storage-full', 'The disk is full, and no older recording is left that could be removed.'],
} as const;

const refusedFragment = (outcome: keyof typeof REFUSED): HttpError => {
  const [code, message] = REFUSED[outcome];
  return new HttpError(code, message);
};
