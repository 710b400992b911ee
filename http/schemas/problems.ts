/** Checks bodies and queries. Each problem names the place, the expected value and the given value. */
import { z } from 'zod';
import { parseBounded } from '../../actors/catalog/descriptors/bounded-parse.ts';
import { alternatives, pathText } from '../../actors/catalog/descriptors/fields.ts';

/** Problems that are told of one request. */
const MAX_LINES = 100;
/** Characters of a given text that are repeated. */
const MAX_QUOTED = 40;

export type Checked<T> = { readonly ok: T } | { readonly problems: string };

/** `whole`: what is processed. `problems`: a line each, such as `media[0].frameRanges[0].start: must be a whole number, 0 or more; it is missing`. */
export function checkShape<T>(
  schema: z.ZodType<T>,
  given: unknown,
  whole: 'body' | 'query' = 'body',
): Checked<T> {
  const outcome = parseBounded(schema, given, sentence);
  if ('data' in outcome) return { ok: outcome.data };
  const { issues, partly } = outcome;
  const lines = issues
    .slice(0, MAX_LINES)
    .map(({ path, message }) => `${pathText(path) || whole}: ${message}`);
  if (issues.length > lines.length) lines.push(`(and ${issues.length - lines.length} more)`);
  if (partly) lines.push(FIRST_ONLY);
  return { problems: lines.join('\n') };
}

const FIRST_ONLY = '(The body is large, so only the first problem is shown.)';

/** Where a schema has no words of its own. */
function sentence(issue: z.core.$ZodRawIssue): string | undefined {
  const { input } = issue;
  if (issue.code === 'invalid_type')
    return `must be ${kindOf(issue)}; it ${isWhat(input, SCALARS.has(issue.expected))}`;
  if (issue.code === 'invalid_value')
    return `must be ${alternatives(issue.values.map(String))}; it ${isWhat(input, true)}`;
  if (issue.code === 'too_small') return limitProblems('at least', issue.origin, issue.minimum, input);
  if (issue.code === 'too_big') return limitProblems('at most', issue.origin, issue.maximum, input);
  if (issue.code === 'unrecognized_keys') return `must not have ${issue.keys.map(quoteText).join(', ')}`;
  return undefined;
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const SCALARS: ReadonlySet<string> = new Set(['number', 'int', 'boolean']);

/** What should be there; of a number with its bounds. */
function kindOf({ expected, inst: schema }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string {
  if (!(schema instanceof z.ZodNumber)) return KINDS[expected] ?? expected;
  const kind = schema.isInt ? 'a whole number' : 'a number';
  const [least, most] = [schema.minValue, schema.maxValue].map(boundOf);
  if (least === undefined) return kind;
  return most === undefined ? `${kind}, ${least} or more` : `${kind} from ${least} to ${most}`;
}

/** Bounds that only say what a number can be are none. */
const boundOf = (bound: number | null) =>
  bound === null || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound;

function limitProblems(
  bound: 'at least' | 'at most',
  origin: string,
  limit: number | bigint,
  input: unknown,
): string {
  if (origin === 'number' || origin === 'int') return `must be ${bound} ${limit}; it ${isWhat(input, true)}`;
  if (bound === 'at least' && Number(limit) === 1) return 'must not be empty';
  const length = typeof input === 'string' || Array.isArray(input) ? `; it has ${input.length}` : '';
  return `must have ${bound} ${limit} ${origin === 'string' ? 'characters' : 'entries'}${length}`;
}

/** The value itself is told only where it can be no secret: a property that is no text may be a key. */
function isWhat(input: unknown, tellsValue: boolean): string {
  if (input === undefined) return 'is missing';
  if (input === null) return 'is null';
  if (Array.isArray(input)) return 'is a list';
  if (typeof input === 'object') return 'is an object';
  if (typeof input === 'string') return tellsValue ? `is the text ${quoteText(input)}` : 'is a text';
  return tellsValue ? `is ${JSON.stringify(input)}` : `is a ${typeof input}`;
}

/** In double quotes, without line breaks and other characters that would not show. */
function quoteText(text: string): string {
  return JSON.stringify(text.length <= MAX_QUOTED ? text : `${text.slice(0, MAX_QUOTED - 1)}…`);
}
