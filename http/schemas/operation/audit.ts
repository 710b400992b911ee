import { z } from 'zod';
import type { AuditCursor } from '../../../actors/audit/audit-trail.ts';
import { AUDIT_OUTCOMES } from '../../../actors/audit/entry.ts';
import { queryTimestamp, wholeNumber } from '../common.ts';

/** Position where a page ended: a time, the number of returned entries of the batch, and the id of the batch. */
const CURSOR = /^(\d{1,16})\.(\d{1,4})\.([\w-]{1,64})$/;
const filter = z.string().min(1, { error: 'must not be empty' }).max(1_000).optional();

export const auditQuery = z.strictObject({
  limit: wholeNumber(1, 500).default(50).describe('Maximum number of entries'),
  before: z
    .string()
    .regex(CURSOR, { error: 'must be the value of next from the previous page' })
    .optional()
    .meta({
      description: 'Value of next from the previous page',
      examples: ['1772357400000.1.b7'],
    }),
  user: filter.describe('Only of this user: the name or the subject, exactly'),
  path: filter.describe('Only requests whose path has this in it'),
  job: filter.describe('Only requests about this job'),
  from: queryTimestamp.optional().describe('Only entries that are not before it'),
  to: queryTimestamp.optional().describe('Only entries before it'),
});

/** Returns content and encoding of a cursor. */
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
          subject: z.string().nullable().describe('Subject at the provider; null: unknown'),
          client: z.string().nullable().describe('Client of the token; null: unknown'),
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
    next: z.string().nullable().describe('Value of before for the next page; null: this is the last page'),
  })
  .meta({
    id: 'AuditPage',
    description:
      'A page of the audit trail. With a filter it may be short, or empty, although more follow: continue until next is null.',
  });
