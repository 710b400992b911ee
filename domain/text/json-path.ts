/**
 * JSONPath (RFC 9535) for untrusted documents and expressions. The result of an expression is a list of places in a document. Nested
 * filters and regular expressions have a limited cost. Three suffixes extend the standard: `.first()`, `.last()` and `.keys()`.
 */
import {
  FunctionExpressionType,
  JSONPathEnvironment,
  JSONPathNode,
  JSONPathNodeList,
  JSONPathQuery,
  jsonpath,
  type FilterFunction,
  type JSONValue,
} from 'json-p3';
import { RE2JS } from 're2js';
import { patternSize } from './pattern-size.ts';

/** Maximum number of characters of an expression. */
export const MAX_EXPRESSION_LENGTH = 1_000;
/**
 * Maximum size of a pattern for match() and search(), with repeated parts counted each time. Larger ones are slow to compile and to match.
 */
export const MAX_PATTERN_SIZE = 500;
/** Maximum nesting of arrays and objects in a processed document. */
export const MAX_DEPTH = 200;
/** Maximum number of values that an expression may visit, with repetitions. It takes some seconds. */
export const MAX_STEPS = 10_000_000;

/** An array or an object. */
type Container = object;

/** The document inside an object, so that a document that is a plain string has a place, too. */
export interface Root {
  readonly $: unknown;
}

/** The selected places of a document. */
export interface Places {
  /** Arrays and objects of which all strings are selected. */
  readonly whole: ReadonlySet<Container>;
  /** Selected strings: keys (or indexes) by the array or object that contains them. */
  readonly strings: ReadonlyMap<Container, ReadonlySet<string>>;
  /** Objects of which the keys are selected. */
  readonly keysOf: ReadonlySet<Container>;
}

export interface JsonPath {
  /** @throws JsonPathError if it takes too many steps */
  places(root: Root): Places;
}

/** Its message is a sentence for the user. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}

const ENDINGS = /\.(first|last|keys)\(\)$/;
const REGEX_FUNCTIONS = ['match', 'search'];

/** @throws JsonPathError that says what is wrong with the expression */
export function compileJsonPath(expression: string): JsonPath {
  const text = expression.trim();
  const what = `The JSONPath expression "${showText(text)}"`;
  if (text.length > MAX_EXPRESSION_LENGTH)
    throw new JsonPathError(
      `${what} has ${text.length} characters; at most ${MAX_EXPRESSION_LENGTH} are read. Write it shorter, or use several selectors.`,
    );
  const ending = ENDINGS.exec(text)?.[1];
  const path = text.replace(ENDINGS, '') + (ending === 'first' ? '[0]' : ending === 'last' ? '[-1]' : '');
  const meter = new Meter(what);
  const query = compilePath(path, meter, what);
  return { places: (root) => placesOf(query, root, ending === 'keys', meter) };
}

