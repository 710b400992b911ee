import type { Context } from 'koa';
import { z } from 'zod';
import { CATALOG } from '../../actors/catalog/actor.ts';
import type { Catalog } from '../../actors/catalog/catalog.ts';
import type { CatalogCommand } from '../../actors/catalog/commands.ts';
import type { ElementKind } from '../../actors/catalog/state.ts';
import { parseFields } from '../../actors/catalog/descriptors/fields.ts';
import { CatalogNotes } from '../../actors/catalog/catalog-notes.ts';
import { textOf } from '../../actors/runtime/machine.ts';
import type { Action, Pipeline, Task } from '../../domain/types.ts';
import { ownerOf } from '../../domain/users/owner.ts';
import { isAdmin, noteMissingRole, userOf } from '../access/bearer.ts';
import { answerWith, json, nothing, ok, sentence, withoutBody } from '../routing/declaration.ts';
import { endpoint } from '../steps/endpoint.ts';
import { HttpError, notThere } from '../routing/errors.ts';
import {
  action,
  actionCreation,
  algorithm,
  elementNameParams,
  elementWarnings,
  pipeline,
  pipelineCreation,
  task,
  taskCreation,
} from '../schemas/pipelines.ts';
import { detailsQuery } from '../schemas/details.ts';
import { jsonList } from '../steps/json-list.ts';
import { warningHeaders } from '../steps/warnings.ts';
import { codeOfRefusal, type CatalogDeps } from './components.ts';

const COMMON = { tag: 'Pipelines', caller: 'USER', jobs: 'NONE' } as const;
const wrongDetails = sentence('details is neither true nor false.');

/** Returns the problems of an element for jobs that use it. */
type NotesOn<T> = (notes: CatalogNotes, element: T) => readonly string[];

/** One of the four lists of the catalog. */
interface Shelf<T extends { readonly name: string }> {
  /** Name of the list in the path. */
  readonly plural: string;
  readonly one: 'Pipeline' | 'Task' | 'Action' | 'Algorithm';
  readonly shown: z.ZodType;
  all(catalog: Catalog): Iterable<T>;
  find(catalog: Catalog, name: string): T | undefined;
  readonly notesOn?: NotesOn<T>;
  /** Kind of the elements in the catalog. Absent if users cannot remove elements of this list. */
  readonly kind?: ElementKind;
}

/**
 * Creates the endpoints that read a list. With details=true, each element has `warnings`, its owner, and whether the caller may remove it.
 */
function readElement<T extends { readonly name: string }>({
  plural,
  one,
  shown,
  all,
  find,
  notesOn,
  kind,
}: Shelf<T>) {
  const withDetails = (catalog: Catalog, notes: CatalogNotes, ctx: Context) => {
    const remover = { by: nameOfUser(ctx), byAdmin: isAdmin(ctx) };
    return (element: T) => ({
      ...element,
      ...(notesOn && { warnings: notesOn(notes, element) }),
      ...(kind && {
        removable: catalog.isRemovable(kind, element.name, remover),
        component: catalog.registrantOf(kind, element.name),
      }),
    });
  };
  return [
    endpoint({
      ...COMMON,
      method: 'get',
      path: `/rest/${plural}`,
      id: `list${one}s`,
      summary: `List the ${plural}`,
      query: detailsQuery,
      answers: { 200: json('By name.', z.array(shown)), 400: wrongDetails },
      handle({ query, ctx }, { catalog }: CatalogDeps) {
        const elements = all(catalog);
        if (query.details !== true) return ok(jsonList(elements));
        const notes = new CatalogNotes(catalog, { briefly: true });
        return ok(jsonList(mapEach(elements, withDetails(catalog, notes, ctx))));
      },
    }),
    endpoint({
      ...COMMON,
      method: 'get',
      path: `/rest/${plural}/{name}`,
      id: `get${one}`,
      summary: `Show one of the ${plural} by its name`,
      query: detailsQuery,
      params: elementNameParams,
      answers: {
        200: json('The element.', shown),
        400: wrongDetails,
        404: sentence('No element has this name.'),
      },
      handle({ params: { name }, query, ctx }, { catalog }: CatalogDeps) {
        const found = find(catalog, name);
        if (found === undefined)
          throw notThere(
            one.toLowerCase() as Lowercase<typeof one>,
            name,
            `/rest/${plural}`,
            namesOf(all(catalog)),
          );
        if (query.details !== true) return ok(found);
        return ok(withDetails(catalog, new CatalogNotes(catalog), ctx)(found));
      },
    }),
  ];
}

function* namesOf(elements: Iterable<{ readonly name: string }>): Generator<string> {
  for (const { name } of elements) yield name;
}

function* mapEach<T, U>(all: Iterable<T>, to: (one: T) => U): Generator<U> {
  for (const one of all) yield to(one);
}

interface Creation<T> {
  readonly schema: z.ZodType<T>;
  readonly example: object;
  toCommand(element: T): Extract<CatalogCommand, { readonly element: unknown }>;
  readonly notesOn: NotesOn<T>;
}

const NOUNS = { Pipeline: 'a pipeline', Task: 'a task', Action: 'an action', Algorithm: 'an algorithm' };

/**
 * Creates the endpoint that adds an element: 200 without content (specification 4.7). Warnings are headers, and a body only with
 * details=true.
 */
