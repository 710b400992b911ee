import type Router from '@koa/router';
import type { Context } from 'koa';
import type { z } from 'zod';
import { CATALOG } from '../actors/catalog/actor.ts';
import type { Catalog } from '../actors/catalog/catalog.ts';
import type { CatalogCommand } from '../actors/catalog/commands.ts';
import { parseFields } from '../actors/catalog/fields.ts';
import { CatalogNotes } from '../actors/catalog/notes.ts';
import { textOf } from '../actors/runtime/machine.ts';
import type { Action, Pipeline, Task } from '../domain/types.ts';
import type { CatalogRouteDeps } from './components.ts';
import { empty, HttpError, notThere } from './errors.ts';
import { actionCreation, pipelineCreation, taskCreation } from './schemas/catalog.ts';
import { readJson } from './steps/json-body.ts';
import { answerList } from './steps/json-list.ts';
import { wantsDetails, warn } from './steps/warnings.ts';

/** Specification 4.7. */
export function pipelineRoutes(router: Router, deps: CatalogRouteDeps): void {
  reading(router, deps, 'pipelines', (catalog) => [catalog.pipelines, catalog.pipeline], onPipeline);
  creating(router, deps, 'pipelines', {
    title: 'Pipeline',
    schema: pipelineCreation,
    toCommand: (element) => ({ type: 'addPipeline', element }),
    notes: onPipeline,
  });
  removing(router, deps, 'pipelines', 'pipeline');
  // The detailed entry of the specification gives this path.
  removing(router, deps, 'pipeline', 'pipeline');

  reading(router, deps, 'tasks', (catalog) => [catalog.tasks, catalog.task], onTask);
  creating(router, deps, 'tasks', {
    title: 'Task',
    schema: taskCreation,
    toCommand: (element) => ({ type: 'addTask', element }),
    notes: onTask,
  });
  removing(router, deps, 'tasks', 'task');

  reading(router, deps, 'actions', (catalog) => [catalog.actions, catalog.action], onAction);
  creating(router, deps, 'actions', {
    title: 'Action',
    schema: actionCreation,
    toCommand: (element) => ({ type: 'addAction', element }),
    notes: onAction,
  });
  removing(router, deps, 'actions', 'action');

  reading(router, deps, 'algorithms', (catalog) => [() => catalog.shownAlgorithms(), catalog.shownAlgorithm]);
}

const nameOf = (ctx: Context) => (ctx['params'] as { name: string }).name;

type NotesOn<T> = (notes: CatalogNotes, element: T) => readonly string[];
const onPipeline: NotesOn<Pipeline> = (notes, element) => notes.onPipeline(element);
const onTask: NotesOn<Task> = (notes, element) => notes.onTask(element);
const onAction: NotesOn<Action> = (notes, element) => notes.onAction(element);

type Looking<T> = readonly [all: () => Iterable<T>, one: (name: string) => T | undefined];

/** With details=true each element tells in `warnings` what is wrong with it. */
function reading<T extends object>(
  router: Router,
  { catalog }: CatalogRouteDeps,
  path: string,
  lookIn: (catalog: Catalog) => Looking<T>,
  notesOn?: NotesOn<T>,
): void {
  const detailed = (notes: CatalogNotes) => (element: T) =>
    notesOn === undefined ? element : { ...element, warnings: notesOn(notes, element) };
  router.get(`/rest/${path}`, (ctx) => {
    const [all] = lookIn(catalog);
    const notes = new CatalogNotes(catalog, { briefly: true });
    answerList(ctx, wantsDetails(ctx) ? mapped(all(), detailed(notes)) : all());
  });
  router.get(`/rest/${path}/:name`, (ctx: Context) => {
    const [, one] = lookIn(catalog);
    const found = one(nameOf(ctx));
    if (found === undefined) throw notThere(path.slice(0, -1), nameOf(ctx), `/rest/${path}`);
    ctx.body = wantsDetails(ctx) ? detailed(new CatalogNotes(catalog))(found) : found;
  });
}

function* mapped<T, U>(all: Iterable<T>, to: (one: T) => U): Generator<U> {
  for (const one of all) yield to(one);
}

interface Creation<T> {
  readonly title: string;
  readonly schema: z.ZodType<T>;
  readonly toCommand: (element: T) => CatalogCommand;
  readonly notes: NotesOn<T>;
}

/** 200 without content (specification 4.7); warnings are headers, and a body only with details=true. */
function creating<T>(
  router: Router,
  { catalog, catalogActor, descriptorLimits }: CatalogRouteDeps,
  path: string,
  { title, schema, toCommand, notes }: Creation<T>,
): void {
  router.post(`/rest/${path}`, async (ctx) => {
    const isDetailed = wantsDetails(ctx);
    const parsed = parseFields(schema, await readJson(ctx, descriptorLimits));
    if ('problems' in parsed)
      throw new HttpError(400, `${title} has errors in the following fields:\n${parsed.problems}`);
    const reply = await catalogActor.ask(CATALOG, toCommand(parsed.ok));
    if (reply.kind === 'refused') throw new HttpError(400, textOf(reply));
    const warnings = notes(new CatalogNotes(catalog), parsed.ok);
    warn(ctx, warnings);
    if (isDetailed) ctx.body = { warnings };
    else empty(ctx, 200);
  });
}

/** 200 also for a name that is not there (specification 4.7 knows no other answer). */
function removing(
  router: Router,
  { catalogActor }: CatalogRouteDeps,
  path: string,
  kind: Extract<CatalogCommand, { type: 'remove' }>['kind'],
): void {
  router.delete(`/rest/${path}/:name`, async (ctx: Context) => {
    await catalogActor.ask(CATALOG, { type: 'remove', kind, name: nameOf(ctx) });
    empty(ctx, 200);
  });
}
