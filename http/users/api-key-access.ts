import type { Context, Middleware } from 'koa';
import { API_KEY_PREFIX, type ApiKeys } from '../../actors/sessions/api-keys.ts';
import { HttpError } from '../routing/errors.ts';
import type { User } from '../access/bearer.ts';

/** Lets a request with a good API key pass, with `ctx.state.user` and `ctx.state.apiKey`. All others are `bearer`'s to judge. */
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

/** The id of the key by which a request has come. */
export const apiKeyOf = (ctx: Context): string | undefined => (ctx.state as { apiKey?: string }).apiKey;

/** @throws HttpError 403: a key that leaks must not be able to make itself last. */
export function refuseApiKey(ctx: Context): void {
  if (apiKeyOf(ctx) !== undefined)
    throw new HttpError(
      'role-required',
      'An API key cannot create API keys. Log in, or use a token of the provider.',
    );
}
