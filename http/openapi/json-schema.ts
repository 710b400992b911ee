import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;
/** `input`: bodies that a client sends. `output`: bodies that the server answers, whose objects have no unnamed fields. */
export type Side = 'input' | 'output';

const PREFIX = '#/components/schemas/';

/**
 * Converts zod schemas to JSON Schemas. A schema with a name (`.meta({ id })`) becomes a component of the document. A schema that differs
 * between the two sides becomes two components, and the client's gets the suffix `Request`.
 */
export class SchemaCollector {
  readonly #named: Record<Side, Map<string, JsonSchema>> = { input: new Map(), output: new Map() };
  /** Cache of converted schemas. Most operations share their errors, so the cache halves the time of the whole document. */
  readonly #converted: Record<Side, Map<z.ZodType, JsonSchema>> = { input: new Map(), output: new Map() };

  /** Returns the schema at its place of use: a reference if the schema has a name. */
  of(schema: z.ZodType, side: Side): JsonSchema {
    const known = this.#converted[side].get(schema);
    if (known !== undefined) return known;
    const { items, $defs } = z.toJSONSchema(z.array(schema), {
      io: side,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => plainer(jsonSchema),
    });
    for (const [name, named] of Object.entries($defs ?? {}))
      this.#named[side].set(name, withReferences(named, side));
    const converted = withReferences(items, side);
    this.#converted[side].set(schema, converted);
    return converted;
  }

  /** Returns all named schemas, and `finish`, which replaces each reference in a finished document by its final form. */
  components(): { readonly schemas: Readonly<Record<string, JsonSchema>>; finish<T>(document: T): T } {
    const { input, output } = this.#named;
    const differing = differingNames(input, output);
    const inputName = (name: string) => (differing.has(name) ? `${name}Request` : name);
    const finish = <T>(document: T): T =>
      JSON.parse(
        JSON.stringify(document).replaceAll(
          /"#(input|output)\/([^"]+)"/g,
          (_, side: Side, name: string) => `"${PREFIX}${side === 'input' ? inputName(name) : name}"`,
        ),
      ) as T;
    const all = [
      ...[...output].map(([name, schema]) => [name, schema] as const),
      ...[...input].map(([name, schema]) => [inputName(name), schema] as const),
    ].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return { schemas: finish(Object.fromEntries(all)), finish };
  }
}

/** Returns the names whose two sides differ, in their own schema or in a schema to which they refer. */
function differingNames(
  input: ReadonlyMap<string, JsonSchema>,
  output: ReadonlyMap<string, JsonSchema>,
): ReadonlySet<string> {
  const shared = [...input.keys()].filter((name) => output.has(name));
  const bare = (schema: JsonSchema | undefined) =>
    JSON.stringify(schema).replaceAll(/"#(?:input|output)\//g, '"#');
  const differing = new Set(shared.filter((name) => bare(input.get(name)) !== bare(output.get(name))));
  for (let before = -1; before < differing.size;) {
    before = differing.size;
    for (const name of shared)
      if ([...differing].some((other) => JSON.stringify(input.get(name)).includes(`"#input/${other}"`)))
        differing.add(name);
  }
  return differing;
}

/** Control characters in a form that every dialect of regular expressions supports. Few dialects support \p{...}. */
const CONTROL_CHARACTERS = String.raw`\x00-\x1F\x7F-\x9F`;

/** Removes bounds that equal those of JavaScript numbers, and patterns that only repeat a format. */
function plainer(schema: Record<string, unknown>): void {
  const { pattern } = schema;
  if (typeof pattern === 'string')
    schema['pattern'] = pattern.replaceAll(String.raw`\p{Cc}`, CONTROL_CHARACTERS);
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  if (schema['format'] === 'date-time') delete schema['pattern'];
}

function withReferences(schema: unknown, side: Side): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"#${side}/`)) as JsonSchema;
}
