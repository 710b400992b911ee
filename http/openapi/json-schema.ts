import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;
/** `input`: what a client sends; `output`: what the server answers, where objects have no fields but those that are named. */
export type Side = 'input' | 'output';

const PREFIX = '#/components/schemas/';

/**
 * JSON Schemas of zod schemas. A schema with a name (`.meta({ id })`) becomes a component of the document; one that is
 * not the same on both sides becomes two, and the client's gets the ending `Request`.
 */
export class SchemaCollector {
  readonly #named: Record<Side, Map<string, JsonSchema>> = { input: new Map(), output: new Map() };
  /** Most operations share their errors: converting these once halves the time of the whole document. */
  readonly #converted: Record<Side, Map<z.ZodType, JsonSchema>> = { input: new Map(), output: new Map() };

  /** The schema as it stands where it is used: a reference when it has a name. */
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

  /** Everything that was named, and `finish`, which gives each reference in a finished document its last form. */
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

/** Names whose two sides differ, in themselves or in what they refer to. */
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

/** As every dialect of regular expressions writes it; \p{...} is known to few. */
const CONTROL_CHARACTERS = String.raw`\x00-\x1F\x7F-\x9F`;

/** Bounds of JavaScript's numbers, and patterns that only repeat a format, tell a reader nothing. */
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
