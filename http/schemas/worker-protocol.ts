import { z } from 'zod';
import { MOST_IN_TURN, WORK_KINDS } from '../../protocol/worker-protocol.ts';
import { DETECTION_ERRORS } from '../../domain/types.ts';

/** Bodies of the worker protocol; `protocol/worker-protocol.ts` has them as types for the other side. */
const MAX_MESSAGE = 4_000;

/** Names of algorithms have no more characters. */
const MAX_NAME = 256;
const algorithms = z.array(z.string().trim().toUpperCase().min(1).max(MAX_NAME)).min(1).max(64);

export const claimRequest = z.object({
  algorithms,
  max: z.int().min(1).max(MOST_IN_TURN).default(1),
  waitMs: z.int().min(0).max(25_000).default(0),
  inTurn: z.boolean().default(false),
});

export const resultQuery = z.object({
  claim: z
    .string()
    .transform((names) => names.split(','))
    .pipe(algorithms)
    .optional()
    .describe('Algorithms, separated by commas: the answer then has one more sub-job, if one waits'),
});

export const heartbeatRequest = z.object({
  done: z.number().nonnegative().default(0),
  total: z.number().nonnegative().default(0),
});

export const failureRequest = z.object({
  code: z.enum([
    ...DETECTION_ERRORS,
    'OTHER',
    'REMOTE_STORAGE_DOWNLOAD',
    'REMOTE_STORAGE_UPLOAD',
    'MEDIA_INSPECTION',
    'FRAME_COUNT',
    'MEDIA_INITIALIZATION',
    'LOCAL_STORAGE',
  ]),
  message: z.string().transform((text) => text.slice(0, MAX_MESSAGE)),
});

export const answersRequest = z.object({
  answers: z
    .array(
      z.object({
        token: z.string().max(MAX_NAME),
        ms: z.number().nonnegative().default(0).describe('Milliseconds that it was worked on'),
        lines: z.string().optional().describe('The lines of the result'),
        failure: failureRequest.optional().describe('Without lines: why there is no result'),
      }),
    )
    .max(MOST_IN_TURN),
  algorithms: algorithms.optional(),
  max: z.int().min(0).max(MOST_IN_TURN).default(0).describe('Sub-jobs that are claimed with it, in turn'),
});

const assignment = z
  .object({
    token: z.string().describe('Names the lease and fences it'),
    id: z.string(),
    kind: z.enum([...WORK_KINDS, 'STREAM']),
    algorithm: z.string(),
    attempt: z.int().min(1),
    heartbeatMs: z.int().min(1).describe('Time between two heartbeats that is asked for'),
    work: z
      .looseObject({})
      .describe('What is to be done; docs/component-protocol.md describes it for detectors'),
  })
  .meta({ id: 'Assignment' });
export const claimAnswer = z.object({ work: z.array(assignment) }).meta({ id: 'ClaimAnswer' });
export const answersAnswer = claimAnswer
  .extend({
    refused: z.array(z.string().nullable()).describe('For each answer: null, or why it is not taken'),
  })
  .meta({ id: 'AnswersAnswer' });
export const resultAnswer = claimAnswer.partial().meta({ id: 'ResultAnswer' });
export const heartbeatAnswer = z.object({ go: z.enum(['on', 'cancelled']) }).meta({ id: 'HeartbeatAnswer' });
