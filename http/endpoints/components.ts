import type { Context } from 'koa';
import { z } from 'zod';
import { CATALOG } from '../../actors/catalog/actor.ts';
import type { Catalog } from '../../actors/catalog/catalog.ts';
import type { CatalogCommand, CatalogRefusal } from '../../actors/catalog/commands.ts';
import type { CatalogReply } from '../../actors/catalog/transitions.ts';
import { parseFields } from '../../actors/catalog/descriptors/fields.ts';
import { CatalogNotes } from '../../actors/catalog/catalog-notes.ts';
import { textOf } from '../../actors/runtime/machine.ts';
import type { Family } from '../../actors/runtime/system.ts';
import { isAdmin, noteMissingRole, userOf } from '../access/bearer.ts';
import { answerWith, json, nothing, ok, sentence, withoutBody } from '../routing/declaration.ts';
import { endpoint } from '../steps/endpoint.ts';
import type { ErrorCode } from '../routing/error-codes.ts';
import { HttpError } from '../routing/errors.ts';
import { component, componentDescriptor, componentNameParams, registered } from '../schemas/components.ts';
import { detailsQuery } from '../schemas/details.ts';
import { warningHeaders } from '../steps/warnings.ts';

export interface CatalogDeps {
  readonly catalog: Catalog;
  readonly catalogActor: Family<CatalogCommand, CatalogReply>;
}

const TAG = 'Components';
const noToken = sentence('The token is missing or invalid.');

const DESCRIPTOR = {
  componentName: 'PlateReader',
  componentVersion: '1.0',
  middlewareVersion: '1.0',
  sourceLanguage: 'python',
  batchLibrary: 'plate_reader',
  environmentVariables: [],
  algorithm: {
    name: 'PLATE',
    description: 'Reads number plates.',
    actionType: 'DETECTION',
    trackType: 'TEXT',
    requiresCollection: { states: [] },
    providesCollection: { states: ['DETECTION', 'DETECTION_TEXT'], properties: [] },
  },
};

const OUTCOMES = {
  ADDED: 'New component registered.',
  REPLACED: 'Modified existing component.',
  UNCHANGED: 'Component already registered.',
  REMOVED: 'Component removed.',
} as const;

/** Specification 4.6. */
export const componentEndpoints = [
  endpoint({
    method: 'post',
    path: '/rest/components/registerUnmanaged',
    id: 'registerComponent',
    tag: TAG,
    caller: 'USER',
    jobs: 'NONE',
    summary: 'Register a component that you run yourself',
    description:
      'The client that registered a component can claim the work of its algorithm. For each missing list (actions, tasks, pipelines), Troupe creates an element that runs the algorithm with its defaults. A replacement is atomic. A component with the algorithm of a managed one replaces it until it is removed. Comments and trailing commas are allowed.',
    query: detailsQuery,
    body: {
      schema: componentDescriptor,
      example: DESCRIPTOR,
      tolerant: true,
      noun: 'a component descriptor',
      limits: 'descriptorLimits',
    },
    answers: {
      200: json('Replaced, or identical to the registered one.', registered, {
        message: 'Modified existing component.',
      }),
      201: json('Registered. Headers `Warning` name what is still wrong.', registered, {
        message: 'New component registered.',
      }),
      400: sentence('The descriptor is invalid (one line for each problem), or the catalog is full.'),
      401: noToken,
      403: sentence('Only an ADMIN can replace a managed component, or that of another user.'),
      409: sentence(
        'A managed component has the name, another registered component has the algorithm, or another element has a name in the descriptor.',
      ),
    },
    check: parseFields,
    says: {
      body: (problems, given) =>
        `Cannot register component: ${quotedName(given)}The following fields have errors:\n${problems}`,
    },
    async handle({ body: descriptor, unknownMembers, query, ctx }, { catalog, catalogActor }: CatalogDeps) {
      const command = { type: 'register', descriptor, ...callerOf(ctx) } as const;
      const reply = await catalogActor.ask(CATALOG, command);
      if (reply.kind === 'refused') throw refusedError(reply.reason, textOf(reply), ctx);
      const warnings = [...unknownMembers, ...new CatalogNotes(catalog).onComponent(descriptor)];
      const outcome = { message: OUTCOMES[reply.outcome], ...(query.details === true ? { warnings } : {}) };
      return answerWith(reply.outcome === 'ADDED' ? 201 : 200, outcome, warningHeaders(warnings));
    },
  }),
  endpoint({
    method: 'get',
    path: '/rest/components',
    id: 'listComponents',
    tag: TAG,
    caller: 'USER',
    jobs: 'NONE',
    summary: 'List the components',
    answers: { 200: json('By name.', z.array(component)), 401: noToken },
    handle: (_, { catalog }: CatalogDeps) => ok(catalog.components()),
  }),
  endpoint({
    method: 'delete',
    path: '/rest/components/{componentName}',
    id: 'removeComponent',
    tag: TAG,
    caller: 'USER',
    jobs: 'NONE',
    summary: 'Remove a component and what it registered',
    description:
      'Elements that users made from its elements stay. Running jobs keep their plan. The managed component that it replaced is used again. ' +
      'Only the user who registered it and an ADMIN can remove it.',
    params: componentNameParams,
    answers: {
      204: nothing('Removed.'),
      401: noToken,
      403: sentence('The component belongs to another user, and the caller is not ADMIN.'),
      404: sentence('There is no component of this name.'),
      409: sentence('The component is managed: the server would register it again at its next start.'),
    },
    async handle({ params: { componentName }, ctx }, { catalogActor }: CatalogDeps) {
      const command = { type: 'unregister', componentName, ...callerOf(ctx) } as const;
      const reply = await catalogActor.ask(CATALOG, command);
      if (reply.kind === 'refused') throw refusedError(reply.reason, textOf(reply), ctx);
      return withoutBody(204);
    },
  }),
];

function callerOf(ctx: Context) {
  const { name, subject } = userOf(ctx);
  return { by: { name, subject }, byAdmin: isAdmin(ctx) };
}

function refusedError(reason: CatalogRefusal | 'WRONG_STATE', message: string, ctx: Context): HttpError {
  if (reason === 'INSTALLED' || reason === 'FOREIGN') noteMissingRole(ctx, message);
  return new HttpError(codeOfRefusal(reason), message);
}

const CODES: Readonly<Record<CatalogRefusal, ErrorCode>> = {
  NAME_TAKEN: 'name-taken',
  CENSORED: 'secret-hidden',
  MANAGED: 'component-managed',
  INSTALLED: 'role-required',
  FOREIGN: 'role-required',
  UNKNOWN: 'component-not-found',
  FULL: 'catalog-full',
};

export const codeOfRefusal = (reason: CatalogRefusal | 'WRONG_STATE'): ErrorCode =>
  reason === 'WRONG_STATE' ? 'name-taken' : CODES[reason];

/** Returns the quoted component name of a descriptor that is not checked yet. Returns an empty text if there is none. */
function quotedName(value: unknown): string {
  if (typeof value !== 'object' || value === null || !('componentName' in value)) return '';
  const { componentName } = value;
  return typeof componentName === 'string' ? `"${componentName.trim().slice(0, 256)}": ` : '';
}
