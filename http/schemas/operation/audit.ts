import { z } from 'zod';
import type { AuditCursor } from '../../../actors/audit/audit-trail.ts';
import { AUDIT_OUTCOMES } from '../../../actors/audit/entry.ts';
import { queryTimestamp, wholeNumber } from '../common.ts';

/** Where a page ended: a time, how many entries of the batch it had, and the id of the batch. */
const CURSOR = /^(\d{1,16})\.(\d{1,4})\.([\w-]{1,64})$/;
const filter = z.string().min(1, { error: 'must not be empty' }).max(1_000).optional();

export const auditQuery = z.strictObject({
  limit: wholeNumber(1, 500).default(50).describe('Entries at most'),
  before: z
    .string()
    .regex(CURSOR, { error: 'must be the next of the page before' })
    .optional()
    .meta({
      description: 'The next of the page before, for the page after it',
      examples: ['1772357400000.1.b7'],
    }),
  user: filter.describe('Only of this user: the name or the subject, exactly'),
  path: filter.describe('Only requests whose path has this in it'),
  job: filter.describe('Only requests about this job'),
  from: queryTimestamp.optional().describe('Only entries that are not before it'),
  to: queryTimestamp.optional().describe('Only entries before it'),
});

/** What a cursor says, and how it is written. */
export function auditCursor(before: string | undefined): AuditCursor | undefined {
  const [, score, taken, id] = CURSOR.exec(before ?? '') ?? [];
  return id === undefined ? undefined : { score: Number(score), taken: Number(taken), id };
}
export const auditCursorText = ({ score, taken, id }: AuditCursor) => `${score}.${taken}.${id}`;

export const auditPage = z
  .object({
    entries: z
      .array(
        z.object({
          at: z.iso.datetime().describe('When the request was answered'),
          user: z.string().describe('Name'),
          subject: z.string().nullable().describe('At the provider; null: the token does not say'),
          client: z.string().nullable().describe('To which the token was given; null: it does not say'),
          method: z.string().describe('Method of the request'),
          path: z.string().describe('Without the query'),
          status: z.int().describe('Status of the answer'),
          outcome: z
            .enum(AUDIT_OUTCOMES)
            .describe(
              'forbidden: the role is missing; refused: the request was wrong; failed: by the server',
            ),
          jobId: z.string().optional().describe('The job that was made, or that the path names'),
          ip: z.string().describe('Address of the client'),
          requestId: z.string().describe('As in the log'),
        }),
      )
      .describe('The newest first'),
    next: z
      .string()
      .nullable()
      .describe('What to send as before for the next page; null: this is the last one'),
  })
  .meta({
    id: 'AuditPage',
    description:
      'A page of the audit trail. With a filter it may be short, or empty, although more follow: continue until next is null.',
  });
