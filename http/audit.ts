import type { Context, Middleware, Next } from 'koa';
import type { Logger } from '../config/logger.ts';
import type { User } from './access/bearer.ts';
import { shownKey } from './login/entry.ts';
import { sessionOf } from './login/session-access.ts';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);
/** These change nothing, whatever their method is. */
const ASKING = new Set(['/rest/media/check']);
/** Where `dryRun=true` changes nothing; elsewhere it means nothing. */
const TRIED = '/rest/jobs';
const SHOWN = 500;

/**
 * Who did what: a line `audit` in the log for each request that changes something, or was to, by whoever passed authentication.
 * What a request says is not in it, and no query.
 */
export function audit(logger: Logger): Middleware {
  const logRequest = async (ctx: Context, next: Next) => {
    // Read first: a request that breaks off loses its socket.
    const { ip } = ctx;
    await next();
    const { user } = ctx.state as { user?: User };
    const session = sessionOf(ctx);
    if (user === undefined || changesNothing(ctx)) return;
    const { requestId } = ctx.state as { requestId?: string };
    const { method, status } = ctx;
    const { jobId, operationId } = madeBy(ctx);
    logger.info(
      {
        user: user.name,
        subject: user.subject,
        client: user.client,
        ...(session === undefined ? {} : { session: shownKey(session.key) }),
        method,
        path: ctx.path.slice(0, SHOWN),
        status,
        outcome: outcomeOf(status),
        ...(jobId === undefined ? {} : { jobId }),
        ...(operationId === undefined ? {} : { operationId }),
        ip,
        requestId,
      },
      'audit',
    );
  };
  return (ctx, next) => (READING.has(ctx.method) ? next() : logRequest(ctx, next));
}

function changesNothing({ path, query }: Context): boolean {
  if (ASKING.has(path)) return true;
  return path === TRIED && query['dryRun'] === 'true';
}

function outcomeOf(status: number): 'done' | 'forbidden' | 'refused' | 'failed' {
  if (status < 400) return 'done';
  if (status === 403) return 'forbidden';
  return status < 500 ? 'refused' : 'failed';
}

/** The job or the operation that a request has made or is about. */
function madeBy({ body }: Context): { readonly jobId?: string; readonly operationId?: string } {
  if (typeof body !== 'object' || body === null) return {};
  const { jobId, operationId } = body as { readonly jobId?: unknown; readonly operationId?: unknown };
  return {
    ...(typeof jobId === 'string' ? { jobId } : {}),
    ...(typeof operationId === 'string' ? { operationId } : {}),
  };
}
