import type { z } from 'zod';
import { answersOf } from './common.ts';
import { EXAMPLES, PARAMETER_EXAMPLES } from './examples/index.ts';
import { withFieldExamples } from './field-examples.ts';
import { SchemaCollector, type JsonSchema, type Side } from './json-schema.ts';
import { WEBHOOKS, type Webhook } from './webhooks.ts';
import type { Caller, Content, DeclaredAnswer, Operation } from '../routing/declaration.ts';

export interface DocumentFacts {
  readonly version: string;
  /** URL at which clients reach the server, with the path before `/rest` if there is one. */
  readonly url: string;
  /** Name of the session cookie. */
  readonly sessionCookie: string;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
}

type Json = Readonly<Record<string, unknown>>;

/** Creates the OpenAPI 3.1 document of these operations. */
export function openApiDocument(
  operations: readonly Operation[],
  { version, url, tags, sessionCookie }: DocumentFacts,
): Json {
  const collector = new SchemaCollector();
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations)
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method]: operationObject(operation, collector),
    };
  const webhooks: Record<string, Record<string, Json>> = {};
  for (const webhook of WEBHOOKS)
    webhooks[webhook.name] = {
      ...webhooks[webhook.name],
      [webhook.method]: webhookObject(webhook, collector),
    };
  const { schemas, finish } = collector.components();
  const document = finish({
    openapi: '3.1.0',
    info: { title: 'Troupe', version, description: DESCRIPTION, license: LICENSE },
    servers: [{ url }],
    tags,
    paths,
    webhooks,
    components: { schemas, securitySchemes: securitySchemes(sessionCookie) },
  });
  return withFieldExamples(document, { bodies: EXAMPLES, parameters: PARAMETER_EXAMPLES });
}

const DESCRIPTION =
  'Media analysis as a service: batch jobs run pipelines of detectors over images, videos, audio and documents, and end ' +
  'in a detection document. Every request below /rest needs a bearer token with the role USER or ADMIN, or the session of a browser ' +
  'that has logged in at /login.';
const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' };

const bearer = (description: string, bearerFormat?: string) => ({
  type: 'http',
  scheme: 'bearer',
  ...(bearerFormat === undefined ? {} : { bearerFormat }),
  description,
});
const securitySchemes = (sessionCookie: string) => ({
  token: bearer(
    'An access token of the OpenID Connect provider that grants USER or ADMIN, or an API key. With the embedded development provider: `troupe token`.',
    'JWT',
  ),
  component: bearer(
    'The token that the server gave the component process, or an access token that may claim work of the algorithm.',
  ),
  node: bearer(
    'A token of the provider that grants the role of a node; with the embedded development provider what `troupe token --node` prints.',
  ),
  metrics: bearer('The METRICS_TOKEN of the server.'),
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
    description:
      'The session of a browser that has logged in at /login. Other methods than GET and HEAD are accepted only from pages of this server ' +
      '(Sec-Fetch-Site: same-origin, or Origin).',
  },
});

/** Security schemes by kind of caller. Any one of them is sufficient. */
const SECURITY: Readonly<Record<Caller, readonly (keyof ReturnType<typeof securitySchemes>)[]>> = {
  ANYONE: [],
  USER: ['token', 'session'],
  ADMIN: ['token', 'session'],
  COMPONENT: ['component', 'token'],
  NODE: ['node'],
  METRICS: ['metrics', 'token'],
};

function operationObject(operation: Operation, collector: SchemaCollector): Json {
  const { id, tag, summary, caller, jobs, isReading, body, params, query, headers } = operation;
  const description = [operation.description, caller === 'ADMIN' ? 'Needs the role ADMIN.' : undefined]
    .filter((text) => text !== undefined)
    .join(' ');
  const parameters = [
    ...parameterObjects('path', params, collector),
    ...parameterObjects('query', query, collector),
    ...parameterObjects('header', headers, collector),
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === '' ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: contentObject(body, 'input', collector) } }),
    responses: Object.fromEntries(
      Object.entries(answersOf(operation)).map(([status, answer]) => [
        status,
        answerObject(answer, collector),
      ]),
    ),
    ...(jobs === undefined ? {} : { 'x-jobs': jobs }),
    ...(isReading === true ? { 'x-reading': true } : {}),
    security: SECURITY[caller].map((scheme) => ({ [scheme]: [] })),
  };
}

/** Creates the webhook object of a request to a receiver. Receivers may answer in any way. */
function webhookObject(
  { id, tag, summary, description, headers, query, body, answers }: Webhook,
  collector: SchemaCollector,
): Json {
  const parameters = [
    ...parameterObjects('query', query, collector),
    ...parameterObjects('header', headers, collector),
  ];
  return {
    operationId: id,
    tags: [tag],
    ...{ summary, description },
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: contentObject({ schema: body }, 'output', collector) } }),
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, meaning]) => [status, { description: meaning }]),
    ),
    security: [],
  };
}

const COMMA_SEPARATED = { style: 'form', explode: false };

/** Creates the parameter objects. The schema comes from the converted value, because it is more precise. `required` comes from the text. */
function parameterObjects(
  where: string,
  fields: z.ZodObject | undefined,
  collector: SchemaCollector,
): readonly Json[] {
  if (fields === undefined) return [];
  const values = collector.of(fields, 'output')['properties'] as Readonly<Record<string, JsonSchema>>;
  const needed = (collector.of(fields, 'input')['required'] ?? []) as readonly string[];
  return Object.entries(values).map(([name, { description, ...schema }]) => ({
    name,
    in: where,
    required: needed.includes(name),
    ...(description === undefined ? {} : { description }),
    ...(schema['type'] === 'array' ? COMMA_SEPARATED : {}),
    schema,
  }));
}

function answerObject(
  { description, content, headers, onRequest, others = {} }: DeclaredAnswer,
  collector: SchemaCollector,
): Json {
  const headerObjects = Object.entries(headers ?? {}).map(([name, text]) => [
    name,
    { description: text, required: true, schema: { type: 'string' } },
  ]);
  return {
    description,
    ...(headerObjects.length === 0 ? {} : { headers: Object.fromEntries(headerObjects) as Json }),
    ...(content === undefined
      ? {}
      : {
          content: {
            ...contentObject(content, 'output', collector),
            ...Object.fromEntries(
              Object.entries(others).map(([type, schema]) => [
                type,
                { schema: collector.of(schema, 'output') },
              ]),
            ),
          },
        }),
    ...(onRequest === true ? { 'x-body-on-request': true } : {}),
  };
}

function contentObject(
  { schema, type = 'application/json', also = [], example }: Content,
  side: Side,
  collector: SchemaCollector,
): Json {
  const content = { schema: collector.of(schema, side), ...(example === undefined ? {} : { example }) };
  return Object.fromEntries([type, ...also].map((each) => [each, content]));
}
