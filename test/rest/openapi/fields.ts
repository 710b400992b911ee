/** Collects the fields and parameters of an OpenAPI document from all schemas. */
import type { OpenApiDocument } from '../../support/openapi.ts';

export interface Field {
  /** Location, for error messages. */
  readonly name: string;
  /** Name of the field. */
  readonly key: string;
  readonly pointer: readonly string[];
  readonly description: string | undefined;
  readonly example: unknown;
  /** Whether it is an object with fields, or a reference to a component. Those contain the examples. */
  readonly refers: boolean;
}

type Json = Readonly<Record<string, unknown>>;

export function fieldsOf(document: OpenApiDocument): readonly Field[] {
  const found: Field[] = [];
  const schemas = (document.components?.schemas ?? {}) as Readonly<Record<string, Json>>;

  function field(key: string, schema: Json, pointer: readonly string[], given?: string): void {
    const [example] = (schema['examples'] ?? []) as readonly unknown[];
    found.push({
      name: nameOf(pointer),
      ...{ key, pointer, example, refers: refersTo(schema) },
      description: given ?? (schema['description'] as string | undefined) ?? ofComponents(schema),
    });
    walk(schema, pointer);
  }

  /** The description of the component that the schema refers to. */
  function ofComponents(schema: Json): string | undefined {
    const variants = [schema, ...((schema['anyOf'] ?? []) as readonly Json[])];
    const names = variants.flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref.split('/').at(-1)!] : []));
    return names.length === 1 ? (schemas[names[0]!]?.['description'] as string | undefined) : undefined;
  }

  function walk(node: unknown, pointer: readonly string[]): void {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, part] of Object.entries(node)) {
      const at = [...pointer, key];
      if (key === 'examples' || key === 'example' || key === 'headers') continue;
      if (key === 'properties')
        for (const [name, schema] of Object.entries(part as Json)) field(name, schema as Json, [...at, name]);
      else if (key === 'parameters' && Array.isArray(part))
        for (const [i, { name, schema, description }] of (part as readonly Json[]).entries())
          field(String(name), schema as Json, [...at, String(i), 'schema'], description as string);
      else walk(part, at);
    }
  }

  walk(document, []);
  return found;
}

/** Whether the schema has fields of its own. */
function refersTo(schema: Json): boolean {
  if (schema['$ref'] !== undefined || schema['properties'] !== undefined) return true;
  const parts = ['items', 'additionalProperties', 'anyOf', 'oneOf'].flatMap((key) => schema[key] ?? []);
  return parts.some((part) => typeof part === 'object' && part !== null && refersTo(part as Json));
}

const SILENT = new Set(['paths', 'components', 'schemas', 'properties', 'content', 'application/json']);
const nameOf = (pointer: readonly string[]) => pointer.filter((part) => !SILENT.has(part)).join(' ');
