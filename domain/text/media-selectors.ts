/** Media selectors: they select strings of a JSON document for processing, and the results replace them (specification 2.1). */
import {
  JsonPathError,
  MAX_DEPTH,
  compileJsonPath,
  isContainer,
  type Places,
  type Root,
} from './json-path.ts';
import { replaceStrings } from './json-text.ts';
import type { MediaSelector } from '../types.ts';
import { canonicalName, isBlank } from '../values.ts';

/** Maximum number of selectors of one medium. */
export const MAX_SELECTORS = 100;
/** Maximum number of distinct selectors of all media of a job. Each is compiled at job creation. */
const MAX_EXPRESSIONS = 500;

interface Refused {
  readonly refused: string;
}

/** The selectors of a medium in a request. Their types are not checked yet. */
export interface SelectingMedium {
  readonly mediaSelectors?: readonly RequestedSelector[] | undefined;
  readonly mediaSelectorsOutputAction?: string | undefined;
}
interface RequestedSelector {
  readonly type: string;
  readonly expression: string;
  readonly resultDetectionProperty: string;
}

/** Checks the selectors of the media of a job with these actions. Repeated expressions are checked once. */
export class SelectorCheck {
  readonly #names: readonly string[];
  readonly #known = new Set<string>();

  constructor(actions: readonly { readonly name: string }[]) {
    this.#names = actions.map(({ name }) => canonicalName(name));
  }

  /** Yields why the selectors of a medium are refused, or null, after each step, because each step takes a while. */
  *refusals(medium: SelectingMedium): Generator<string | null> {
    const { mediaSelectors = [] } = medium;
    yield this.#refusedMedium(medium);
    for (const selector of mediaSelectors) yield this.#refusedSelector(selector);
  }

