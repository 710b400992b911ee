import type Router from '@koa/router';
import type { Context } from 'koa';
import type { Catalog } from '../actors/catalog/catalog.ts';
import { empty } from './errors.ts';

/** Specification 4.7, the part that reads. */
export function pipelineRoutes(router: Router, catalog: Catalog): void {
  const resource = <T>(path: string, all: () => readonly T[], one: (name: string) => T | undefined) => {
    router.get(`/rest/${path}`, (ctx) => {
      ctx.body = all();
    });
    router.get(`/rest/${path}/:name`, (ctx: Context) => {
      const found = one((ctx['params'] as { name: string }).name);
      if (found === undefined) return empty(ctx, 404);
      ctx.body = found;
    });
  };
  resource(
    'pipelines',
    () => catalog.pipelines(),
    (name) => catalog.pipeline(name),
  );
  resource(
    'tasks',
    () => catalog.tasks(),
    (name) => catalog.task(name),
  );
  resource(
    'actions',
    () => catalog.actions(),
    (name) => catalog.action(name),
  );
  resource(
    'algorithms',
    () => catalog.shownAlgorithms(),
    (name) => catalog.shownAlgorithm(name),
  );
}
