import type { AuditTrail } from '../../../actors/audit/audit-trail.ts';
import { json, ok, sentence } from '../../routing/declaration.ts';
import { auditCursor, auditCursorText, auditPage, auditQuery } from '../../schemas/operation/audit.ts';
import { endpoint } from '../../steps/endpoint.ts';

export interface AuditDeps {
  readonly auditTrail: Pick<AuditTrail, 'list' | 'note'>;
}

const EXAMPLE = {
  entries: [
    {
      at: '2026-03-01T08:30:00.000Z',
      user: 'alice',
      subject: '5f1b3a52',
      client: 'troupe-web',
      method: 'POST',
      path: '/rest/jobs/host-12/cancel',
      status: 200,
      outcome: 'done' as const,
      jobId: 'host-12',
      ip: '192.0.2.7',
      requestId: '0b9d3c1e-7a55-4a0e-9a6f-2d1f5f0c8e11',
    },
  ],
  next: '1772353800000.1.u2Zt5rV0aJcYw8nQ',
};

/** The audit trail: each change with its user and address (not in the specification). */
export const auditEndpoints = [
  endpoint({
    method: 'get',
    path: '/rest/audit',
    id: 'getAudit',
    tag: 'Service',
    caller: 'ADMIN',
    summary: 'List who changed what, the newest first',
    description:
      'Lists requests that changed something or tried to, and with AUDIT_READS=true also reads. All servers of a store share one list. The server removes the oldest entries.',
    query: auditQuery,
    answers: {
      200: json('A page of entries.', auditPage, EXAMPLE),
      400: sentence('A part of the query is wrong.'),
    },
    says: { query: (problems) => `The query has errors in the following fields:\n${problems}` },
    async handle({ query }, { auditTrail }: AuditDeps) {
      const { limit, user, path, job } = query;
      const [from, to] = [query.from, query.to].map((at) => (at === undefined ? undefined : Date.parse(at)));
      const before = auditCursor(query.before);
      const { entries, next } = await auditTrail.list({ limit, before, user, path, job, from, to });
      return ok({
        entries: entries.map(({ at, ...entry }) => ({ at: new Date(at).toISOString(), ...entry })),
        next: next === undefined ? null : auditCursorText(next),
      });
    },
  }),
];
