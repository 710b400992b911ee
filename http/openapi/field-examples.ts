/** Gives each field of an OpenAPI document an example, taken from the examples of the bodies that contain it. */

type Json = Readonly<Record<string, unknown>>;
type Visit = (component: string, values: readonly unknown[]) => void;

const PREFIX = '#/components/schemas/';

export interface GivenExamples {
  /** Examples by component name. They have priority over the examples in the document. */
  readonly bodies: Readonly<Record<string, readonly unknown[]>>;
  /** Examples by name for parameters whose schema has none. */
  readonly parameters: Json;
}

/** Returns the document with an example in every field, taken from the examples of the bodies that contain the field. */
export function withFieldExamples(document: Json, { bodies, parameters }: GivenExamples): Json {
  const components = document['components'] as Json;
  const schemas = components['schemas'] as Readonly<Record<string, Json>>;
  const known = new Map<string, unknown[]>();
  const fields = new Fields(schemas);
  const remember: Visit = (name, values) => {
    if (values.length === 0) return;
    known.set(name, [...(known.get(name) ?? []), ...values]);
    fields.fill(schemas[name]!, values, remember);
  };
  for (const name of Object.keys(schemas))
    remember(name, bodies[name] ?? bodies[name.replace(/Request$/, '')] ?? []);
  bodiesOf(document, ({ schema, values }) => fields.fill(schema, values, remember));
  return {
    ...(bodiesOf(document, (body) => fields.body(body, parameters)) as Json),
    components: {
      ...components,
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => [
          name,
          fields.component(schema, known.get(name) ?? []),
        ]),
      ),
    },
  };
}

/** A body, or a parameter, with its examples. */
interface Body {
  readonly schema: Json;
  readonly values: readonly unknown[];
  /** Name of the parameter. Absent for a body. */
  readonly parameter?: string;
}

/** Returns the document with each schema of a body or a parameter replaced by the result of `change`. */
function bodiesOf(node: unknown, change: (body: Body) => Json): unknown {
  if (Array.isArray(node)) return node.map((each: unknown) => bodiesOf(each, change));
  if (!isJson(node)) return node;
  if (isJson(node['schema'])) {
    const values = node['example'] === undefined ? [] : [node['example']];
    const parameter = 'in' in node ? { parameter: String(node['name']) } : {};
    return { ...node, schema: change({ schema: node['schema'], values, ...parameter }) };
  }
  return mapValues(node, (each, name) => (name === 'components' ? each : bodiesOf(each, change)));
}

class Fields {
  readonly #schemas: Readonly<Record<string, Json>>;

  constructor(schemas: Readonly<Record<string, Json>>) {
    this.#schemas = schemas;
  }

