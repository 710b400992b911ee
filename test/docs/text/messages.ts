/**
 * `npm run docs:messages`: prints every text of the code that users or newcomers read, as FILE:LINE: TEXT.
 * These are messages, log lines, output of the tool, texts of the page, descriptions in OpenAPI, settings and
 * properties, and the comments of files and exported functions. `--json` prints the same for `npm run
 * docs:check`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse, type AnyNode, type Comment, type Node } from 'acorn';
import { filesBelow, sourceFiles } from '../../house/sources.ts';

export interface Text {
  readonly file: string;
  readonly line: number;
  readonly kind: 'message' | 'comment';
  /** Values inserted at run time are shown as `…`. */
  readonly text: string;
}

/** Placeholder of a value in a message. */
const VALUE = '…';
/** A message contains words, unlike a name, an address or a pattern. */
const IS_MESSAGE = /(?:^|[\s"'(])[A-Za-z]?[a-z]+[,:;]? [a-z]+(?:[,:;]? |[.?!…]|$)/;
/** A style sheet begins with a selector. */
const IS_STYLE = /^\s*[:*.]?[\w-]+ \{ /;
const IS_SQL =
  /^\s*(?:create (?:temp )?table|with recursive|insert into|delete from|pragma|select\b.*\bfrom|update \w+ set)\b/is;

/**
 * The texts in the JavaScript of the build. The build replaces types by spaces, so line numbers equal those
 * of the source.
 */
export function textsOf(file: string, code: string): readonly Text[] {
  const comments: Comment[] = [];
  const tree = parse(code, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
    onComment: comments,
  });
  const messages: Text[] = [];
  visit(tree, (node, text) => {
    if (IS_MESSAGE.test(text) && !IS_SQL.test(text) && !IS_STYLE.test(text))
      messages.push({ file, line: node.loc?.start.line ?? 1, kind: 'message', text });
  });
  return [...commentsOf(file, code, comments), ...messages];
}

/** The comment at the start of a file, and those of its exports. */
function commentsOf(file: string, code: string, comments: readonly Comment[]): readonly Text[] {
  return comments.flatMap(({ type, value, start, end, loc }) => {
    const isHeader = code.slice(0, start).trim() === '';
    if (type !== 'Block' || !(isHeader || /^\s*export\b/.test(code.slice(end)))) return [];
    const text = value.replaceAll(/^\s*\*+ ?/gm, '').trim();
    return [{ file, line: loc?.start.line ?? 1, kind: 'comment' as const, text }];
  });
}

function visit(value: unknown, onText: (node: Node, text: string) => void): void {
  if (Array.isArray(value)) for (const one of value) visit(one, onText);
  if (!isNode(value) || value.type.startsWith('Import')) return;
  const text = textOf(value);
  if (text !== undefined) onText(value, text);
  // Parts of a concatenated text are not listed separately, but the values in it may contain texts.
  for (const part of text === undefined ? Object.values(value) : valuesIn(value))
    if (typeof part === 'object') visit(part, onText);
}

function textOf(node: AnyNode): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked ?? '').join(VALUE);
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  if (left === undefined && right === undefined) return undefined;
  return `${left ?? VALUE}${right ?? VALUE}`;
}

function valuesIn(node: AnyNode): readonly unknown[] {
  if (node.type === 'TemplateLiteral') return node.expressions;
  if (node.type !== 'BinaryExpression') return [];
  return [node.left, node.right].flatMap((side) => (textOf(side) === undefined ? [side] : valuesIn(side)));
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** Descriptions in component descriptors. */
function describedIn(file: string): readonly Text[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, i) => {
      const found = /"description": ("(?:[^"\\]|\\.)*")/.exec(line)?.[1];
      if (found === undefined) return [];
      return [{ file, line: i + 1, kind: 'message' as const, text: JSON.parse(found) as string }];
    });
}

/** Every text of the product, by file and line. */
export function allTexts(): readonly Text[] {
  const compiled = sourceFiles().flatMap((file) => {
    const built = `dist/${file.replace(/\.tsx?$/, '.js')}`;
    if (!existsSync(built)) return [];
    const texts = textsOf(file, readFileSync(built, 'utf8'));
    return file.endsWith('.tsx') ? withSourceLines(texts, readFileSync(file, 'utf8')) : texts;
  });
  return [...compiled, ...filesBelow('components', /descriptor\.json$/).flatMap(describedIn)];
}

/** JSX has other lines in the build, so its texts are located in the source. */
function withSourceLines(texts: readonly Text[], source: string): readonly Text[] {
  return texts.map((text) => {
    const at = source.indexOf(text.text.split(VALUE)[0]!.slice(0, 30));
    return at === -1 ? text : { ...text, line: source.slice(0, at).split('\n').length };
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const texts = allTexts();
  const lines = texts.map(({ file, line, text }) => `${file}:${line}: ${text.replaceAll(/\s+/g, ' ')}`);
  process.stdout.write(process.argv.includes('--json') ? JSON.stringify(texts) : `${lines.join('\n')}\n`);
}
