import type { Context } from 'koa';
import {
  withoutBody,
  type Declaration,
  type DeclaredAnswers,
  type Limits,
  type NoBody,
  type None,
  type Operation,
  type Refusing,
  type Request,
  type RequestContent,
  type Shape,
} from '../routing/declaration.ts';
import { mayReach, type JobGuard } from '../users/job-step.ts';
import { requestOf } from './request-parts.ts';
import { send } from './send.ts';

export interface Endpoint<D> extends Operation, Refusing {
  /** Reads the request, acts, and answers. */
  respond(ctx: Context, deps: D & Partial<Limits & JobGuard>): Promise<void>;
}

/**
 * Creates an endpoint from its declaration: route, callers, request, answers, documentation and behaviour. `D`: the parts of the server
 * that it needs.
 */
export function endpoint<
  const A extends DeclaredAnswers,
  P extends Shape = None,
  Q extends Shape = None,
  H extends Shape = None,
  B extends RequestContent = NoBody,
  D = unknown,
>(declared: Declaration<P, Q, H, B, A, D>): Endpoint<D> {
  const { handle, firstLook, absent, ...operation } = declared;
  return {
    ...operation,
    async respond(ctx, deps) {
      const lookFirst = (given: unknown) => firstLook?.(given, deps);
      // The schemas of the parts have created the members of the request.
      const request = (await requestOf(operation, ctx, deps, lookFirst)) as Request<P, Q, H, B>;
      if (await mayReach(operation, request, deps))
        return send(ctx, await handle(request, deps), operation.answers);
      send(ctx, absent?.(request) ?? withoutBody(404), operation.answers);
    },
  };
}
