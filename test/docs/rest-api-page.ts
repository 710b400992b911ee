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
description: Every operation of the HTTP interface.
---

# REST API

Your server shows all parameters, answers and a form to try them at \`/docs/api\`. That page and this
overview come from the OpenAPI document at \`/rest/openapi.json\`. Components use other operations:
[component protocol](component-protocol.md).

Send \`Authorization: Bearer <token>\`; \`troupe token\` prints a token. Browsers can use their
session. Every USER may use an operation, unless the table names others. **Bold** names are
[bodies](#objects-in-requests), all others are parameters.

Each operation can also answer:

`;

/** Who may use an operation, where not every USER may. */
const ROLES: Readonly<Record<Caller, string>> = {
  ANYONE: ' No token needed.',
  USER: '',
  ADMIN: ' ADMIN only.',
  COMPONENT: '',
  NODE: '',
  METRICS: ' USER or `METRICS_TOKEN`.',
};

/** Sections that are not for users. */
const NOT_FOR_USERS: readonly string[] = ['Worker protocol', 'Nodes on other hosts'];

/** Filters that many operations have; the object that describes them. */
const FILTERS = { 'job filters': 'JobFilterRequest', 'search filters': 'SimilarRequest' } as const;

/** Objects that another page describes. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  ComponentDescriptor: '[component descriptor](component-descriptor.md)',
  NodeManagerModelRequest: '[node configuration](../guides/change-node-configuration.md)',
  PipelineCreation: '[chapter 2.6](specification.md#26-pipelines-tasks-actions-algorithms)',
  TaskCreation: '[chapter 2.6](specification.md#26-pipelines-tasks-actions-algorithms)',
  ActionCreation: '[chapter 2.6](specification.md#26-pipelines-tasks-actions-algorithms)',
};
/** Fields that the page of the specification describes. */
const SPECIFIED: Readonly<Record<string, { readonly link: string; readonly fields: string }>> = {
  JobCreationRequest: {
    link: '[chapter 2.1](specification.md#21-creating-batch-jobs)',
    fields:
      'media pipelineName pipelineDefinition buildOutput externalId jobProperties algorithmProperties priority callbackURL callbackMethod',
  },
  JobCreationStreamData: {
    link: '[chapter 2.3](specification.md#23-streaming-jobs)',
    fields: 'streamUri segmentSize mediaProperties',
  },
  StreamingJobCreationRequest: {
    link: '[chapter 2.3](specification.md#23-streaming-jobs)',
    fields:
      'stream pipelineName enableOutputToDisk stallTimeout externalId jobProperties algorithmProperties healthReportCallbackUri summaryReportCallbackUri stallCallbackUri',
  },
};
/** Objects that only occur in those. */
const INSIDE = new Set(['ServiceModelRequest', 'EnvironmentVariableModel']);

export function restApiPage(): string {
  const document = openApiDocument(endpoints, {
    version: '',
    url: '/',
    tags,
    sessionCookie: 'session',
  }) as unknown as OpenApi;
  const { schemas } = document.components;
  const inRequests = requestObjects(document);
  const sent = Object.entries(schemas).filter(([name]) => inRequests.has(name) && !INSIDE.has(name));
  const described = sent.filter(([name]) => ELSEWHERE[name] === undefined);
  const sections = tags
    .filter(({ name }) => !NOT_FOR_USERS.includes(name))
    .map(({ name }) =>
      [
        `## ${name}\n`,
        '| Operation | What it does | Body and parameters |',
        '| --- | --- | --- |',
        ...endpoints.filter(({ tag }) => tag === name).map((each) => operationRow(each, document)),
        '',
      ].join('\n'),
    );
  return [
    `${HEAD}${commonAnswers()}\n`,
    ...sections,
    '## Objects in requests\n',
    `${OBJECTS}\n`,
    ...sent
      .filter(([name]) => ELSEWHERE[name] !== undefined)
      .map(([name]) => item(`${name}: see ${ELSEWHERE[name]}.`)),
    '',
    ...described.map(([name, schema]) => objectText(name, schema, described)),
  ].join('\n');
}

const OBJECTS = wrapLines(
  'Fields are optional unless they are marked as required. Most optional fields can be null, which means absent. A *value* is a string, number or boolean.',
);

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

