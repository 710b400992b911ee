/** Converts JSON Schemas of the OpenAPI document to short texts. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly format?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
}

const PREFIX = '#/components/schemas/';

/** The name of the referenced component. */
const nameOf = (reference: string): string => reference.replace(PREFIX, '');

/** The type for readers: `integer 0 to 9`, `list of Track`, `string or null`. */
export function typeText(schema: Schema): string {
  const { $ref, enum: values, const: value, anyOf, oneOf, allOf, items, additionalProperties } = schema;
  if ($ref !== undefined) return nameOf($ref);
  if (value !== undefined) return quote(value);
  if (values !== undefined) return values.map(quote).join(' or ');
  const several = anyOf ?? oneOf;
  if (several !== undefined) return alternatives(several.map(typeText));
  if (allOf !== undefined) return allOf.map(typeText).join(' and ');
  if (items !== undefined) return `list of ${typeText(items)}`;
  if (typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0)
    return `map to ${typeText(additionalProperties)}`;
  return plainType(schema);
}

/** Fields of an unnamed inline object; undefined for other schemas. */
export function fieldsOf(schema: Schema): Readonly<Record<string, Schema>> | undefined {
  if (schema.properties !== undefined) return schema.properties;
  if (schema.items !== undefined) return fieldsOf(schema.items);
  const objects = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
    .map(fieldsOf)
    .filter((fields) => fields !== undefined);
  return objects.length === 0
    ? undefined
    : Object.fromEntries(objects.flatMap((fields) => Object.entries(fields)));
}

/** Names of all components that a schema references directly. */
export function namesIn(schema: unknown): readonly string[] {
  const found = JSON.stringify(schema ?? {}).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g);
  return [...new Set([...found].map(([, name = '']) => name))];
}

const quote = (value: unknown) => (typeof value === 'string' ? `\`${value}\`` : String(value));
const alternatives = (types: readonly string[]) => [...new Set(types)].join(' or ');

function plainType({ type, format, minimum, maximum }: Schema): string {
  if (type === undefined) return 'any';
  const name = typeof type === 'string' ? type : type.join(' or ');
  if (format === 'date-time' || format === 'uri') return format === 'uri' ? 'URI' : 'time';
  if (minimum !== undefined && maximum !== undefined) return `${name} ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `${name} from ${minimum}`;
  return maximum === undefined ? name : `${name} up to ${maximum}`;
}
