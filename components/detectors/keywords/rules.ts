/**
 * Rules for tags in a tagging file: {"TAG": {"keywords": ["text"], "patterns": ["regular expression"]}}. Keywords are one or more whole
 * words, case-insensitive. Patterns have the syntax of RE2, which always matches in linear time. They are case-insensitive unless they
 * begin with (?-i).
 */
import { RE2JS } from 're2js';

export interface TagRules {
  readonly tag: string;
  readonly patterns: readonly RE2JS[];
  readonly keywords: readonly (readonly string[])[];
}

/** Error in a tagging file, as a sentence. */
export class TagRulesError extends Error {
  override readonly name = 'TagRulesError';
}

const MAX_TAGS = 1_000;
/** Maximum number of keywords and patterns in a file, and maximum length of a pattern. */
const MAX_RULES = 20_000;
const MAX_PATTERN_LENGTH = 1_000;

/** Parses the rules. Throws TagRulesError. */
export function parseTagRules(text: string): readonly TagRules[] {
  const file = readJson(text);
  if (!isObject(file)) throw new TagRulesError('It must be a JSON object with an entry for each tag.');
  const entries = Object.entries(file);
  if (entries.length > MAX_TAGS) throw new TagRulesError(`It has more than ${MAX_TAGS} tags.`);
  const rules = entries.map(([tag, value]) => readTag(tag.trim(), value));
  const count = rules.reduce((sum, { patterns, keywords }) => sum + patterns.length + keywords.length, 0);
  if (count > MAX_RULES) throw new TagRulesError(`It has more than ${MAX_RULES} keywords and patterns.`);
  return rules;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
  } catch (error) {
    throw new TagRulesError(`It is not JSON: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

function readTag(tag: string, value: unknown): TagRules {
  if (tag === '' || tag.includes(';'))
    throw new TagRulesError(`"${tag}" cannot be a tag: it must have a name without semicolons.`);
  const { keywords = [], patterns = [] } = isObject(value) ? value : { patterns: null };
  if (!isTexts(keywords) || !isTexts(patterns))
    throw new TagRulesError(
      `The tag "${tag}" must be an object with lists of texts, "keywords" and "patterns"; either may be left out.`,
    );
  return {
    tag,
    patterns: patterns.map((pattern) => readPattern(tag, pattern)),
    keywords: keywords.map((keyword) => readKeyword(tag, keyword)),
  };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

function readKeyword(tag: string, keyword: string): readonly string[] {
  const words = wordsOf(keyword).map(({ word }) => word);
  if (words.length === 0)
    throw new TagRulesError(`The keyword "${keyword}" of the tag "${tag}" has no letter and no digit.`);
  return words;
}

function readPattern(tag: string, pattern: string): RE2JS {
  const what = `The pattern "${pattern.slice(0, 100)}" of the tag "${tag}"`;
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw new TagRulesError(`${what} has more than ${MAX_PATTERN_LENGTH} characters.`);
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    throw new TagRulesError(
      `${what} is not a regular expression of RE2: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
  if (compiled.test('')) throw new TagRulesError(`${what} matches the empty text.`);
  return compiled;
}

export interface Word {
  /** The word in lower case. */
  readonly word: string;
  /** First character and the one after the last, as JavaScript indexes. */
  readonly start: number;
  readonly end: number;
}

/** Returns the sequences of letters and digits. */
export function wordsOf(text: string): readonly Word[] {
  return Array.from(text.matchAll(/[\p{L}\p{M}\p{N}]+/gu), ({ 0: word, index }) => ({
    word: word.toLowerCase(),
    start: index,
    end: index + word.length,
  }));
}
