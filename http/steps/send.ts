import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { DeclaredAnswers, Reply } from '../routing/declaration.ts';
import { empty } from '../routing/errors.ts';

/** Writes an answer. Texts, buffers and streams are sent with the declared content type. */
export function send(
  ctx: Context,
  { status, body, headers, type, length }: Reply,
  answers: DeclaredAnswers,
): void {
  if (headers !== undefined) ctx.set(headers);
  if (body === undefined) return empty(ctx, status);
  if (typeof body === 'string' || Buffer.isBuffer(body) || body instanceof Readable)
    ctx.type = type ?? answers[status]?.content?.type ?? 'application/json';
  if (length !== undefined) ctx.length = length;
  ctx.body = body;
  ctx.status = status;
}
