import type Router from '@koa/router';
import type { Context } from 'koa';
import { CATALOG } from '../actors/catalog/actor.ts';
import type { Catalog } from '../actors/catalog/catalog.ts';
import type { CatalogCommand } from '../actors/catalog/commands.ts';
import type { CatalogReply } from '../actors/catalog/transitions.ts';
import type { Descriptor } from '../actors/catalog/descriptor.ts';
import { parseFields } from '../actors/catalog/fields.ts';
import { CatalogNotes } from '../actors/catalog/notes.ts';
import { withoutExtras } from '../actors/catalog/tolerant-json.ts';
import type { Family } from '../actors/runtime/system.ts';
import { textOf } from '../actors/runtime/machine.ts';
import { userOf } from './access/bearer.ts';
import { empty, HttpError } from './errors.ts';
import { componentDescriptor } from './schemas/catalog.ts';
import { parseJson, readText, type BodyLimits } from './steps/json-body.ts';
import { wantsDetails, warn } from './steps/warnings.ts';

export interface CatalogRouteDeps {
  readonly catalog: Catalog;
  readonly catalogActor: Family<CatalogCommand, CatalogReply>;
  /** Of descriptors, pipelines, tasks and actions. */
  readonly descriptorLimits: BodyLimits;
}

/** Specification 4.6. */
export function componentRoutes(router: Router, deps: CatalogRouteDeps): void {
  router.post('/rest/components/registerUnmanaged', (ctx) => register(ctx, deps));
  router.get('/rest/components', (ctx) => {
    ctx.body = deps.catalog.components();
  });
  router.delete('/rest/components/:componentName', (ctx) => remove(ctx, deps));
}

async function register(
  ctx: Context,
  { catalog, catalogActor, descriptorLimits }: CatalogRouteDeps,
): Promise<void> {
  const descriptor = parseDescriptor(await readText(ctx, descriptorLimits), descriptorLimits);
  const { name, subject } = userOf(ctx);
  const isDetailed = wantsDetails(ctx);
  const reply = await catalogActor.ask(CATALOG, { type: 'register', descriptor, by: { name, subject } });
  if (reply.kind === 'refused') throw new HttpError(reply.reason === 'FULL' ? 400 : 409, textOf(reply));
  const warnings = new CatalogNotes(catalog).onComponent(descriptor);
  warn(ctx, warnings);
  ctx.body = { message: OUTCOMES[reply.outcome], ...(isDetailed ? { warnings } : {}) };
  ctx.status = reply.outcome === 'ADDED' ? 201 : 200;
}

const OUTCOMES = {
  ADDED: 'New component registered.',
  REPLACED: 'Modified existing component.',
  UNCHANGED: 'Component already registered.',
  REMOVED: 'Component removed.',
} as const;

/** Comments and trailing commas are let pass: people write descriptors by hand. */
function parseDescriptor(text: string, limits: BodyLimits): Descriptor {
  const value = parseJson(withoutExtras(text), limits);
  const parsed = parseFields(componentDescriptor, value);
  if ('ok' in parsed) return parsed.ok;
  throw new HttpError(
    400,
    `Cannot register component: ${quotedName(value)}The following fields have errors:\n${parsed.problems}`,
  );
}

/** The name in a descriptor that may be anything. */
function quotedName(value: unknown): string {
  if (typeof value !== 'object' || value === null || !('componentName' in value)) return '';
  const { componentName } = value;
  return typeof componentName === 'string' ? `"${componentName.trim().slice(0, 256)}": ` : '';
}

async function remove(ctx: Context, { catalogActor }: CatalogRouteDeps): Promise<void> {
  const { componentName } = ctx['params'] as { componentName: string };
  const reply = await catalogActor.ask(CATALOG, { type: 'unregister', componentName });
  if (reply.kind === 'refused') throw new HttpError(reply.reason === 'MANAGED' ? 409 : 404, textOf(reply));
  empty(ctx, 204);
}
