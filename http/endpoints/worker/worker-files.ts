import { z } from 'zod';
import type { LeaseFileOutcome, LeaseFiles } from '../../../actors/worker-gateway/leases/lease-files.ts';
import type { LeaseFrame, LeaseFrames } from '../../../actors/worker-gateway/leases/lease-frames.ts';
import type { LeaseMedia } from '../../../actors/worker-gateway/leases/lease-media.ts';
import { claimantOf } from '../../access/claimant.ts';
import { content, json, nothing, ok, sentence } from '../../routing/declaration.ts';
import { endpoint } from '../../steps/endpoint.ts';
import { HttpError, overloadError } from '../../routing/errors.ts';
import { frameTable } from '../../schemas/media.ts';
import { frameNumber, leaseFileName, leaseFrameQuery, storedFile } from '../../schemas/worker/lease-files.ts';
import { leftBy } from '../../steps/client.ts';
import { fileAnswer } from '../../steps/file-answer.ts';
import { dropRest } from '../../routing/unwanted-body.ts';
import { leaseLost } from './answer-refusals.ts';
import { leaseParams, lost, WORKER_PROTOCOL } from './worker-protocol.ts';

export interface WorkerFileDeps {
  readonly leaseMedia: LeaseMedia;
  readonly leaseFiles: LeaseFiles;
  readonly leaseFrames: LeaseFrames;
}

const FILE = {
  path: '/data/media/host-12.1/1-derived-31.host-12.1.0.0.0.1.kQ3v0Jr9TzWm1xYc8LdPqA/page-1.png',
  bytes: 48_213,
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
};

/** /worker/v1: the files of sub-jobs, for components that share no folder with the server. */
export const workerFileEndpoints = [
  endpoint({
    ...WORKER_PROTOCOL,
    method: 'get',
    path: '/worker/v1/leases/{token}/medium',
    id: 'getLeaseMedium',
    summary: 'Read the medium of a sub-job',
    description:
      'For the holder of the lease. Range (one part), If-Range and If-None-Match are supported. Each part that is read counts ' +
      'as progress of the sub-job.',
    params: leaseParams,
    answers: {
      200: { ...content('The medium.', '*/*'), headers: { ETag: 'Changes when the file is written' } },
      206: content('The part that Range requests.', '*/*'),
      304: nothing('The medium has not changed (If-None-Match).'),
      404: sentence('The sub-job has no medium.'),
      409: lost,
      410: sentence('The medium was deleted or replaced.'),
      416: sentence('The medium ends before the requested Range.'),
    },
    async handle({ params: { token }, ctx }, { leaseMedia }: WorkerFileDeps) {
      const found = good(await leaseMedia.medium(token, claimantOf(ctx).worker));
      return fileAnswer(ctx, found.file);
    },
  }),
  endpoint({
    ...WORKER_PROTOCOL,
    method: 'get',
    path: '/worker/v1/leases/{token}/frames',
    id: 'getLeaseFrameTimes',
    summary: 'List the times of the frames of a medium of a sub-job',
    description: 'The document, FRAME_RATE_CAP and time ranges use these times. An image has one frame.',
    params: leaseParams,
    answers: {
      200: json('The times.', frameTable),
      404: sentence('The medium has no frames, or the sub-job has no medium.'),
      409: lost,
      410: sentence('The medium was deleted or replaced.'),
    },
    async handle({ params: { token }, ctx }, { leaseFrames }: WorkerFileDeps) {
      const found = good(await leaseFrames.times(token, claimantOf(ctx).worker, leftBy(ctx.res)));
      return { ...ok(found.file.file.stream()), length: found.file.file.bytes };
    },
  }),
  endpoint({
    ...WORKER_PROTOCOL,
    method: 'get',
    path: '/worker/v1/leases/{token}/frames/{n}',
    id: 'getLeaseFrame',
    summary: 'Get a picture of a frame of the medium of a sub-job',
    description:
      'For components that cannot decode. The picture is as stored, not turned upright. An image has frame 0.',
    params: leaseParams.extend({ n: frameNumber }),
    query: leaseFrameQuery,
    answers: {
      200: content('The picture.', 'image/*'),
      206: content('The part that Range requests.', 'image/*'),
      304: nothing('The picture has not changed (If-None-Match).'),
      400: sentence('The number or the query is wrong.'),
      404: sentence('There is no such frame, it cannot be decoded, or the sub-job has no medium.'),
      409: lost,
      410: sentence('The medium was deleted or replaced.'),
      416: sentence('The picture ends before the requested Range.'),
    },
    async handle({ params: { token, n }, query: { format }, ctx }, { leaseFrames }: WorkerFileDeps) {
      const { worker } = claimantOf(ctx);
      return fileAnswer(
        ctx,
        good(await leaseFrames.frame(token, worker, { frame: n, format }, leftBy(ctx.res))).file,
      );
    },
  }),
  endpoint({
    ...WORKER_PROTOCOL,
    method: 'put',
    path: '/worker/v1/leases/{token}/files/{name}',
    id: 'putLeaseFile',
    summary: 'Send a file that was made of a document',
    description: 'The server stores it in the outputFolder. The answer has its path.',
    params: leaseParams.extend({ name: leaseFileName }),
    body: { schema: z.string(), type: '*/*' },
    answers: {
      200: json('Stored.', storedFile, FILE),
      400: sentence('The name is wrong, the sub-job makes no files, or the file is incomplete.'),
      409: lost,
      413: sentence('It is too large, or the sub-job has made as many files as it may.'),
      507: sentence('The disk is nearly full.'),
    },
    async handle({ params: { token, name }, body, ctx }, { leaseFiles }: WorkerFileDeps) {
      const { length } = ctx.request;
      const given = { source: body, length };
      const outcome = await leaseFiles.store(token, claimantOf(ctx).worker, name, given);
      if (outcome.kind === 'stored') return ok(outcome.file);
      dropRest(body);
      throw refusal(outcome);
    },
  }),
];

function good(found: LeaseFrame): Extract<LeaseFrame, { readonly kind: 'medium' }> {
  if (found.kind === 'medium') return found;
  if (found.kind === 'lost') throw leaseLost();
  if (found.kind === 'busy') throw overloadError(found.message);
  throw new HttpError(found.kind === 'gone' ? 'medium-gone' : 'medium-not-found', found.message);
}

const CODES = {
  refused: 'answer-refused',
  broken: 'body-incomplete',
  full: 'body-too-large',
  noRoom: 'storage-full',
} as const;

function refusal(outcome: Exclude<LeaseFileOutcome, { readonly kind: 'stored' }>): HttpError {
  return outcome.kind === 'lost' ? leaseLost() : new HttpError(CODES[outcome.kind], outcome.message);
}
