/** The types of the REST interface from its OpenAPI document, for type generators of any language. */
import { endpoints, tags } from '../../../http/endpoints/index.ts';
import { openApiDocument } from '../../../http/openapi/document.ts';

/** A type. `named` refers to a declaration. */
export type Shape =
  | { readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'null' | 'any' }
  | { readonly kind: 'named'; readonly name: string }
  | { readonly kind: 'values'; readonly values: readonly (string | number | boolean)[] }
  | { readonly kind: 'list' | 'map'; readonly of: Shape }
  | { readonly kind: 'tuple'; readonly parts: readonly Shape[] }
  | { readonly kind: 'either'; readonly shapes: readonly Shape[] }
  | { readonly kind: 'object'; readonly fields: readonly Field[] };

export interface Field {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly shape: Shape;
}

export interface Declared {
  readonly name: string;
  readonly description: string | undefined;
  readonly shape: Shape;
}

type Schema = Readonly<Record<string, unknown>>;
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}
interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly operationId: string; readonly parameters?: readonly Parameter[] }>>
    >
  >;
  readonly webhooks: unknown;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Paths for clients. Components and nodes have their own protocols. */
const OF_CLIENTS = /^\/rest\//;

/** Bodies and queries of the interface, by name, without duplicates. */
export function declaredTypes(): readonly Declared[] {
  const facts = { version: '', url: '', tags, sessionCookie: '' };
  const document = openApiDocument(endpoints, facts) as unknown as Document;
  const { schemas } = document.components;
  const paths = Object.entries(document.paths).filter(([path]) => OF_CLIENTS.test(path));
  const used = reachable([paths, document.webhooks], schemas);
  const bodies = Object.entries(schemas)
    .filter(([name]) => used.has(name))
    .map(([name, schema]) => ({
      name,
      description: schema['description'] as string | undefined,
      shape: shapeOf(schema),
    }));
  return [...bodies, ...queriesOf(paths)].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function queriesOf(paths: readonly (readonly [string, Document['paths'][string]])[]): readonly Declared[] {
  return paths.flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { operationId, parameters = [] }]) => {
      const query = parameters.filter((parameter) => parameter.in === 'query');
      if (query.length === 0) return [];
      const name = `${operationId[0]!.toUpperCase()}${operationId.slice(1)}Query`;
      const fields = query.map(({ name: field, description = '', required, schema }) => ({
        name: field,
        description,
        isRequired: required,
        shape: shapeOf(schema),
      }));
      const description = `Parameters of ${method.toUpperCase()} ${path}`;
      return [{ name, description, shape: { kind: 'object', fields } as const }];
    }),
  );
}

/** Names of the components that these parts reference, directly or not. */
function reachable(parts: unknown, schemas: Readonly<Record<string, Schema>>): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (part: unknown) => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      look(schemas[name]);
    }
  };
  look(parts);
  return found;
}

function shapeOf(schema: Schema): Shape {
  const { $ref, enum: values, anyOf, oneOf, type, items, prefixItems, properties, required = [] } = schema;
  if (typeof $ref === 'string') return { kind: 'named', name: $ref.split('/').at(-1)! };
  if ('const' in schema) return { kind: 'values', values: [schema['const'] as string] };
  if (Array.isArray(values)) return { kind: 'values', values: values as string[] };
  const several = (anyOf ?? oneOf) as readonly Schema[] | undefined;
  if (several !== undefined) return { kind: 'either', shapes: several.map(shapeOf) };
  if (Array.isArray(prefixItems)) return { kind: 'tuple', parts: (prefixItems as Schema[]).map(shapeOf) };
  if (type === 'array') return { kind: 'list', of: shapeOf((items ?? {}) as Schema) };
  if (type === 'object' && properties !== undefined)
    return {
      kind: 'object',
      fields: Object.entries(properties as Readonly<Record<string, Schema>>).map(([name, field]) => ({
        name,
        description: descriptionOf(field),
        isRequired: (required as readonly string[]).includes(name),
        shape: shapeOf(field),
      })),
    };
  if (type === 'object') {
    const { additionalProperties } = schema;
    const of = typeof additionalProperties === 'object' ? shapeOf(additionalProperties as Schema) : ANY;
    return { kind: 'map', of };
  }
  if (Array.isArray(type))
    return { kind: 'either', shapes: type.map((one: string) => shapeOf({ ...schema, type: one })) };
  return { kind: KINDS[String(type)] ?? 'any' } as Shape;
}

const ANY: Shape = { kind: 'any' };
const KINDS: Readonly<Record<string, Shape['kind']>> = {
  string: 'text',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
  null: 'null',
};

const descriptionOf = ({ description }: Schema) => (typeof description === 'string' ? description : '');
