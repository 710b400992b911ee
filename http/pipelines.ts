import type Router from '@koa/router';
import type { Context } from 'koa';
import type { z } from 'zod';
import { CATALOG } from '../actors/catalog/actor.ts';
import type { Catalog } from '../actors/catalog/catalog.ts';
import type { CatalogCommand } from '../actors/catalog/commands.ts';
import { parseFields } from '../actors/catalog/fields.ts';
import type { CatalogRouteParts } from './components.ts';
import { empty, HttpError, notThere } from './errors.ts';
import { actionCreation, pipelineCreation, taskCreation } from './schemas/catalog.ts';
import { readJson } from './steps/json-body.ts';
import { answerList } from './steps/json-list.ts';

/** Specification 4.7. */
export function pipelineRoutes(router: Router, parts: CatalogRouteParts): void {
  reading(router, parts, 'pipelines', (catalog) => [catalog.pipelines, catalog.pipeline]);
  creating(router, parts, 'pipelines', 'Pipeline', pipelineCreation, (element) => ({
    type: 'addPipeline',
    element,
  }));
  removing(router, parts, 'pipelines', 'pipeline');
  // The detailed entry of the specification gives this path.
  removing(router, parts, 'pipeline', 'pipeline');

  reading(router, parts, 'tasks', (catalog) => [catalog.tasks, catalog.task]);
  creating(router, parts, 'tasks', 'Task', taskCreation, (element) => ({ type: 'addTask', element }));
  removing(router, parts, 'tasks', 'task');

  reading(router, parts, 'actions', (catalog) => [catalog.actions, catalog.action]);
  creating(router, parts, 'actions', 'Action', actionCreation, (element) => ({ type: 'addAction', element }));
  removing(router, parts, 'actions', 'action');

  reading(router, parts, 'algorithms', (catalog) => [
    () => catalog.shownAlgorithms(),
    catalog.shownAlgorithm,
  ]);
}

const nameOf = (ctx: Context) => (ctx['params'] as { name: string }).name;

type Looking<T> = readonly [all: () => Iterable<T>, one: (name: string) => T | undefined];

function reading<T>(
  router: Router,
  parts: CatalogRouteParts,
  path: string,
  lookIn: (catalog: Catalog) => Looking<T>,
): void {
  router.get(`/rest/${path}`, (ctx) => {
    const [all] = lookIn(parts.catalog);
    answerList(ctx, all());
  });
  router.get(`/rest/${path}/:name`, (ctx: Context) => {
    const [, one] = lookIn(parts.catalog);
    const found = one(nameOf(ctx));
    if (found === undefined) throw notThere(path.slice(0, -1), nameOf(ctx), `/rest/${path}`);
    ctx.body = found;
  });
}

function creating<T>(
  router: Router,
  { catalogActor, descriptorLimits }: CatalogRouteParts,
  path: string,
  title: string,
  schema: z.ZodType<T>,
  toCommand: (element: T) => CatalogCommand,
): void {
  router.post(`/rest/${path}`, async (ctx) => {
    const parsed = parseFields(schema, await readJson(ctx, descriptorLimits));
    if ('problems' in parsed)
      throw new HttpError(400, `${title} has errors in the following fields:\n${parsed.problems}`);
    const reply = await catalogActor.ask(CATALOG, toCommand(parsed.ok));
    if (reply.kind === 'refused') throw new HttpError(400, reply.message);
    empty(ctx, 200);
  });
}

/** 200 also for a name that is not there (specification 4.7 knows no other answer). */
function removing(
  router: Router,
  { catalogActor }: CatalogRouteParts,
  path: string,
  kind: Extract<CatalogCommand, { type: 'remove' }>['kind'],
): void {
  router.delete(`/rest/${path}/:name`, async (ctx: Context) => {
    await catalogActor.ask(CATALOG, { type: 'remove', kind, name: nameOf(ctx) });
    empty(ctx, 200);
  });
}