  body({ schema, values, parameter }: Body, parameters: Json): Json {
    const done = () => undefined;
    if (parameter === undefined) return this.fill(schema, values, done);
    const own = examplesIn(schema).length > 0 ? [] : [parameters[parameter]];
    const { description: _, ...filled } = this.#field(
      schema,
      own.filter((value) => value !== undefined),
      done,
    );
    return filled;
  }

  component(schema: Json, values: readonly unknown[]): Json {
    const filled = this.fill(schema, values, () => undefined);
    const example = exampleOf(schema, values);
    return hasFields(schema) || example === undefined ? filled : { ...filled, examples: [example] };
  }

  /**
   * Adds examples to a schema. `values`: values of the examples at its place. `visit` receives the values of the components that it refers
   * to.
   */
  fill(schema: Json, values: readonly unknown[], visit: Visit): Json {
    const name = nameOf(schema);
    if (name !== undefined) {
      visit(name, values);
      return schema;
    }
    return mapValues(schema, (part, key) => this.#part(key, part, values, visit));
  }

  #part(key: string, part: unknown, values: readonly unknown[], visit: Visit): unknown {
    const objects = values.filter(isJson);
    if (key === 'properties' && isJson(part))
      return mapValues(part, (field, name) => {
        const own = objects.flatMap((value) => (value[name] === undefined ? [] : [value[name]]));
        return this.#field(field as Json, own, visit);
      });
    if (key === 'items' && isJson(part))
      return this.fill(part, values.filter((value) => Array.isArray(value)).flat(), visit);
    if (key === 'additionalProperties' && isJson(part))
      return this.fill(
        part,
        objects.flatMap((value) => Object.values(value)),
        visit,
      );
    if ((key === 'anyOf' || key === 'oneOf') && Array.isArray(part))
      return (part as readonly Json[]).map((one) =>
        this.fill(
          one,
          values.filter((value) => this.#fits(one, value)),
          visit,
        ),
      );
    return part;
  }

  #field(schema: Json, values: readonly unknown[], visit: Visit): Json {
    const filled = this.fill(schema, values, visit);
    const description = schema['description'] ?? onlyVariant(schema)?.['description'];
    const example = hasFields(schema) || nameOf(schema) !== undefined ? undefined : exampleOf(schema, values);
    return {
      ...filled,
      ...(description === undefined ? {} : { description }),
      ...(example === undefined ? {} : { examples: [example] }),
    };
  }

  /** True if a value of an example may match this one of several schemas. */
  #fits(schema: Json, value: unknown): boolean {
    const name = nameOf(schema);
    if (name !== undefined) return this.#fits(this.#schemas[name]!, value);
    if ('const' in schema) return schema['const'] === value;
    if (schema['type'] === 'object') return isJson(value) && hasMembers(schema, value);
    if (schema['type'] === 'array') return Array.isArray(value);
    if (schema['type'] === 'null') return value === null;
    return typeof value !== 'object';
  }
}

function hasMembers({ required = [], properties = {} }: Json, value: Json): boolean {
  return (
    (required as readonly string[]).every((name) => value[name] !== undefined) &&
    Object.entries(properties as Readonly<Record<string, Json>>).every(
      ([name, field]) => !('const' in field) || value[name] === undefined || value[name] === field['const'],
    )
  );
}

/** Returns the most useful value. Null, [] and {} show nothing. */
function exampleOf(schema: Json, values: readonly unknown[]): unknown {
  const all = [...values, ...examplesIn(schema)];
  return all.find(isTelling) ?? all[0];
}

/** Returns examples from the schema itself. */
function examplesIn(schema: Json): readonly unknown[] {
  const variant = onlyVariant(schema);
  return [
    ...((schema['examples'] ?? []) as readonly unknown[]),
    ...(variant === undefined ? [] : examplesIn(variant)),
    ...('const' in schema ? [schema['const']] : []),
    ...('default' in schema ? [schema['default']] : []),
    ...((schema['enum'] ?? []) as readonly unknown[]).slice(0, 1),
  ];
}

/** Returns the schema of a value that may also be null. */
function onlyVariant({ anyOf }: Json): Json | undefined {
  if (!Array.isArray(anyOf)) return undefined;
  const [first, ...others] = (anyOf as readonly Json[]).filter(({ type }) => type !== 'null');
  return others.length === 0 ? first : undefined;
}

/** True if the parts of the value are fields with examples of their own. */
function hasFields(schema: Json): boolean {
  if (nameOf(schema) !== undefined || isJson(schema['properties'])) return true;
  const parts = [schema['items'], schema['additionalProperties']].filter(isJson);
  const variants = [schema['anyOf'], schema['oneOf']].flatMap((list) =>
    Array.isArray(list) ? (list as Json[]) : [],
  );
  return [...parts, ...variants].some(hasFields);
}

function nameOf({ $ref }: Json): string | undefined {
  return typeof $ref === 'string' ? $ref.slice(PREFIX.length) : undefined;
}

const isTelling = (value: unknown) =>
  value !== null && value !== '' && (typeof value !== 'object' || Object.keys(value).length > 0);
const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const mapValues = (json: Json, change: (value: unknown, name: string) => unknown): Json =>
  Object.fromEntries(Object.entries(json).map(([name, value]) => [name, change(value, name)]));
