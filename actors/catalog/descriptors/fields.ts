import { z } from 'zod';
import { parseBounded } from './bounded-parse.ts';
import { canonicalName } from '../../../domain/values.ts';

/** Fields that component descriptors and the elements of the catalog share, with the messages for invalid values. */

/** Most characters of a name. */
const MAX_NAME = 256;
/** Most entries of one list: names, properties, states. */
const MAX_ENTRIES = 1_000;
const MAX_LINES = 100;

/** Returns the problem of a name. Names are part of URLs and of the store, so a name that no client could address is refused. */
function nameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'must not be blank';
  if (/[/;]/.test(name)) return 'must not contain "/" or ";"';
  if (/[\p{Cc}\p{Cs}]/u.test(name)) return 'must not contain control characters or halves of characters';
  if (/^\.{1,2}$/.test(name.trim())) return 'must not be "." or ".."';
  if (canonicalName(name).length > MAX_NAME) return `must have at most ${MAX_NAME} characters`;
  return undefined;
}

export const validName = z.string().superRefine((name, context) => {
  const message = nameProblem(name);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});
/** The name of an algorithm, action, task or pipeline: trimmed and in upper case. */
export const elementName = validName.transform(canonicalName);

export const trimmed = z.string().trim();
export const filled = trimmed.min(1);
/** A text that existing descriptors also write as a number or a boolean. */
export const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);
/** An optional field. null counts as absent, because many programs write null for it. */
export const maybe = <T extends z.ZodType>(schema: T) =>
  schema
    .nullish()
    .transform((value): z.output<T> | undefined => value ?? undefined)
    .optional();
export const listOf = <T extends z.ZodType>(entry: T) => z.array(entry).max(MAX_ENTRIES);
export const someOf = <T extends z.ZodType>(entry: T) => listOf(entry).min(1);

/** One of these words in any case. The result is in the case of `cased`. */
export const wordOf = <const T extends readonly [string, ...string[]]>(
  words: T,
  cased: 'upper' | 'lower' = 'upper',
) => (cased === 'upper' ? trimmed.toUpperCase() : trimmed.toLowerCase()).pipe(z.enum(words));

export type Parsed<T> = { readonly ok: T } | { readonly problems: string };

/** Parses a value. `problems` has one sorted line for each problem: `<path>: <problem>`. */
export function parseFields<T>(schema: z.ZodType<T>, value: unknown): Parsed<T> {
  const outcome = parseBounded(schema, value, sentence);
  if ('data' in outcome) return { ok: outcome.data };
  const lines = outcome.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${pathText(path)}: ${message}`,
  );
  const sorted = [...new Set(lines)].sort();
  if (sorted.length > MAX_LINES)
    sorted.splice(MAX_LINES, Infinity, `(and ${sorted.length - MAX_LINES} more)`);
  return { problems: sorted.join('\n') };
}

/** Formats a path: `algorithm.providesCollection.properties[0].type` */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i === 0 ? '' : '.'}${String(step)}`))
    .join('');
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  int: 'a whole number',
  array: 'a list',
  object: 'an object',
};

/** Returns the message for a problem, in the same words for every field. */
function sentence(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'custom' && (issue.input === undefined || issue.input === null))
    return 'must not be null';
  if (issue.code === 'invalid_type') return `must be ${KINDS[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_union') return 'must be a text';
  if (issue.code === 'invalid_value') return `must be ${alternatives(issue.values.map(String))}`;
  if (issue.code === 'too_small')
    return issue.origin === 'string' ? 'must not be blank' : 'must not be empty';
  if (issue.code === 'too_big')
    return `must have at most ${issue.maximum} ${issue.origin === 'string' ? 'characters' : 'entries'}`;
  return undefined;
}

export function alternatives(words: readonly string[]): string {
  if (words.length < 3) return words.join(' or ');
  return `${words.slice(0, -1).join(', ')}, or ${words.at(-1)}`;
}
