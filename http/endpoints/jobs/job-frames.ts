import { z } from 'zod';
import type { JobFrames } from '../../../actors/frames/job-frames.ts';
import { content, json, nothing, ok, sentence } from '../../routing/declaration.ts';
import { endpoint } from '../../steps/endpoint.ts';
import { trueOrFalse, wholeNumber } from '../../schemas/common.ts';
import { frameTable } from '../../schemas/media.ts';
import { fileAnswer } from '../../steps/file-answer.ts';
import { foundFor, JOB_FILE_ENDPOINT, ofMedium } from './job-files.ts';

export interface JobFrameDeps {
  readonly jobFrames: JobFrames;
}

const ofFrame = ofMedium.extend({
  k: wholeNumber(0, 2 ** 31 - 1).describe('Number of the frame, from 0, as in the document'),
});
const REFUSALS = {
  400: sentence('A part of the path or the query is wrong.'),
  404: sentence(
    'The job, medium or frame does not exist or cannot be read. The message says why, and what to do.',
  ),
};
const TABLE = {
  frames: 250,
  fps: 25,
  constantRate: true,
  runs: [[0, 40, 250]] as [number, number, number][],
};

/** The frames of the media of jobs (not in the specification). A browser uses them to show the exact frame of a detection. */
export const jobFrameEndpoints = [
  endpoint({
    ...JOB_FILE_ENDPOINT,
    path: '/rest/jobs/{id}/media/{mediaId}/frames',
    id: 'getFrameTimes',
    summary: 'List the times of the frames of a medium',
    description:
      'Run-length coded: a constant rate is one run, a variable one has exact times. The frame on show at `mediaTime` seconds of a video ' +
      'in a browser is the last one whose time is not above `mediaTime * 1000 + 0.5`.',
    params: ofMedium,
    answers: { 200: json('The times.', frameTable, TABLE), ...REFUSALS },
    async handle({ params: { id, mediaId } }, { jobFrames }: JobFrameDeps) {
      const found = await foundFor(id, (number) => jobFrames.times(number, mediaId));
      if (!('file' in found))
        return ok({ ...found, runs: found.runs.map((run): [number, number, number] => [...run]) });
      return { ...ok(found.file.stream()), length: found.file.bytes };
    },
  }),
  endpoint({
    ...JOB_FILE_ENDPOINT,
    path: '/rest/jobs/{id}/media/{mediaId}/frames/{k}.jpg',
    id: 'getFrame',
    summary: 'Get a picture of a frame of a medium',
    description:
      'Returns the frame with this number in the document, upright, as a JPEG. This also works for media that no browser shows (HEIC, TIFF, AVI). An ' +
      'image has frame 0. Frame 0 of a PDF is a picture of its first page. At most 16 are decoded at a time.',
    params: ofFrame,
    query: z.object({
      boxes: trueOrFalse.optional().describe('true: with the detections of this frame drawn into it'),
      small: trueOrFalse
        .optional()
        .describe('true: at most 480 pixels wide and high, without boxes, and cached'),
    }),
    answers: {
      200: content('The picture.', 'image/jpeg'),
      206: content('The part that Range requests.', 'image/jpeg'),
      304: nothing('The picture has not changed (If-None-Match).'),
      416: sentence('The picture ends before the requested Range.'),
      ...REFUSALS,
    },
    async handle(
      { params: { id, mediaId, k }, query: { boxes = false, small = false }, ctx },
      { jobFrames }: JobFrameDeps,
    ) {
      const find = (number: number) =>
        small ? jobFrames.thumbnail(number, mediaId, k) : jobFrames.picture(number, mediaId, k, boxes);
      return fileAnswer(ctx, await foundFor(id, find));
    },
  }),
];