/** One row: the operation, what it does, and the names of what it takes. */
function operationRow({ method, path, caller }: Operation, { paths, components }: OpenApi): string {
  const shown = paths[path]?.[method];
  if (shown === undefined) throw new Error(`The OpenAPI document lacks ${method} ${path}.`);
  const { summary, parameters = [], requestBody } = shown;
  const names = parameters.filter((each) => each.in !== 'path').map(({ name }) => name);
  const bodies = bodyNames(requestBody);
  const cells = [
    `\`${method.toUpperCase()} ${path}\``,
    `${plain(summary)}.${ROLES[caller]}`,
    [...bodies, ...withFilters(names, components.schemas)].join(', '),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Names of parameters; those of a filter are named together. */
function withFilters(names: readonly string[], schemas: OpenApi['components']['schemas']): readonly string[] {
  for (const [title, object] of Object.entries(FILTERS)) {
    const { filter } = fieldsOf(schemas[object] ?? {}) ?? {};
    const inFilter = new Set(Object.keys(fieldsOf(filter ?? schemas[object] ?? {}) ?? {}));
    const others = names.filter((name) => !inFilter.has(name));
    if (names.length - others.length >= MANY)
      return [`[${title}](#${object.toLowerCase()})`, ...others.map((name) => `\`${name}\``)];
  }
  return names.map((name) => `\`${name}\``);
}
/** So many parameters of a filter are all of them, or nearly. */
const MANY = 8;

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

type Objects = readonly (readonly [string, Schema])[];

function objectText(name: string, schema: Schema, all: Objects): string {
  const specified = SPECIFIED[name];
  const elsewhere = specified?.fields.split(' ') ?? [];
  const known = knownFields(
    schema,
    elsewhere,
    all.slice(
      0,
      all.findIndex(([each]) => each === name),
    ),
  );
  const fields = fieldLines(schema, '', [...elsewhere, ...(known?.names ?? [])]);
  const lines = fields.length > 0 ? fields : [item(`Value: ${typeText(schema)}`)];
  if (known !== undefined) lines.push(item(`${codes(known.names)}: as in ${linkTo(known.object)}.`));
  if (specified !== undefined) lines.push(item(`${codes(elsewhere)}: see ${specified.link}.`));
  return [
    `### ${name}\n`,
    ...(schema.description === undefined ? [] : [`${wrapLines(ended(schema.description))}\n`]),
    `${lines.join('\n')}\n`,
  ].join('\n');
}

const codes = (names: readonly string[]) => names.map((each) => `\`${each}\``).join(', ');
const linkTo = (object: string) => `[${object}](#${object.toLowerCase()})`;

/** The earlier object that has most fields of this one, with the same meaning; undefined: none has three. */
function knownFields(schema: Schema, elsewhere: readonly string[], earlier: Objects) {
  const fields = Object.entries(fieldsOf(schema) ?? {}).filter(([name]) => !elsewhere.includes(name));
  const [best] = earlier
    .map(([object, other]) => {
      const others = fieldsOf(other) ?? {};
      const names = fields
        .map(([name]) => name)
        .filter((name) => isSame(fieldsOf(schema)?.[name], others[name]));
      return { object, names };
    })
    .toSorted((a, b) => b.names.length - a.names.length);
  return best !== undefined && best.names.length >= 3 ? best : undefined;
}

/** Whether the page says the same of two fields. */
const isSame = (one: Schema = {}, other: Schema | undefined) =>
  other !== undefined && typeText(one) === typeText(other) && one.description === other.description;

/** A line a field; those of an object without a name follow below it. */
function fieldLines(schema: Schema, indent: string, known: readonly string[] = []): string[] {
  return Object.entries(fieldsOf(schema) ?? {})
    .filter(([name]) => !known.includes(name))
    .flatMap(([name, field]) => {
      const isRequired = schema.required?.includes(name) === true;
      const type = shortType(typeText(field), isRequired);
      const facts = [type, ...(isRequired ? ['required'] : []), ...defaultOf(field)].join(', ');
      return [
        item(`\`${name}\` (${facts})${withColon(field.description)}`, indent),
        ...(indent.length < 4 ? fieldLines(field, `${indent}  `) : []),
      ];
    });
}

/** Null is named only where it is more than absent. */
function shortType(type: string, isRequired: boolean): string {
  const short = type.replace('string or number or boolean', 'value');
  return isRequired ? short : short.replace(/ or null$/, '').replace(/( or \w+)? or null$/, '$1');
}

const defaultOf = ({ default: value }: Schema) =>
  value === undefined ? [] : [`default ${JSON.stringify(value)}`];
const withColon = (text: string | undefined) => (text === undefined ? '' : `: ${ended(text)}`);
const ended = (text: string) => plain(/[.!?]$/.test(text) ? text : `${text}.`);
const item = (text: string, indent = '') => wrapLines(`${indent}- ${text}`, `${indent}  `);
