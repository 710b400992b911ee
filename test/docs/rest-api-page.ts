/** The reference page of the REST API, generated from the OpenAPI document. */
import { endpoints, tags } from '../../http/endpoints/index.ts';
import { openApiDocument } from '../../http/openapi/document.ts';
import { answersOf } from '../../http/openapi/common.ts';
import type { Caller, Operation } from '../../http/routing/declaration.ts';
import { fieldsOf, namesIn, typeText, type Schema } from './text/schema-text.ts';
import { plain, wrapLines } from './text/wrap-lines.ts';

interface Content {
  readonly schema?: Schema;
}
interface Described {
  readonly description?: string;
  readonly content?: Readonly<Record<string, Content>>;
}
interface OpenOperation {
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: Described;
  readonly responses: Readonly<Record<string, Described>>;
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const HEAD = `---
description: Every operation of the HTTP interface, with its role, body and parameters.
---

# REST API

Your own server shows all operations at \`/docs/api\`, with their parameters, answers and a form to
try them. This page is an overview. Both come from the OpenAPI document at \`/rest/openapi.json\`.

Send \`Authorization: Bearer <token>\`; \`troupe token\` prints a token. A browser can use its
session instead. The [component protocol](component-protocol.md) describes the operations for
components and nodes.

Each operation can also answer these statuses:

`;

const ROLES: Readonly<Record<Caller, string>> = {
  ANYONE: 'no token',
  USER: 'USER',
  ADMIN: 'ADMIN',
  COMPONENT: 'component',
  NODE: 'node',
  METRICS: '`METRICS_TOKEN` or USER',
};

export function restApiPage(): string {
  const document = openApiDocument(endpoints, {
    version: '',
    url: '/',
    tags,
    sessionCookie: 'session',
  }) as unknown as OpenApi;
  const { schemas } = document.components;
  const inRequests = requestObjects(document);
  const sent = Object.entries(schemas).filter(([name]) => inRequests.has(name));
  const sections = tags.map(({ name, description }) =>
    [
      `## ${name}\n`,
      `${wrapLines(description)}.\n`,
      '| Operation | Role | What it does | Body and parameters |',
      '| --- | --- | --- | --- |',
      ...endpoints.filter(({ tag }) => tag === name).map((each) => operationRow(each, document)),
      '',
    ].join('\n'),
  );
  return [
    `${HEAD}${commonAnswers()}\n`,
    ...sections,
    '## Objects in requests\n',
    'Fields are optional unless they are marked as required.\n',
    ...sent.map(([name, schema]) => objectText(name, schema)),
  ].join('\n');
}

/** What nearly every operation answers; `answersOf` adds it to what an operation declares. */
function commonAnswers(): string {
  return Object.entries(answersOf(ANY_OPERATION))
    .map(([status, { description }]) => item(`${status}: ${plain(description)}`))
    .join('\n');
}

const ANY_OPERATION: Operation = {
  method: 'post',
  path: '/rest/any',
  id: 'any',
  tag: '',
  summary: '',
  caller: 'USER',
  body: { schema: endpoints.find(({ body }) => body !== undefined)!.body!.schema },
  answers: {},
};

/** One row: the operation, who may call it, what it does, and the names of what it takes. */
function operationRow({ method, path, caller }: Operation, { paths }: OpenApi): string {
  const shown = paths[path]?.[method];
  if (shown === undefined) throw new Error(`The OpenAPI document lacks ${method} ${path}.`);
  const { summary, parameters = [], requestBody } = shown;
  const names = parameters.filter((each) => each.in !== 'path').map(({ name }) => `\`${name}\``);
  const bodies = caller === 'COMPONENT' || caller === 'NODE' ? [] : bodyNames(requestBody);
  const cells = [
    `\`${method.toUpperCase()} ${path}\``,
    ROLES[caller],
    `${plain(summary)}.`,
    [...bodies, ...names].join(', '),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

const bodyNames = (body: Described | undefined): readonly string[] =>
  body === undefined
    ? []
    : Object.values(body.content ?? {}).map(({ schema = {} }) => `**${typeText(schema)}**`);

/** Names of the objects that a client sends, with those in them. */
function requestObjects({ paths, components: { schemas } }: OpenApi): ReadonlySet<string> {
  const bodies = Object.entries(paths).flatMap(([path, operations]) =>
    path.startsWith('/rest/') ? Object.values(operations).map(({ requestBody }) => requestBody) : [],
  );
  const found = new Set(namesIn(bodies));
  for (const name of found) for (const inner of namesIn(schemas[name])) found.add(inner);
  return found;
}

function objectText(name: string, schema: Schema): string {
  const fields = fieldLines(schema, '');
  const lines = fields.length > 0 ? fields : [item(`Value: ${typeText(schema)}`)];
  return [
    `### ${name}\n`,
    ...(schema.description === undefined ? [] : [`${wrapLines(ended(schema.description))}\n`]),
    `${lines.join('\n')}\n`,
  ].join('\n');
}

/** A line a field; those of an object without a name follow below it. */
function fieldLines(schema: Schema, indent: string): readonly string[] {
  return Object.entries(fieldsOf(schema) ?? {}).flatMap(([name, field]) => {
    const required = schema.required?.includes(name) === true ? ['required'] : [];
    const facts = [typeText(field), ...required, ...defaultOf(field)].join(', ');
    return [
      item(`\`${name}\` (${facts})${withColon(field.description)}`, indent),
      ...(indent.length < 4 ? fieldLines(field, `${indent}  `) : []),
    ];
  });
}

const defaultOf = ({ default: value }: Schema) =>
  value === undefined ? [] : [`default ${JSON.stringify(value)}`];
const withColon = (text: string | undefined) => (text === undefined ? '' : `: ${ended(text)}`);
const ended = (text: string) => plain(/[.!?]$/.test(text) ? text : `${text}.`);
const item = (text: string, indent = '') => wrapLines(`${indent}- ${text}`, `${indent}  `);
