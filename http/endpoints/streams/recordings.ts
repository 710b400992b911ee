import { z } from 'zod';
import type { Missing } from '../../../actors/job-files/job-files.ts';
import type { Busy } from '../../../actors/frames/job-frames.ts';
import type { Moment, StreamRecordings } from '../../../actors/frames/stream-recordings.ts';
import { content, json, nothing, ok, sentence, withoutBody } from '../../routing/declaration.ts';
import { HttpError, overloadError } from '../../routing/errors.ts';
import { wholeNumber } from '../../schemas/common.ts';
import {
  clipQuery,
  listedTimes,
  recordingList,
  snapshotQuery,
} from '../../schemas/streaming/stream-recordings.ts';
import { leftBy } from '../../steps/client.ts';
import { endpoint } from '../../steps/endpoint.ts';
import { fileAnswer } from '../../steps/file-answer.ts';

export interface StreamRecordingDeps {
  readonly streamRecordings: StreamRecordings;
}

const params = z.object({
  id: wholeNumber(1).meta({ description: 'Number of the streaming job', examples: [14] }),
});
const noJob = () => withoutBody(400);
const COMMON = {
  tag: 'Streaming jobs',
  caller: 'USER',
  method: 'get',
  jobs: 'STREAMING_JOB',
  params,
  refusal: () => null,
  absent: noJob,
} as const;
const NO_SUCH_JOB = nothing('There is no such job, or the query is wrong.');
const NOTHING = sentence('Nothing was recorded at this time. The message says why.');
const LIST = {
  bytes: 48_213_004,
  stretches: [
    {
      startTime: '2026-01-02T09:04:05.000+00:00',
      stopTime: '2026-01-02T11:00:00.000+00:00',
      startFrame: 0,
      stopFrame: 173_874,
    },
  ],
};

/** Recordings of live streams (not in the specification). */
export const streamRecordingEndpoints = [
  endpoint({
    ...COMMON,
    path: '/rest/streaming/jobs/{id}/recordings',
    id: 'listRecordings',
    summary: 'List the recordings of a live stream',
    query: listedTimes,
    answers: { 200: json('The recorded periods.', recordingList, LIST), 400: NO_SUCH_JOB },
    async handle({ params: { id }, query: { start, stop } }, { streamRecordings }: StreamRecordingDeps) {
      const range = { from: start === undefined ? 0 : Date.parse(start), to: stop === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(stop) }; // oxfmt-ignore
      const found = await streamRecordings.list(id, range);
      if (found === undefined) return noJob();
      return ok({ bytes: found.bytes, stretches: [...found.stretches] });
    },
  }),
  endpoint({
    ...COMMON,
    path: '/rest/streaming/jobs/{id}/recordings/clip.mp4',
    id: 'getClip',
    summary: 'Get a clip of a recording',
    description:
      'The coded pictures of the camera, not re-encoded. The clip starts at the last key frame before the requested time. It ends where the camera changes codec or size, and after at most one hour. If its end is about to be recorded, the answer waits up to 16 seconds for it.',
    query: clipQuery,
    answers: {
      200: content('The clip.', 'video/mp4'),
      206: content('The part that Range requests.', 'video/mp4'),
      304: nothing('The clip has not changed (If-None-Match).'),
      400: NO_SUCH_JOB,
      404: NOTHING,
      416: sentence('The clip ends before the requested Range.'),
    },
    async handle({ params: { id }, query, ctx }, { streamRecordings }: StreamRecordingDeps) {
      const { start, startFrame, stop, stopFrame, before, after } = query;
      const first = momentOf(start, startFrame);
      const last = stop === undefined && stopFrame === undefined ? first : momentOf(stop, stopFrame);
      const roll = { before: before * 1_000, after: after * 1_000 };
      const found = await streamRecordings.clip(id, [first, last], roll, leftBy(ctx.res));
      return found === undefined ? noJob() : fileAnswer(ctx, requireFound(found));
    },
  }),
  endpoint({
    ...COMMON,
    path: '/rest/streaming/jobs/{id}/recordings/snapshot.jpg',
    id: 'getSnapshot',
    summary: 'Get a picture of a recording',
    query: snapshotQuery,
    answers: {
      200: content('The picture.', 'image/jpeg'),
      206: content('The part that Range requests.', 'image/jpeg'),
      304: nothing('The picture has not changed (If-None-Match).'),
      400: NO_SUCH_JOB,
      404: NOTHING,
      416: sentence('The picture ends before the requested Range.'),
    },
    async handle({ params: { id }, query: { at, frame }, ctx }, { streamRecordings }: StreamRecordingDeps) {
      const found = await streamRecordings.picture(id, momentOf(at, frame));
      return found === undefined ? noJob() : fileAnswer(ctx, requireFound(found));
    },
  }),
];

const momentOf = (time: string | undefined, frame: number | undefined): Moment =>
  time === undefined ? { frame: frame ?? 0 } : { at: Date.parse(time) };

function requireFound<T extends object>(found: T | Missing | Busy): T {
  if ('missing' in found) throw new HttpError('recording-not-found', found.missing);
  if ('busy' in found) throw overloadError(found.busy);
  return found;
}
