/** Finds visible texts outside of the text catalogue of the page. */
import { parse, type AnyNode, type Node } from 'acorn';

/** Attributes and members with text for users. */
const READ = new Set([
  'title',
  'label',
  'placeholder',
  'alt',
  'aria-label',
  'ask',
  'button',
  'hint',
  'data-label',
]);
/** Attributes and members for programs. */
const UNREAD = new Set([
  ...[
    'class',
    'className',
    'key',
    'href',
    'd',
    'viewBox',
    'type',
    'id',
    'style',
    'role',
    'icon',
    'kind',
    'path',
    'headers',
  ],
  ...['transform', 'points', 'accept', 'src', 'pipeline', 'actions', 'algorithm', 'preserveAspectRatio'],
]);
const WORD = /[A-Za-z]{2}/;
/** Several words that are not all upper case, or a start like a sentence. */
const SENTENCE = /[A-Za-z%][.,:;?!)…]? +\(?[A-Za-z]{2}/;
const TITLE = /^[A-Z][a-z]+[.…:!]?$/;
/** Other values that look like text: keys, media queries, selectors, outlines, shell commands. */
const NO_TEXT = [
  /^(Escape|Enter|Tab|Delete|Backspace|Home|End|Shift|Esc|Blob|Troupe|TRUE|FALSE)$/,
  /^\((prefers|max-|min-)/,
  /\[type=|^button, |^colour-probe |^m\d/,
  /^\s*(curl -X|-H )/,
];

export interface VisibleText {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** `code`: JavaScript of the build, with the line numbers of the source. */
export function visibleTexts(file: string, code: string): readonly VisibleText[] {
  const found: VisibleText[] = [];
  const report = (node: Node, text: string) =>
    found.push({ file, line: node.loc?.start.line ?? 0, text: text.trim() });
  const visit = (value: unknown, name: string | undefined): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, name);
    if (!isNode(value)) return;
    const text = textOf(value);
    if (text !== undefined && isVisible(text, name)) report(value, text);
    for (const [part, inner] of partsOf(value)) visit(inner, part ?? name);
  };
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true }), undefined);
  return found;
}

function isVisible(text: string, name: string | undefined): boolean {
  if (!WORD.test(text) || NO_TEXT.some((one) => one.test(text))) return false;
  if (name !== undefined && (READ.has(name) || name === 'children')) return true;
  if (name !== undefined && UNREAD.has(name)) return false;
  return (SENTENCE.test(text) && /[a-z]{2}/.test(text)) || TITLE.test(text);
}

/** Of a template, only the literal text. A URL has no spaces next to its slashes. */
function textOf(node: AnyNode): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type !== 'TemplateLiteral') return undefined;
  const text = node.quasis.map(({ value }) => value.cooked ?? '').join(' x ');
  return node.quasis.some(({ value }) => /[A-Za-z]{2,} | [A-Za-z]{2,}/.test(value.raw)) && !text.includes('/')
    ? text
    : undefined;
}

type Parts = readonly (readonly [string | undefined, unknown])[];

/** Parts of a node that may be visible, each with the name under which it is passed on. */
function partsOf(node: AnyNode): Parts {
  if (node.type === 'ImportDeclaration') return [];
  if (node.type === 'ExportNamedDeclaration') return [[undefined, node.declaration]];
  if (node.type === 'Property') return [[keyOf(node.key), node.value]];
  if (node.type === 'SwitchCase') return [[undefined, node.consequent]];
  if (node.type === 'MemberExpression') return [['of a member', node.object]];
  if (node.type === 'BinaryExpression' && /^[!=]=|^in$/.test(node.operator)) return [];
  if (node.type === 'CallExpression')
    return [
      ['callee', node.callee],
      // The called function determines its arguments: the tag of an element, or the name of an event.
      ...node.arguments.map((one, n) => [n === 0 && isTag(one) ? 'type' : 'argument', one] as const),
    ];
  if (node.type === 'ConditionalExpression')
    return [
      ['condition', node.test],
      [undefined, node.consequent],
      [undefined, node.alternate],
    ];
  return Object.values(node as object)
    .filter((one) => typeof one === 'object')
    .map((one) => [undefined, one] as const);
}

const isTag = (node: AnyNode) => node.type === 'Literal' && /^[a-z]+$/.test(String(node.value));

const keyOf = (key: AnyNode): string =>
  key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : '';

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
