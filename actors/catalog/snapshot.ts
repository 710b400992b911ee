import { z } from 'zod';
import type { Row } from '../../store/store.ts';
import { EMPTY_CATALOG, KINDS, type CatalogState, type Kind } from './state.ts';

export const CATALOG_SCHEMA = 1;

/** The small part of the catalog that every commit replaces. The elements are in rows. */
export const catalogSnapshotSchema = z.object({
  components: z.int().nonnegative(),
  pipelines: z.int().nonnegative(),
});

export const toSnapshot = ({ component, pipeline }: CatalogState): z.infer<typeof catalogSnapshotSchema> => ({
  components: component.size,
  pipelines: pipeline.size,
});

const common = { size: z.int().nonnegative() };
const owned = z.object({
  ...common,
  element: z.looseObject({ name: z.string() }),
  component: z.string().nullable(),
  owner: z.string().optional(),
});
const component = z.object({
  ...common,
  descriptor: z.looseObject({ componentName: z.string(), algorithm: z.looseObject({ name: z.string() }) }),
  managed: z.boolean(),
  registrants: z.array(z.object({ subject: z.string().nullable(), name: z.string() })),
  withheld: z.array(z.string()),
});
const ROWS = { component, algorithm: owned, action: owned, task: owned, pipeline: owned };

/** Restores the catalog from its rows, in the order of their names. @throws Error if a row is of an unknown kind */
export function restore(rows: readonly Row[]): CatalogState {
  const maps = Object.fromEntries(KINDS.map((kind) => [kind, new Map<string, unknown>()]));
  for (const { key, body } of rows) {
    const [kind = '', name = ''] = key.split('/');
    const map = maps[kind];
    if (map === undefined) throw new Error(`The catalog has a row of an unknown kind: ${key}`);
    ROWS[kind as Kind].parse(body);
    // Keeps the body as it was written: contents are compared as text, and parsing would change the order of fields.
    map.set(name, body);
  }
  return { ...EMPTY_CATALOG, ...(maps as unknown as CatalogState) };
}
