import { z } from 'zod';

/** `forbidden`: the user lacked the role. `refused`: the request was invalid. `failed`: the server could not execute it. */
export const AUDIT_OUTCOMES = ['done', 'forbidden', 'refused', 'failed'] as const;

/** An audited request: its user, its result and its origin. */
export const auditEntry = z.object({
  /** Milliseconds since the epoch. */
  at: z.number(),
  user: z.string(),
  subject: z.string().nullable(),
  client: z.string().nullable(),
  method: z.string(),
  /** Without the query. */
  path: z.string(),
  status: z.int(),
  outcome: z.enum(AUDIT_OUTCOMES),
  /** The job that the request created, or that the path names. */
  jobId: z.string().optional(),
  ip: z.string(),
  requestId: z.string(),
});
export type AuditEntry = Readonly<z.infer<typeof auditEntry>>;

/** A query of audit entries; an absent member matches all. Times are milliseconds since the epoch; the second one is excluded. */
export interface AuditFilter {
  /** Name or subject, exactly. */
  readonly user: string | undefined;
  /** A part of the path. */
  readonly path: string | undefined;
  readonly job: string | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

export const fitsEntry = (entry: AuditEntry, { user, path, job, from, to }: AuditFilter): boolean =>
  (user === undefined || entry.user === user || entry.subject === user) &&
  (path === undefined || entry.path.includes(path)) &&
  (job === undefined || entry.jobId === job) &&
  entry.at >= (from ?? -Infinity) &&
  entry.at < (to ?? Infinity);
