/** Generates values that match a JSON Schema of the OpenAPI document. */
import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { nastyText, type Json } from './nasty.ts';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

/** Known values that reach deeper code than random text does. */
export interface Known {
  /** Values for fields of this name. */
  readonly fields: Readonly<Record<string, Arbitrary<Json>>>;
  /** Keys of maps. */
  readonly names: Arbitrary<string>;
}

export class SchemaValues {
  readonly #named: Readonly<Record<string, Schema>>;
  readonly #known: Known;

  constructor(named: Readonly<Record<string, Schema>>, known: Known) {
    this.#named = named;
    this.#known = known;
  }

  /** @throws Error for an unknown schema keyword, which would otherwise be ignored */
  of(schema: Schema): Arbitrary<Json> {
    refuseUnknown(schema);
    const { $ref, oneOf, anyOf = oneOf, type } = schema;
    if ($ref !== undefined) return this.of(this.#target($ref));
    if (anyOf !== undefined) return fc.oneof(...anyOf.map((one) => this.of(one)));
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    if (typeof type === 'object') return fc.oneof(...type.map((one) => this.of({ ...schema, type: one })));
    return this.#ofType(type, schema);
  }

  #ofType(type: string | undefined, schema: Schema): Arbitrary<Json> {
    const { minimum: min = schema.exclusiveMinimum ?? -(2 ** 53), maximum: max = 2 ** 53 } = schema;
    switch (type) {
      case 'string':
        return texts(schema);
      case 'integer':
        return fc.oneof(
          fc.integer({ min: Math.max(min, -10), max: Math.min(max, Math.max(min, 0) + 20) }),
          fc.maxSafeInteger().map((n) => Math.min(max, Math.max(min, n))),
        );
      case 'number':
        return fc.double({ min, max, noNaN: true, minExcluded: schema.exclusiveMinimum !== undefined });
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array':
        if (schema.prefixItems !== undefined)
          return fc.tuple(...schema.prefixItems.map((one) => this.of(one)));
        return fc.array(this.of(schema.items ?? {}), {
          minLength: schema.minItems ?? 0,
          maxLength: Math.min(schema.maxItems ?? 3, (schema.minItems ?? 0) + 3),
        });
      case 'object':
        return this.#object(schema);
      case undefined:
        return fc.jsonValue() as Arbitrary<Json>;
      default:
        throw new Error(`The fuzz run knows no JSON type ${type}.`);
    }
  }

  #object({ properties = {}, required = [], additionalProperties }: Schema): Arbitrary<Json> {
    const fields = Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, this.#field(name, schema)]),
    );
    const named = fc.record(fields, { requiredKeys: [...required] }) as Arbitrary<Record<string, Json>>;
    if (typeof additionalProperties !== 'object') return named;
    const more = fc.array(fc.tuple(this.#known.names, this.of(additionalProperties)), { maxLength: 3 });
    return fc
      .tuple(named, more)
      .map(([own, extra]) => Object.fromEntries([...Object.entries(own), ...extra]));
  }

  #field(name: string, schema: Schema): Arbitrary<Json> {
    const known = Object.hasOwn(this.#known.fields, name) ? this.#known.fields[name] : undefined;
    const any = this.of(schema);
    if (known === undefined) return any;
    return schema.type === 'array' && schema.items?.type === 'string'
      ? fc.array(known, { minLength: 1, maxLength: 3 })
      : known;
  }

  #target(reference: string): Schema {
    const found = this.#named[reference.replace('#/components/schemas/', '')];
    if (found === undefined) throw new Error(`The document has no ${reference}.`);
    return found;
  }
}

const KNOWN = new Set(
  '$ref type anyOf oneOf const enum pattern format minLength maxLength minimum maximum exclusiveMinimum items prefixItems minItems maxItems properties required additionalProperties propertyNames description examples default'.split(
    ' ',
  ),
);

const YEARS = { min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z') };

function refuseUnknown(schema: Schema): void {
  const unknown = Object.keys(schema).filter((keyword) => !KNOWN.has(keyword));
  if (unknown.length > 0) throw new Error(`The fuzz run knows no JSON Schema keyword ${unknown.join(', ')}.`);
}

function texts({ pattern, format, minLength = 0, maxLength = 1_000 }: Schema): Arbitrary<string> {
  if (format === 'date-time') return fc.date({ noInvalidDate: true, ...YEARS }).map((at) => at.toISOString());
  if (format === 'date')
    return fc.date({ noInvalidDate: true, ...YEARS }).map((at) => at.toISOString().slice(0, 10));
  if (format !== undefined) throw new Error(`The fuzz run knows no format ${format}.`);
  const rule = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  const fits = (text: string) =>
    text.length >= minLength && text.length <= maxLength && (rule === undefined || rule.test(text));
  // Random text almost never matches a pattern, so texts are generated from it.
  if (rule !== undefined) return fc.stringMatching(rule).filter(fits);
  const plain = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 _.-]{0,20}$/).filter(fits);
  return fc.oneof({ weight: 3, arbitrary: plain }, nastyText.filter(fits));
}
