/** Validates bodies and queries. Each problem names the place, the expected value and the given value. */
import { z } from 'zod';
import { parseBounded } from '../../actors/catalog/descriptors/bounded-parse.ts';
import { alternatives, pathText } from '../../actors/catalog/descriptors/fields.ts';

/** Maximum number of problems reported for one request. */
const MAX_LINES = 100;
/** Maximum number of characters quoted from a given text. */
const MAX_QUOTED = 40;

export type Checked<T> = { readonly ok: T } | { readonly problems: string };

/**
 * Validates a value. `whole`: name of the value. `problems`: a line each, such as `media[0].frameRanges[0].start: must be a whole number, 0
 * or more; it is missing`.
 */
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

/** Returns the message for a problem if the schema has none of its own. */
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

/** Returns the expected kind of value, for a number with its bounds. */
function kindOf({ expected, inst: schema }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string {
  if (!(schema instanceof z.ZodNumber)) return KINDS[expected] ?? expected;
  const kind = schema.isInt ? 'a whole number' : 'a number';
  const [least, most] = [schema.minValue, schema.maxValue].map(boundOf);
  if (least === undefined) return kind;
  return most === undefined ? `${kind}, ${least} or more` : `${kind} from ${least} to ${most}`;
}

/** Returns undefined for bounds that only repeat the range of JavaScript numbers. */
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

/** Describes the given value. The value itself is shown only if it cannot be a secret. A property that is no text may be a key. */
function isWhat(input: unknown, tellsValue: boolean): string {
  if (input === undefined) return 'is missing';
  if (input === null) return 'is null';
  if (Array.isArray(input)) return 'is a list';
  if (typeof input === 'object') return 'is an object';
  if (typeof input === 'string') return tellsValue ? `is the text ${quoteText(input)}` : 'is a text';
  return tellsValue ? `is ${JSON.stringify(input)}` : `is a ${typeof input}`;
}

/** Quotes a text, without line breaks and other invisible characters. */
function quoteText(text: string): string {
  return JSON.stringify(text.length <= MAX_QUOTED ? text : `${text.slice(0, MAX_QUOTED - 1)}…`);
}
