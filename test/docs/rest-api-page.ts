/** The reference page of the REST API, generated from the OpenAPI document. */
import { endpoints, tags } from '../../http/endpoints/index.ts';
import { openApiDocument } from '../../http/openapi/document.ts';
import { answersOf } from '../../http/openapi/common.ts';
import type { Caller, Operation } from '../../http/routing/declaration.ts';
import { fieldsOf, namesIn, typeText, type Schema } from './schema-text.ts';
import { plain, wrapLines } from './wrap-lines.ts';

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
description: Every operation of the HTTP interface, with its role, parameters, body and answers.
---

# REST API

Your own server shows these operations with a form to try them, at \`/docs/api\`. It serves the
OpenAPI document at \`/rest/openapi.json\`. This page is generated from that document:
\`npm run docs:generate\`.

Send \`Authorization: Bearer <token>\`; \`troupe token\` prints a token. A browser can use its
session instead. The role after the summary says who may call an operation. Operations for
components and nodes are summarized here. The [component protocol](component-protocol.md) describes
them.

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
  const all = Object.entries(schemas);
  const sent = all.filter(([name]) => inRequests.has(name));
  const answered = all.filter(([name]) => !inRequests.has(name));
  const sections = tags.map(({ name, description }) =>
    [
      `## ${name}\n`,
      `${wrapLines(description)}.\n`,
      ...endpoints.filter(({ tag }) => tag === name).map((each) => operationText(each, document)),
    ].join('\n'),
  );
  return [
    `${HEAD}${commonAnswers()}\n`,
    ...sections,
    '## Objects in requests\n',
    'Fields are optional unless they are marked as required.\n',
    ...sent.map(([name, schema]) => objectText(name, schema)),
    '## Objects in answers\n',
    'The page at `/docs/api` describes each field.\n',
    `${answered.map(([name, schema]) => namesLine(name, schema)).join('\n')}\n`,
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

function operationText(operation: Operation, { paths }: OpenApi): string {
  const { method, path, caller } = operation;
  const title = `### ${method.toUpperCase()} ${path}\n`;
  const shown = paths[path]?.[method];
  if (shown === undefined) throw new Error(`The OpenAPI document lacks ${method} ${path}.`);
  const { summary, parameters = [], requestBody, responses } = shown;
  const text = [`${summary} (${ROLES[caller]}).`, operation.description].filter(Boolean).join(' ');
  const lines = [
    ...parameters.map((each) =>
      item(
        `\`${each.name}\` (${[each.in, typeText(each.schema), ...(each.required ? ['required'] : []), ...defaultOf(each.schema)].join(', ')})${withColon(each.description)}`,
      ),
    ),
    ...(requestBody === undefined ? [] : bodyLines(requestBody)),
    ...Object.entries(responses)
      .filter(([status]) => operation.answers[Number(status)] !== undefined)
      .map(([status, answer]) => answerLine(status, answer, operation)),
  ];
  const isInternal = caller === 'COMPONENT' || caller === 'NODE';
  return [title, `${wrapLines(plain(text))}\n`, ...(isInternal ? [] : [`${lines.join('\n')}\n`])].join('\n');
}

function answerLine(status: string, answer: Described, operation: Operation): string {
  const names = namesIn(answer.content).filter((name) => name !== 'ResponseMessage');
  const own = operation.answers[Number(status)]?.description ?? '';
  return item(`Answer ${status}${names.length === 0 ? '' : ` with ${names.join(' or ')}`}${withColon(own)}`);
}

function bodyLines({ content = {} }: Described): readonly string[] {
  return Object.entries(content).flatMap(([type, { schema = {} }]) => [
    item(`Body \`${type}\`: ${typeText(schema)}`),
    ...(schema.$ref === undefined ? fieldLines(schema, '  ') : []),
  ]);
}

/** Names of the objects that a client sends, with those in them. */
function requestObjects({ paths, components: { schemas } }: OpenApi): ReadonlySet<string> {
  const bodies = Object.entries(paths).flatMap(([path, operations]) =>
    path.startsWith('/rest/') ? Object.values(operations).map(({ requestBody }) => requestBody) : [],
  );
  const found = new Set(namesIn(bodies));
  for (const name of found) for (const inner of namesIn(schemas[name])) found.add(inner);
  return found;
}

/** The fields of an object in one line, as `/docs/api` describes them. */
function namesLine(name: string, schema: Schema): string {
  const names = Object.keys(fieldsOf(schema) ?? {}).map((field) => `\`${field}\``);
  return item(`${anchor(name)}: ${names.length === 0 ? typeText(schema) : names.join(', ')}`);
}

/** A list item has no anchor of its own, so the name is bold and operations name it without a link. */
const anchor = (name: string) => `**${name}**`;

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