  #refusedMedium({
    mediaSelectors = [],
    mediaSelectorsOutputAction: output,
  }: SelectingMedium): string | null {
    // An action without selectors has no effect. jobNotes reports it.
    if (mediaSelectors.length === 0) return null;
    if (output === undefined || isBlank(output))
      return 'A medium with "mediaSelectors" must also have "mediaSelectorsOutputAction": the name of the action whose output goes into the selectors output document.';
    if (!this.#names.includes(canonicalName(output)))
      return `"mediaSelectorsOutputAction" is "${output}", which is not an action of the pipeline. Its actions are: ${this.#names.join(', ')}.`;
    return mediaSelectors.length > MAX_SELECTORS
      ? `A medium may have at most ${MAX_SELECTORS} media selectors, but this one has ${mediaSelectors.length}. Let one expression select more.`
      : null;
  }

  #refusedSelector(selector: RequestedSelector): string | null {
    const key = JSON.stringify([
      selector.type,
      selector.expression,
      isBlank(selector.resultDetectionProperty),
    ]);
    if (this.#known.has(key)) return null;
    if (this.#known.size >= MAX_EXPRESSIONS)
      return `The media of the job have more than ${MAX_EXPRESSIONS} different media selectors. Let one expression select more, or make several jobs.`;
    this.#known.add(key);
    return refusedSelector(selector);
  }
}

/** Only one type exists, so all selectors of a medium have the same type. */
function refusedSelector({ type, expression, resultDetectionProperty }: RequestedSelector): string | null {
  if (type !== 'JSON_PATH') return `The media selector type "${type}" is not supported; use "JSON_PATH".`;
  if (isBlank(resultDetectionProperty))
    return `The media selector "${expression}" must name a property in "resultDetectionProperty".`;
  return orRefused(() => void compileJsonPath(expression))?.refused ?? null;
}

/**
 * The distinct strings that a selector selects, in document order (as in the result of JSON.parse): single strings, and those in selected
 * arrays and objects. Numbers and booleans are ignored, and keys count only with keys().
 */
export function selectStrings(document: unknown, selector: MediaSelector): readonly string[] | Refused {
  return orRefused(() => {
    const root = rootOf(document);
    const places = compileJsonPath(selector.expression).places(root);
    return [...new Set(stringsAt(root, places, false))];
  });
}

/** The results of one selector: the outputs for each selected string. */
export interface Selection {
  readonly selector: MediaSelector;
  readonly outputs: ReadonlyMap<string, readonly string[]>;
}

const DUPLICATE_POLICIES = ['LONGEST', 'ERROR', 'JOIN'] as const;
/** The rule if one string has several outputs. */
export type DuplicatePolicy = (typeof DUPLICATE_POLICIES)[number];

/** MEDIA_SELECTORS_DUPLICATE_POLICY, case-insensitive. LONGEST if it is unknown. */
export function duplicatePolicy(value: string | undefined): DuplicatePolicy {
  const name = canonicalName(value ?? '');
  return DUPLICATE_POLICIES.find((policy) => policy === name) ?? 'LONGEST';
}

/** If `delimiter` is set, the string stays, followed by the delimiter and the output. */
export interface FillRules {
  readonly delimiter?: string | undefined;
  readonly duplicatePolicy: DuplicatePolicy;
}

/**
 * The text of a document with selected strings replaced by their outputs. If several selectors select a string, the first with an output
 * applies. The rest stays unchanged: keys, strings without an output, large numbers and layout.
 */
export function fillText(
  text: string,
  selections: readonly Selection[],
  rules: FillRules,
): { readonly text: string } | Refused {
  return orRefused(() => {
    const root = rootOf(JSON.parse(text));
    const fillings = selections.map(({ selector, outputs }) => ({
      places: withAllWithin(compileJsonPath(selector.expression).places(root)),
      outputs: new Map([...outputs].flatMap(([string, found]) => outputOf(string, found, rules))),
    }));
    const filled = replaceStrings(text, root, (value, holder, key) => {
      const filling = fillings.find((one) => isPlace(one.places, holder, key) && one.outputs.has(value));
      return filling?.outputs.get(value) ?? value;
    });
    return { text: filled };
  });
}

const isPlace = ({ whole, strings }: Places, holder: unknown, key: string): boolean =>
  isContainer(holder) && (whole.has(holder) || strings.get(holder)?.has(key) === true);

/** Adds the arrays and objects inside those that are selected as a whole. */
function withAllWithin(places: Places): Places {
  const whole = new Set<object>();
  const add = (container: object): void => {
    if (whole.has(container)) return;
    whole.add(container);
    for (const child of Object.values(container)) if (isContainer(child)) add(child);
  };
  for (const container of places.whole) add(container);
  return { ...places, whole };
}

/** The output of a string. Blank outputs are ignored, and equal ones count once. */
function outputOf(
  text: string,
  found: readonly string[],
  { delimiter = '', duplicatePolicy: policy }: FillRules,
): readonly (readonly [string, string])[] {
  const outputs = [...new Set(found.filter((output) => !isBlank(output)))];
  const [first] = outputs;
  if (first === undefined) return [];
  if (outputs.length > 1 && policy === 'ERROR')
    throw new JsonPathError(
      `The selected text "${text.slice(0, 100)}" has ${outputs.length} outputs, and MEDIA_SELECTORS_DUPLICATE_POLICY is ERROR. Set it to LONGEST or JOIN to take them.`,
    );
  const output =
    policy === 'JOIN' ? outputs.join(' | ') : outputs.reduce((a, b) => (b.length > a.length ? b : a));
  return [[text, delimiter === '' ? output : `${text}${delimiter}${output}`]];
}

function rootOf(document: unknown): Root {
  const root = { $: document };
  refuseDepth(root, 0);
  return root;
}

function refuseDepth(value: object, depth: number): void {
  if (depth > MAX_DEPTH)
    throw new JsonPathError(
      `The document has arrays and objects nested deeper than ${MAX_DEPTH} levels; media selectors cannot be used on it.`,
    );
  for (const child of Object.values(value)) if (isContainer(child)) refuseDepth(child, depth + 1);
}

/** Selected strings in document order. `within`: true if a surrounding array or object was selected. */
function* stringsAt(holder: object, places: Places, within: boolean): Generator<string> {
  const all = within || places.whole.has(holder);
  const some = places.strings.get(holder);
  if (places.keysOf.has(holder)) yield* Object.keys(holder);
  for (const [key, value] of Object.entries(holder) as [string, unknown][]) {
    if (isContainer(value)) yield* stringsAt(value, places, all);
    else if (typeof value === 'string' && (all || some?.has(key) === true)) yield value;
  }
}

function orRefused<T>(work: () => T): T | Refused {
  try {
    return work();
  } catch (error) {
    if (error instanceof JsonPathError) return { refused: error.message };
    throw error;
  }
}
