import type { z } from 'zod';
import {
  archivePost,
  healthReport,
  jobCallback,
  jobCallbackHeaders,
  jobCallbackQuery,
  reportHeaders,
  streamEvent,
  summaryReport,
} from '../schemas/callbacks.ts';

/** A request that the server sends to a receiver. */
export interface Webhook {
  readonly name: string;
  readonly method: 'get' | 'post';
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly headers?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly answers: Readonly<Record<string, string>>;
}

const JOB = { name: 'jobEnded', tag: 'Callbacks', headers: jobCallbackHeaders } as const;
const REPORT = { method: 'post', tag: 'Streaming jobs', headers: reportHeaders } as const;
const RETRIED = {
  '2XX': 'The callback has arrived.',
  '4XX': 'Troupe retries the callback only after 408, 409, 421, 423, 425 and 429.',
  '5XX': 'Troupe retries the callback for 24 hours (DELIVERY_GIVE_UP_MS).',
};
const SENT_ONCE = { default: 'Any answer: a report is sent once.' };

/** All requests to receivers that jobs name (specification 6). */
export const WEBHOOKS: readonly Webhook[] = [
  {
    ...JOB,
    method: 'get',
    id: 'jobEndedByGet',
    summary: 'A batch job has ended (callbackMethod GET)',
    description: 'To callbackURL, whose own query is kept.',
    query: jobCallbackQuery,
    answers: RETRIED,
  },
  {
    ...JOB,
    method: 'post',
    id: 'jobEndedByPost',
    summary: 'A batch job has ended (callbackMethod POST)',
    description: 'To callbackURL.',
    body: jobCallback,
    answers: RETRIED,
  },
  {
    ...REPORT,
    name: 'streamHealth',
    id: 'streamHealth',
    summary: 'State of streaming jobs',
    description:
      'To healthReportCallbackUri, at intervals and when a status changes. To stallCallbackUri when the stream stalls.',
    body: healthReport,
    answers: SENT_ONCE,
  },
  {
    ...REPORT,
    name: 'streamSegment',
    id: 'streamSegment',
    summary: 'What was found in a segment of a stream',
    description: 'To summaryReportCallbackUri, in the order of the segments.',
    body: summaryReport,
    answers: SENT_ONCE,
  },
  {
    ...REPORT,
    name: 'streamEvent',
    id: 'streamEvent',
    summary: 'What happened in a zone, at a line or by a rule of a stream',
    description: 'To callbackUri of events. It is retried until it arrives, with the same id.',
    body: streamEvent,
    answers: RETRIED,
  },
  {
    name: 'archivePost',
    method: 'post',
    tag: 'Callbacks',
    id: 'archivePost',
    summary: 'What a job found in a medium, for an archive',
    description: 'To ARCHIVE_URL. It is never signed.',
    body: archivePost,
    answers: RETRIED,
  },
];
