import type { Context } from 'koa';
import { HttpError } from '../errors.ts';
import { detailsQuery } from '../schemas/details.ts';
import { checked } from '../schemas/problems.ts';

/** Headers of an answer: many clients take no more than some 8 KiB of them. */
const MAX_HEADERS = 5;
const MAX_CHARACTERS = 300;

/** Whether members are wanted that the specification does not list. */
export function wantsDetails(ctx: Context): boolean {
  const query = checked(detailsQuery, ctx.query);
  if ('problems' in query) throw new HttpError(400, query.problems);
  return query.ok.details ?? false;
}

/**
 * Warnings about what was done all the same travel in headers (`Warning: 299 - "text"`, RFC 7234 5.5), so that the body stays
 * what the specification says. Headers take ASCII only.
 */
export function warn(ctx: Context, warnings: readonly string[]): void {
  if (warnings.length === 0) return;
  const texts = warnings.slice(0, MAX_HEADERS);
  if (warnings.length > texts.length)
    texts.push(`(and ${warnings.length - texts.length} more: details=true)`);
  ctx.set(
    'Warning',
    texts.map((text) => `299 - "${quotable(text)}"`),
  );
}

function quotable(text: string): string {
  const short = text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS - 3)}...`;
  return short.replaceAll(/[^\x20-\x7e]/g, '?').replaceAll(/["\\]/g, String.raw`\$&`);
}