const showText = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}...` : text);

function compilePath(path: string, meter: Meter, what: string): JSONPathQuery {
  try {
    const environment = new JSONPathEnvironment({ maxRecursionDepth: MAX_DEPTH + 2 });
    environment.functionRegister.set('match', regexFunction('match', meter));
    environment.functionRegister.set('search', regexFunction('search', meter));
    const query = environment.compile(path);
    prepare(query, meter);
    return query;
  } catch (error) {
    if (error instanceof JsonPathError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new JsonPathError(
      `${what} cannot be read: ${reason}. Write it as RFC 9535 says, for example $.messages[*].text or $['a-b'].`,
    );
  }
}

/** Counts the values that an expression visits. */
class Meter {
  private steps = 0;
  private readonly what: string;
  constructor(what: string) {
    this.what = what;
  }
  restart(): void {
    this.steps = 0;
  }
  add(steps: number): void {
    this.steps += steps;
    if (this.steps > MAX_STEPS)
      throw new JsonPathError(
        `${this.what} looks at more than ${MAX_STEPS.toLocaleString('en')} values of this document. Select less, or name the way instead of searching it with "..".`,
      );
  }
}

/** Maximum number of cached patterns. A document may contain as many patterns as values. */
const MAX_KNOWN_PATTERNS = 100;

/** The time of RE2 is proportional to the length of the text, whatever the pattern. */
function regexFunction(name: string, meter: Meter): FilterFunction {
  const known = new Map<string, RE2JS | null>();
  return {
    argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
    returnType: FunctionExpressionType.LogicalType,
    call(text: unknown, pattern: unknown): boolean {
      if (typeof text !== 'string' || typeof pattern !== 'string') return false;
      if (!known.has(pattern)) {
        if (known.size >= MAX_KNOWN_PATTERNS) known.clear();
        known.set(pattern, compiledRegex(pattern));
        meter.add(pattern.length);
      }
      const regex = known.get(pattern) ?? null;
      const size = regex === null ? 0 : patternSize(pattern);
      meter.add(1 + Math.ceil((text.length * (1 + size)) / 16));
      return regex !== null && (name === 'match' ? regex.testExact(text) : regex.test(text));
    },
  };
}

/** Null if the pattern is invalid, or uses look-behind or look-ahead, which RE2 does not support. It then matches nothing. */
function compiledRegex(pattern: string): RE2JS | null {
  if (pattern.length > MAX_EXPRESSION_LENGTH || patternSize(pattern) > MAX_PATTERN_SIZE) return null;
  try {
    return RE2JS.compile(pattern);
  } catch {
    return null;
  }
}

/** Makes every selector of the expression count its steps, including those in filters. Refuses patterns that can never match. */
function prepare(part: unknown, meter: Meter): void {
  if (typeof part !== 'object' || part === null || part instanceof JSONPathEnvironment) return;
  for (const within of Object.values(part)) prepare(within, meter);
  if (part instanceof jsonpath.JSONPathSelector) count(part, meter);
  // The library spreads result lists into arguments, which fails for long lists. This adds the results one by one.
  if (part instanceof JSONPathQuery) part.query = (value) => new JSONPathNodeList([...part.lazyQuery(value)]);
  if (!(part instanceof jsonpath.expressions.FunctionExtension) || !REGEX_FUNCTIONS.includes(part.name))
    return;
  const pattern = part.args[1];
  if (!(pattern instanceof jsonpath.expressions.StringLiteral)) return;
  if (patternSize(pattern.value) > MAX_PATTERN_SIZE)
    throw new JsonPathError(
      `The pattern "${showText(pattern.value)}" of ${part.name}() is too large with all its repetitions: at most ${MAX_PATTERN_SIZE} parts are matched. Repeat less.`,
    );
  if (compiledRegex(pattern.value) === null)
    throw new JsonPathError(
      `The pattern "${showText(pattern.value)}" of ${part.name}() is no regular expression of RFC 9485. Correct it; it cannot look ahead or back.`,
    );
}

function count(selector: jsonpath.JSONPathSelector, meter: Meter): void {
  const single =
    selector instanceof jsonpath.selectors.NameSelector ||
    selector instanceof jsonpath.selectors.IndexSelector;
  const resolve = selector.resolve.bind(selector);
  const meterNode = (node: JSONPathNode): JSONPathNode[] => {
    // The library copies the path of each value that it finds. For deep values, copying is most of the work.
    const way = 1 + (node.location.length >> 4);
    meter.add(way * (single ? 1 : 1 + childCount(node.value)));
    return resolve(node);
  };
  selector.resolve = meterNode;
  selector.lazyResolve = function* (node) {
    yield* meterNode(node);
  };
}

const childCount = (value: unknown) =>
  Array.isArray(value) ? value.length : isContainer(value) ? Object.keys(value).length : 0;

export const isContainer = (value: unknown): value is Container =>
  typeof value === 'object' && value !== null;

function placesOf(query: JSONPathQuery, root: Root, keys: boolean, meter: Meter): Places {
  meter.restart();
  const whole = new Set<Container>();
  const strings = new Map<Container, Set<string>>();
  for (const { value, location } of selectNodes(query, root)) {
    if (isContainer(value)) whole.add(value);
    else if (typeof value === 'string') note(strings, root, location);
  }
  return keys
    ? {
        whole: new Set(),
        strings: new Map(),
        keysOf: new Set([...whole].filter((one) => !Array.isArray(one))),
      }
    : { whole, strings, keysOf: new Set() };
}

function note(
  strings: Map<Container, Set<string>>,
  root: Root,
  location: readonly (string | number)[],
): void {
  let holder: unknown = root;
  for (const step of location.slice(0, -1))
    holder = (holder as Readonly<Record<string | number, unknown>>)[step];
  const key = location.at(-1);
  if (!isContainer(holder) || key === undefined) return;
  strings.set(holder, (strings.get(holder) ?? new Set()).add(String(key)));
}

/** Evaluates segment by segment. An array or object that is reached several times is processed once, because its strings count once. */
function* selectNodes(query: JSONPathQuery, root: Root): Generator<JSONPathNode> {
  const document = root.$ as JSONValue;
  let nodes: readonly JSONPathNode[] = [new JSONPathNode(document, ['$'], document)];
  const last = query.segments.at(-1);
  if (last === undefined) return yield* nodes;
  for (const segment of query.segments.slice(0, -1)) nodes = reachNodes(segment, nodes);
  yield* last.lazyResolve(nodes);
}

function reachNodes(
  segment: jsonpath.JSONPathSegment,
  nodes: readonly JSONPathNode[],
): readonly JSONPathNode[] {
  const seen = new Map<Container, JSONPathNode>();
  for (const node of segment.lazyResolve(nodes))
    if (isContainer(node.value) && !seen.has(node.value)) seen.set(node.value, node);
  return [...seen.values()];
}
