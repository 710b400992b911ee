import type { Context, Middleware } from 'koa';
import { API_KEY_PREFIX, type ApiKeys } from '../../actors/sessions/api-keys.ts';
import { HttpError } from '../routing/errors.ts';
import type { User } from '../access/bearer.ts';

/** Accepts a request with a valid API key, and sets `ctx.state.user` and `ctx.state.apiKey`. `bearer` checks all other requests. */
export function apiKeyOr(keys: Pick<ApiKeys, 'find'>, bearer: Middleware): Middleware {
  return async (ctx, next) => {
    const token = /^Bearer +(\S+)$/i.exec(ctx.get('authorization').trim())?.[1];
    const key = token?.startsWith(API_KEY_PREFIX) === true ? await keys.find(token) : undefined;
    if (key === undefined) {
      await bearer(ctx, next);
      return;
    }
    const user: User = { ...key.owner, roles: [key.role] };
    Object.assign(ctx.state, { user, apiKey: key.id });
    await next();
  };
}

/** Returns the id of the API key of a request. */
export const apiKeyOf = (ctx: Context): string | undefined => (ctx.state as { apiKey?: string }).apiKey;

/** Refuses requests with an API key. A leaked key must not be able to create further keys. @throws HttpError 403 */
export function refuseApiKey(ctx: Context): void {
  if (apiKeyOf(ctx) !== undefined)
    throw new HttpError(
      'role-required',
      'An API key cannot create API keys. Log in, or use a token of the provider.',
    );
}