const createElement = <T>(
  { plural, one }: Pick<Shelf<never>, 'plural' | 'one'>,
  { schema, example, toCommand, notesOn }: Creation<T>,
) =>
  endpoint({
    ...COMMON,
    method: 'post',
    path: `/rest/${plural}`,
    id: `add${one}`,
    summary: `Add to the ${plural}`,
    description:
      'It may refer to elements that do not exist yet: Troupe checks this when a job is created. Until then it is a warning, in headers ' +
      '`Warning: 299 - "text"`, and with details=true in the body.',
    query: detailsQuery,
    body: { schema, example, limits: 'descriptorLimits', noun: NOUNS[one] },
    answers: {
      200: {
        ...json(
          'Added, or already stored with the same content. Only details=true returns a body.',
          elementWarnings,
        ),
        onRequest: true,
      },
      400: sentence(
        'It is invalid, another element has the name, or a secret contains the placeholder that answers show.',
      ),
    },
    check: parseFields,
    says: { body: (problems) => `${one} has errors in the following fields:\n${problems}` },
    async handle({ query, body, unknownMembers, ctx }, { catalog, catalogActor }: CatalogDeps) {
      const reply = await catalogActor.ask(CATALOG, { ...toCommand(body), by: nameOfUser(ctx) });
      if (reply.kind === 'refused')
        throw new HttpError(codeOfRefusal(reply.reason), textOf(reply), { status: 400 });
      const warnings = [...unknownMembers, ...notesOn(new CatalogNotes(catalog), body)];
      return answerWith(200, query.details === true ? { warnings } : undefined, warningHeaders(warnings));
    },
  });

const nameOfUser = (ctx: Context): string | undefined => ownerOf(userOf(ctx))?.user;

type Removable = Extract<CatalogCommand, { type: 'remove' }>['kind'];

/** Creates the endpoint that removes an element. It answers 200 also for an unknown name (specification 4.7 defines no other answer). */
const removeElement = (path: string, kind: Removable, id: string) =>
  endpoint({
    ...COMMON,
    method: 'delete',
    path: `/rest/${path}/{name}`,
    id,
    summary: `Remove the ${kind} of this name`,
    description: `Only an ADMIN can remove a ${kind} that a component registered, or that belongs to another user.`,
    params: elementNameParams,
    answers: {
      200: nothing('Removed, or did not exist.'),
      403: sentence(
        `A component registered the ${kind} or it belongs to another user, and the caller is not ADMIN.`,
      ),
    },
    async handle({ params: { name }, ctx }, { catalogActor }: CatalogDeps) {
      const command = { type: 'remove', kind, name, by: nameOfUser(ctx), byAdmin: isAdmin(ctx) } as const;
      const reply = await catalogActor.ask(CATALOG, command);
      if (reply.kind === 'done') return withoutBody(200);
      const message = textOf(reply);
      noteMissingRole(ctx, message);
      throw new HttpError('role-required', message);
    },
  });

const PLATES = { name: 'PLATES', description: 'Reads plates.' };

const pipelines: Shelf<Pipeline> & Creation<Pipeline> = {
  plural: 'pipelines',
  one: 'Pipeline',
  shown: pipeline,
  kind: 'pipeline',
  all: (catalog) => catalog.pipelines(),
  find: (catalog, name) => catalog.pipeline(name),
  notesOn: (notes, element) => notes.onPipeline(element),
  schema: pipelineCreation,
  example: { ...PLATES, tasks: ['PLATES'] },
  toCommand: (element) => ({ type: 'addPipeline', element }),
};
const tasks: Shelf<Task> & Creation<Task> = {
  plural: 'tasks',
  one: 'Task',
  shown: task,
  kind: 'task',
  all: (catalog) => catalog.tasks(),
  find: (catalog, name) => catalog.task(name),
  notesOn: (notes, element) => notes.onTask(element),
  schema: taskCreation,
  example: { ...PLATES, actions: ['PLATES'] },
  toCommand: (element) => ({ type: 'addTask', element }),
};
const actions: Shelf<Action> & Creation<Action> = {
  plural: 'actions',
  one: 'Action',
  shown: action,
  kind: 'action',
  all: (catalog) => catalog.shownActions(),
  find: (catalog, name) => catalog.shownAction(name),
  notesOn: (notes, element) => notes.onAction(element),
  schema: actionCreation,
  example: { ...PLATES, algorithm: 'PLATE', properties: [{ name: 'MERGE_TRACKS', value: 'TRUE' }] },
  toCommand: (element) => ({ type: 'addAction', element }),
};

/** Specification 4.7. */
export const pipelineEndpoints = [
  ...readElement(pipelines),
  createElement(pipelines, pipelines),
  removeElement('pipelines', 'pipeline', 'removePipeline'),
  // The specification has this path in the detailed entry of the endpoint.
  removeElement('pipeline', 'pipeline', 'removePipelineBySingularPath'),
  ...readElement(tasks),
  createElement(tasks, tasks),
  removeElement('tasks', 'task', 'removeTask'),
  ...readElement(actions),
  createElement(actions, actions),
  removeElement('actions', 'action', 'removeAction'),
  ...readElement({
    plural: 'algorithms',
    one: 'Algorithm',
    shown: algorithm,
    all: (catalog) => catalog.shownAlgorithms(),
    find: (catalog, name) => catalog.shownAlgorithm(name),
  }),
];
