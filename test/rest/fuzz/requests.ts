/** Valid and invalid requests for every operation of the OpenAPI document. */
import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import type { OpenApiDocument, OperationObject, ParameterObject } from '../../support/openapi.ts';
import { bodyFor, goodBodies, knownFields, propertyName } from './bodies.ts';
import type { Message } from './client.ts';
import type { Facts } from './facts.ts';
import { breakValue } from './faults.ts';
import { nastyBody, type Json } from './nasty.ts';
import {
  nastyHeaders,
  nastyPart,
  nastyQuery,
  wrongContent,
  type Headers,
  type Params,
  type Part,
  type Parts,
} from './parts.ts';
import { SchemaValues, type Schema } from './schema-values.ts';

export interface FuzzedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

/** A value as text in a URL: texts unchanged, other values as JSON. */
const asText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/** A generated request. Ids and tokens of the running server are filled in when it is sent. */
export interface Plan {
  message(facts: Facts): Promise<Message>;
}

type PartArbitraries = { readonly [name in keyof Parts]: Arbitrary<Parts[name]> };

export function operationsOf({ paths }: OpenApiDocument): readonly FuzzedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

export class Requests {
  readonly #values: SchemaValues;

  constructor({ components }: OpenApiDocument) {
    const named = components.schemas as Readonly<Record<string, Schema>>;
    this.#values = new SchemaValues(named, { fields: knownFields, names: propertyName });
  }

  /** Valid according to the document. */
  planFitting(of: FuzzedOperation): Arbitrary<Plan> {
    return planRequest(of, this.#planFitting(of));
  }

  /** Valid, except for the body. */
  withBrokenBody(of: FuzzedOperation): Arbitrary<Plan> {
    const fitting = this.#planFitting(of);
    const json = this.#json(of) ?? fc.constant({});
    const body = fc.oneof(
      { weight: 6, arbitrary: breakValue(json).map(textOf) },
      { weight: 2, arbitrary: nastyBody },
      {
        weight: 1,
        arbitrary: fc
          .tuple(json.map(textOf), fc.nat())
          .map(([text, cut]) => text.slice(0, cut % (text.length + 1))),
      },
      { weight: 1, arbitrary: fc.constant(undefined) },
    );
    const headers = fc.tuple(fitting.headers, wrongContent).map(([own, more]) => ({ ...own, ...more }));
    return planRequest(of, { ...fitting, body, headers });
  }

  /** Valid, except for the path, the query and the headers. */
  withBrokenAddress(of: FuzzedOperation): Arbitrary<Plan> {
    const fitting = this.#planFitting(of);
    const names = namesIn(of.path);
    const params = fc.record(Object.fromEntries(names.map((name) => [name, nastyPart]))) as Arbitrary<Params>;
    const query = fc.tuple(fitting.query, nastyQuery).map(([own, more]) => [...own, ...more]);
    const headers = fc.tuple(fitting.headers, nastyHeaders).map(([own, more]) => ({ ...own, ...more }));
    return planRequest(of, { ...fitting, params, query, headers });
  }

  #planFitting(of: FuzzedOperation): PartArbitraries {
    const { parameters = [] } = of.operation;
    const params = namesIn(of.path).map(
      (name) => [name, thereOr(this.#ofParameter(parameters, name))] as const,
    );
    const inQuery = parameters.filter((one) => one.in === 'query');
    const inHeaders = parameters.filter((one) => one.in === 'header');
    return {
      params: fc.record(Object.fromEntries(params)),
      query: this.#some(inQuery).map((given) => Object.entries(given)),
      headers: this.#some(inHeaders),
      body: this.#body(of),
    };
  }

  /** All required parameters, and some optional ones. */
  #some(parameters: readonly ParameterObject[]): Arbitrary<Record<string, string>> {
    const fields = parameters.map(
      (one) => [one.name, this.#values.of(one.schema as Schema).map(asText)] as const,
    );
    const requiredKeys = parameters.filter(({ required }) => required).map(({ name }) => name);
    return fc.record(Object.fromEntries(fields), { requiredKeys });
  }

  #ofParameter(parameters: readonly ParameterObject[], name: string): Arbitrary<string> {
    const schema = parameters.find((one) => one.name === name)?.schema ?? { type: 'string' };
    return this.#values.of(schema as Schema).map(asText);
  }

  /** A body that matches the schema, a known good body, or a good body with one more field. */
  #json({ operation }: FuzzedOperation): Arbitrary<Json> | undefined {
    const schema = operation.requestBody?.content['application/json']?.schema;
    if (schema === undefined) return undefined;
    const any = this.#values.of(schema);
    const good = goodBodies[operation.operationId];
    if (good === undefined) return any;
    const more = fc.tuple(any, fc.nat()).map(([body, n]) => ({ ...good, ...oneField(body, n) }));
    return fc.oneof(any, fc.constant(good), more);
  }

