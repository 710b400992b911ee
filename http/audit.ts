import type { Context, Middleware, Next } from 'koa';
import type { AuditTrail } from '../actors/audit/audit-trail.ts';
import type { AuditEntry } from '../actors/audit/entry.ts';
import type { Logger } from '../config/logger.ts';
import { apiKeyOf } from './users/api-key-access.ts';
import type { User } from './access/bearer.ts';
import { shownKey } from './login/entry.ts';
import { traceOfRequest } from './steps/traces.ts';
import { sessionOf } from './login/session-access.ts';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Paths that change nothing, whatever the method is. */
const ASKING = new Set(['/rest/media/check']);
/** The only path where `dryRun=true` has a meaning: such a request changes nothing. */
const TRIED = '/rest/jobs';
const SHOWN = 500;
const NAME_SHOWN = 200;
/** Path of a request that names a batch job or a streaming job. */
const OF_JOB = /^\/rest\/(?:streaming\/)?jobs\/([^/]*\d)(?:\/|$)/;

export interface AuditOptions {
  readonly logger: Logger;
  readonly trail: Pick<AuditTrail, 'note'>;
  /** True if requests that only read are audited, too (AUDIT_READS). */
  readonly reads: boolean;
}

/**
 * Writes a log line `audit` and an entry of the audit trail for each authenticated request that changes something or tries to. Neither
 * contains the body or the query.
 */
export function audit({ logger, trail, reads }: AuditOptions): Middleware {
  const noteRequest = async (ctx: Context, next: Next) => {
    // The address is read first, because an aborted request loses its socket.
    const { ip } = ctx;
    await next();
    const { user } = ctx.state as { user?: User };
    const session = sessionOf(ctx);
    const apiKey = apiKeyOf(ctx);
    if (user === undefined || (changesNothing(ctx) && !reads)) return;
    const { requestId } = ctx.state as { requestId?: string };
    const entry = entryOf(ctx, user, ip, requestId ?? '');
    const { at: _at, user: name, subject, client, jobId: _, ...rest } = entry;
    const { jobId, operationId } = madeBy(ctx);
    logger.info(
      {
        user: name,
        subject,
        client,
        ...(session === undefined ? {} : { session: shownKey(session.key) }),
        ...(apiKey === undefined ? {} : { key: apiKey }),
        ...rest,
        ...(jobId === undefined ? {} : { jobId }),
        ...(operationId === undefined ? {} : { operationId }),
        ...traceOfRequest(ctx),
      },
      'audit',
    );
    trail.note(entry);
  };
  return (ctx, next) => (READING.has(ctx.method) && !reads ? next() : noteRequest(ctx, next));
}

function entryOf(ctx: Context, user: User, ip: string, requestId: string): AuditEntry {
  const { method, status } = ctx;
  const jobId = madeBy(ctx).jobId ?? OF_JOB.exec(ctx.path)?.[1];
  return {
    at: Date.now(),
    user: user.name.slice(0, NAME_SHOWN),
    subject: user.subject?.slice(0, NAME_SHOWN) ?? null,
    client: user.client?.slice(0, NAME_SHOWN) ?? null,
    method,
    path: ctx.path.slice(0, SHOWN),
    status,
    outcome: outcomeOf(status),
    ...(jobId === undefined ? {} : { jobId: jobId.slice(0, NAME_SHOWN) }),
    ip,
    requestId,
  };
}

const changesNothing = ({ method, path, query }: Context): boolean =>
  READING.has(method) || ASKING.has(path) || (path === TRIED && query['dryRun'] === 'true');

function outcomeOf(status: number): AuditEntry['outcome'] {
  if (status < 400) return 'done';
  if (status === 403) return 'forbidden';
  return status < 500 ? 'refused' : 'failed';
}

/** Returns the id of the job or operation that a request has created or is about. */
function madeBy({ body }: Context): { readonly jobId?: string; readonly operationId?: string } {
  if (typeof body !== 'object' || body === null) return {};
  const { jobId, operationId } = body as { readonly jobId?: unknown; readonly operationId?: unknown };
  return {
    ...(typeof jobId === 'string' ? { jobId } : {}),
    ...(typeof operationId === 'string' ? { operationId } : {}),
  };
}
