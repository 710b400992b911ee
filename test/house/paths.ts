/**
 * The paths of a result, a new job and a stream segment through the rooms of the server. `paths.test.ts`
 * records the real calls and compares.
 */

export interface Room {
  readonly name: string;
  /** Code of the room: files, folders with a final `/`, or functions as `file#name`. */
  readonly code: readonly string[];
}

export interface Path {
  readonly title: string;
  /** Description of what is recorded. */
  readonly of: string;
  readonly rooms: readonly Room[];
  /** Calls from room to room in order. Each room is entered once. */
  readonly calls: readonly (readonly [from: string, to: string])[];
  /** Rooms that are entered only if they have work. */
  readonly optional?: readonly string[];
}

/**
 * The code between rooms: mailboxes, and the connection of transition tables to the store. It runs once for
 * each message to an actor.
 */
export const MAILBOX: Room = { name: 'mailbox', code: ['actors/runtime/'] };

const JOB_ACTOR: readonly Room[] = [
  {
    name: 'decision',
    code: [
      'actors/batch-job/actor.ts#decide',
      'actors/batch-job/actor.ts#decideJob',
      'actors/batch-job/life-cycle/transitions.ts',
      'actors/batch-job/life-cycle/answers.ts',
    ],
  },
  {
    name: 'fold',
    code: ['actors/batch-job/life-cycle/fold.ts', 'actors/batch-job/life-cycle/component-figures.ts'],
  },
  {
    name: 'next work',
    code: ['actors/batch-job/life-cycle/progress.ts', 'actors/batch-job/life-cycle/new-work.ts'],
  },
  { name: 'effects', code: ['actors/batch-job/actor.ts#perform'] },
];
const COMMIT: Room = { name: 'commit', code: ['store/sqlite/sqlite-store.ts#commit'] };
export const REPLY: Room = { name: 'reply', code: ['http/steps/send.ts'] };
const SPOOL: Room = { name: 'spool', code: ['results/spool.ts#receive'] };
const CHECKER: Room = { name: 'checker', code: ['results/check/check.ts'] };

const RESULT_ROOMS: readonly Room[] = [
  { name: 'endpoint', code: ['http/steps/endpoint.ts', 'http/endpoints/worker/'] },
  {
    name: 'intake',
    code: ['actors/worker-gateway/results/intake.ts', 'actors/worker-gateway/results/answer-path.ts'],
  },
  { name: 'lease check', code: ['actors/worker-gateway/results/lease-check.ts'] },
  { name: 'receipt', code: ['actors/worker-gateway/results/receipt.ts'] },
  SPOOL,
  { name: 'answer check', code: ['actors/worker-gateway/results/answer-check.ts'] },
  CHECKER,
  {
    name: 'command',
    code: [
      'actors/worker-gateway/results/answer-settlement.ts#settle',
      'actors/worker-gateway/results/answer-settlement.ts#toJob',
    ],
  },
  ...JOB_ACTOR,
  COMMIT,
  REPLY,
];

export const RESULT: Path = {
  title: 'Path of a result',
  of: 'A component posts the tracks of a sub-job. A failure takes the same path without the spool.',
  rooms: RESULT_ROOMS,
  calls: [
    ['request', 'endpoint'],
    ['endpoint', 'intake'],
    ['intake', 'lease check'],
    ['intake', 'receipt'],
    ['receipt', 'spool'],
    ['intake', 'answer check'],
    ['answer check', 'checker'],
    ['intake', 'command'],
    ['command', 'mailbox'],
    ['mailbox', 'decision'],
    ['decision', 'fold'],
    ['decision', 'next work'],
    ['mailbox', 'commit'],
    ['mailbox', 'effects'],
    ['endpoint', 'reply'],
  ],
  optional: ['spool', 'effects'],
};

export const NEW_JOB: Path = {
  title: 'Path of a new job',
  of: 'A client posts a job with one picture, and there is room for it.',
  rooms: [
    { name: 'endpoint', code: ['http/steps/endpoint.ts', 'http/endpoints/jobs/'] },
    { name: 'first look', code: ['actors/job-service/job-service.ts#tooMany'] },
    { name: 'job service', code: ['actors/job-service/job-service.ts'] },
    {
      name: 'request checks',
      code: [
        'actors/job-service/request-checks.ts',
        'actors/job-service/request-plan.ts',
        'actors/job-service/request-media.ts',
        'actors/job-service/request-properties.ts',
      ],
    },
    { name: 'catalog', code: ['actors/catalog/catalog.ts#batchPlan'] },
    { name: 'acceptance', code: ['actors/job-service/acceptance.ts'] },
    { name: 'archive', code: ['actors/batch-job/completion/archive-checks.ts'] },
    { name: 'admission', code: ['actors/admission/'] },
    ...JOB_ACTOR,
    COMMIT,
    REPLY,
  ],
  calls: [
    ['request', 'endpoint'],
    ['endpoint', 'first look'],
    ['endpoint', 'job service'],
    ['job service', 'request checks'],
    ['request checks', 'catalog'],
    ['job service', 'acceptance'],
    ['acceptance', 'archive'],
    ['acceptance', 'mailbox'],
    ['mailbox', 'admission'],
    ['acceptance', 'mailbox'],
    ['mailbox', 'decision'],
    ['decision', 'next work'],
    ['mailbox', 'commit'],
    ['endpoint', 'reply'],
  ],
};

export const SEGMENT: Path = {
  title: 'Path of a stream segment',
  of: 'A component posts a segment with one track.',
  rooms: [
    { name: 'endpoint', code: ['http/steps/endpoint.ts', 'http/endpoints/worker/'] },
    {
      name: 'intake',
      code: [
        'actors/worker-gateway/streams/stream-intake.ts',
        'actors/worker-gateway/results/answer-path.ts',
      ],
    },
    {
      name: 'lease check',
      code: [
        'actors/worker-gateway/streams/segment-intake.ts#hold',
        'actors/worker-gateway/streams/stream-settlement.ts#hold',
      ],
    },
    { name: 'receipt', code: ['actors/worker-gateway/streams/segment-intake.ts#receive'] },
    SPOOL,
    { name: 'segment check', code: ['actors/worker-gateway/streams/segment-intake.ts#check'] },
    CHECKER,
    {
      name: 'command',
      code: [
        'actors/worker-gateway/streams/segment-intake.ts#settle',
        'actors/worker-gateway/streams/stream-settlement.ts#ask',
        'actors/worker-gateway/streams/stream-settlement.ts#reply',
        'actors/worker-gateway/streams/stream-settlement.ts#accept',
      ],
    },
    {
      name: 'decision',
      code: ['actors/streaming-job/actor.ts#decide', 'actors/streaming-job/transitions.ts'],
    },
    {
      name: 'effects',
      code: ['actors/streaming-job/actor.ts#perform', 'actors/streaming-job/actor.ts#carryOut'],
    },
    COMMIT,
    REPLY,
  ],
  calls: [
    ['request', 'endpoint'],
    ['endpoint', 'intake'],
    ['intake', 'lease check'],
    ['intake', 'receipt'],
    ['receipt', 'spool'],
    ['intake', 'segment check'],
    ['segment check', 'checker'],
    ['intake', 'command'],
    ['command', 'mailbox'],
    ['mailbox', 'decision'],
    ['mailbox', 'commit'],
    ['mailbox', 'effects'],
    ['endpoint', 'reply'],
  ],
};
