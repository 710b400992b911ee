/** The reference page of the REST API, generated from the OpenAPI document. */
import { endpoints, tags } from '../../http/endpoints/index.ts';
import { openApiDocument } from '../../http/openapi/document.ts';
import type { Caller, Operation } from '../../http/routing/declaration.ts';
import { fieldsOf, typeText, type Schema } from './text/schema-text.ts';
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

Your server shows all fields and answers at \`/docs/api\`, with examples and a form to try them. That
page and this overview come from \`/rest/openapi.json\`. Components use another
[protocol](component-protocol.md).

Send \`Authorization: Bearer <token>\`; \`troupe token\` prints a token. Browsers can use their
session. Every USER may use an operation, unless the table names others. **Bold** names are bodies,
all others are parameters. Each operation can answer with the [errors](rest-errors.md) of any
request.

Lists return a page: \`limit\` is its size, and \`next\` of an answer is the \`before\` or \`cursor\` of
the following page. \`details=true\` adds fields and warnings. \`Idempotency-Key\` makes a creation
[safe to repeat](../guides/retry-safely.md). The table leaves out these parameters.
`;

/** Roles of an operation, unless every USER may call it. */
const ROLES: Readonly<Record<Caller, string>> = {
  ANYONE: ' No token needed.',
  USER: '',
  ADMIN: ' ADMIN only.',
  COMPONENT: '',
  NODE: '',
  METRICS: ' USER or `METRICS_TOKEN`.',
};

/** Sections that are left out because they are not for users. */
const NOT_FOR_USERS: readonly string[] = ['Worker protocol', 'Nodes on other hosts'];

/** Parameters that the introduction describes. */
const COMMON: readonly string[] = ['limit', 'before', 'cursor', 'offset', 'details', 'Idempotency-Key'];

/** Filters that many operations share, with the object that defines them. */
const FILTERS = { 'Job filters': 'JobFilterRequest', 'Search filters': 'SimilarRequest' } as const;

/** Objects that several operations share, or whose fields need a description. */
const DESCRIBED: readonly string[] = [
  'ZoneRequest',
  'LineRequest',
  'RuleRequest',
  'RuleScheduleRequest',
  'EventReceivers',
  'MqttReceiver',
];

export function restApiPage(): string {
  const document = openApiDocument(endpoints, {
    version: '',
    url: '/',
    tags,
    sessionCookie: 'session',
  }) as unknown as OpenApi;
  const { schemas } = document.components;
  const described = [
    ...DESCRIBED.map((name) => [name, schemas[name] ?? {}] as const),
    ...Object.entries(FILTERS).map(([title, object]) => [title, filterIn(schemas[object])] as const),
  ];
  const sections = tags
    .filter(({ name }) => !NOT_FOR_USERS.includes(name))
    .map(({ name }) =>
      [
        `## ${name}\n`,
        '| Operation | Use | Input |',
        '| --- | --- | --- |',
        ...endpoints.filter(({ tag }) => tag === name).map((each) => operationRow(each, document)),
        '',
      ].join('\n'),
    );
  return [
    HEAD,
    ...sections,
    '## Objects in requests\n',
    `${OBJECTS}\n`,
    ...described.map(([name, schema]) => objectText(name, schema, described)),
  ].join('\n');
}

const OBJECTS = wrapLines(
  'Operations share these objects. Fields are optional unless marked as required. A *value* is a string, number or boolean.',
);

/** A row: the operation, its summary, and the names of its parameters and fields. */
function operationRow({ method, path, caller }: Operation, { paths, components }: OpenApi): string {
  const shown = paths[path]?.[method];
  if (shown === undefined) throw new Error(`The OpenAPI document lacks ${method} ${path}.`);
  const { summary, parameters = [], requestBody } = shown;
  const names = parameters
    .filter((each) => each.in !== 'path' && !COMMON.includes(each.name))
    .map(({ name }) => name);
  const bodies = bodyNames(requestBody);
  const cells = [
    `\`${method.toUpperCase()} ${path}\``,
    `${plain(summary)}.${ROLES[caller]}`,
    [...bodies, ...withFilters(names, components.schemas)].join(', '),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Names of parameters. Those of a filter are replaced by the name of the filter. */
function withFilters(names: readonly string[], schemas: OpenApi['components']['schemas']): readonly string[] {
  for (const [title, object] of Object.entries(FILTERS)) {
    const inFilter = new Set(Object.keys(fieldsOf(filterIn(schemas[object])) ?? {}));
    const others = names.filter((name) => !inFilter.has(name));
    if (names.length - others.length >= MANY) return [linkTo(title), ...others.map((name) => `\`${name}\``)];
  }
  return names.map((name) => `\`${name}\``);
}
const filterIn = (object: Schema = {}): Schema => fieldsOf(object)?.['filter'] ?? object;

/** With at least this many parameters of a filter, the operation counts as having all of it. */
const MANY = 8;

const bodyNames = (body: Described | undefined): readonly string[] =>
  body === undefined
    ? []
    : Object.values(body.content ?? {}).map(({ schema = {} }) => {
        const type = typeText(schema);
        return DESCRIBED.includes(type) ? `**${linkTo(type)}**` : `**${type}**`;
      });

type Objects = readonly (readonly [string, Schema])[];

function objectText(name: string, schema: Schema, all: Objects): string {
  const earlier = all.slice(
    0,
    all.findIndex(([each]) => each === name),
  );
  const known = knownFields(schema, earlier);
  const fields = fieldLines(schema, '', known?.names);
  const lines = fields.length > 0 ? fields : [item(`Value: ${typeText(schema)}`)];
  if (known !== undefined) lines.push(item(`${codes(known.names)}: as in ${linkTo(known.object)}.`));
  return [`### ${name}\n`, `${lines.join('\n')}\n`].join('\n');
}

const codes = (names: readonly string[]) => names.map((each) => `\`${each}\``).join(', ');
const linkTo = (object: string) => `[${object}](#${object.toLowerCase().replaceAll(' ', '-')})`;

/** The earlier object that shares most fields with the same meaning; undefined if fewer than three match. */
function knownFields(schema: Schema, earlier: Objects) {
  const fields = Object.entries(fieldsOf(schema) ?? {});
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

/** Whether two fields have the same text on the page. */
const isSame = (one: Schema = {}, other: Schema | undefined) =>
  other !== undefined && typeText(one) === typeText(other) && one.description === other.description;

/** One line per field, followed by the fields of unnamed objects. */
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

/** Mentions null only if it means something other than an absent field. */
function shortType(type: string, isRequired: boolean): string {
  const short = type.replace('string or number or boolean', 'value');
  return isRequired ? short : short.replace(/ or null$/, '').replace(/( or \w+)? or null$/, '$1');
}

const defaultOf = ({ default: value }: Schema) =>
  value === undefined ? [] : [`default ${JSON.stringify(value)}`];
const withColon = (text: string | undefined) => (text === undefined ? '' : `: ${ended(text)}`);
const ended = (text: string) => plain(/[.!?]$/.test(text) ? text : `${text}.`);
const item = (text: string, indent = '') => wrapLines(`${indent}- ${text}`, `${indent}  `);
