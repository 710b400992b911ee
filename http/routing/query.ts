import type { Context } from 'koa';
import { addTo } from '../../domain/grouping.ts';

/** Parameters by name. A parameter that occurs more than once has a list of values. */
export type Query = Readonly<Record<string, string | readonly string[]>>;

/**
 * Returns the query of a request. Koa's `ctx.query` (3.3) returns the same, but its time grows with the square of the number of parameters.
 * With an address of 16 kB, it blocks all other requests for half a second.
 */
export function queryOf(ctx: Pick<Context, 'querystring'>): Query {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(ctx.querystring)) addTo(values, name, value);
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0]! : all]));
}