  #body(of: FuzzedOperation): Arbitrary<string | Buffer | undefined> {
    return this.#json(of)?.map(textOf) ?? bodyFor(Object.keys(of.operation.requestBody?.content ?? {})[0]);
  }
}

function planRequest({ method, path, operation }: FuzzedOperation, parts: PartArbitraries): Arbitrary<Plan> {
  const [type = 'text/plain'] = Object.keys(operation.requestBody?.content ?? {});
  const own = type === '*/*' ? 'application/octet-stream' : type;
  return fc.record(parts).map(({ params, query, headers, body }) => ({
    message: async (facts: Facts) => {
      const target = `${await pathOf(path, params, facts)}${queryOf(query)}`;
      const content = body === undefined ? {} : { 'content-type': own };
      return {
        method,
        target,
        headers: clean({ ...content, ...headers }),
        ...(body === undefined ? {} : { body }),
      };
    },
    [fc.toStringMethod]: () =>
      `${method} ${path} ${excerpt(JSON.stringify(params))} ${excerpt(queryOf(query))} ${excerpt(JSON.stringify(headers))} ${excerpt(String(body))}`,
  }));
}

async function pathOf(template: string, params: Params, facts: Facts): Promise<string> {
  let path = template;
  for (const [name, part] of Object.entries(params)) {
    const text =
      'there' in part
        ? encodePart(await facts.one(template, name, part.there))
        : part.encoded
          ? encodePart(part.text)
          : bare(part.text);
    path = path.replace(`{${name}}`, () => text);
  }
  return path;
}

const namesIn = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
const thereOr = (text: Arbitrary<string>): Arbitrary<Part> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ there: fc.nat(50) }) },
    {
      weight: 1,
      arbitrary: text.filter((one) => one.length < 2_000).map((one) => ({ text: one, encoded: true })),
    },
  );
/** A lone surrogate has no UTF-8 encoding. Like other clients, replaces it. */
const sendable = (text: string) => Buffer.from(text).toString();
const encodePart = (text: string) => encodeURIComponent(sendable(text));
/** Percent-encodes only the characters that a request line cannot contain. */
const bare = (text: string) =>
  sendable(text).replaceAll(/[^\x21-\x7e]|[?#]/gu, (one) => encodeURIComponent(one)) || '%20';
const queryOf = (query: Parts['query']) =>
  query.length === 0
    ? ''
    : `?${query.map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`).join('&')}`;
/** Replaces characters that headers cannot contain by question marks. Only raw sockets can send them. */
const clean = (headers: Headers): Headers =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?')]),
  );
const oneField = (object: Json, n: number) =>
  Object.fromEntries(Object.entries(object ?? {}).filter((_, at, all) => at === n % all.length));
const textOf = (value: Json) => JSON.stringify(value);
const excerpt = (text: string) =>
  text.length > 500 ? `${text.slice(0, 500)}… (${text.length} characters)` : text;
