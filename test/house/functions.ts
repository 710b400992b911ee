/** Lengths of functions, from the first to the last line. */
import { parse, type AnyNode, type Node, type SourceLocation } from 'acorn';

export interface FunctionLength {
  readonly file: string;
  /** Number of its first line. */
  readonly line: number;
  readonly lines: number;
}

const FUNCTIONS: readonly string[] = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];

/**
 * Functions in the JavaScript of the build. The build replaces types by spaces, so line numbers equal those
 * of the source.
 */
export function functionsOf(file: string, code: string): readonly FunctionLength[] {
  const found: FunctionLength[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one);
    if (!isNode(value)) return;
    if (FUNCTIONS.includes(value.type) && value.loc) {
      const { start, end } = value.loc;
      found.push({ file, line: start.line, lines: end.line - start.line + 1 });
    }
    for (const part of Object.values(value)) if (typeof part === 'object') visit(part);
  };
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true }));
  return found;
}

export interface NamedFunction {
  /** Its own name, or that of the enclosing function. */
  readonly name: string;
  readonly body: SourceLocation;
}

/** Functions with their names, outer functions first. */
export function namedFunctions(code: string): readonly NamedFunction[] {
  const found: NamedFunction[] = [];
  const visit = (value: unknown, name: string): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, name);
    if (!isNode(value)) return;
    const own = nameIn(value) ?? name;
    if (FUNCTIONS.includes(value.type) && 'body' in value && isNode(value.body) && value.body.loc)
      found.push({ name: own, body: value.body.loc });
    for (const part of Object.values(value)) if (typeof part === 'object') visit(part, own);
  };
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true }), '');
  return found;
}

/**
 * The name of a function, a method, or a function constant. Nested functions use the name of the enclosing
 * one.
 */
function nameIn(node: AnyNode): string | undefined {
  if (node.type === 'FunctionDeclaration') return node.id?.name;
  if (node.type === 'MethodDefinition' || (node.type === 'Property' && node.method)) return keyName(node.key);
  if (node.type === 'PropertyDefinition' && node.value != null && FUNCTIONS.includes(node.value.type))
    return keyName(node.key);
  if (node.type !== 'VariableDeclarator' || node.id.type !== 'Identifier') return undefined;
  return node.init != null && FUNCTIONS.includes(node.init.type) ? node.id.name : undefined;
}

function keyName(key: AnyNode): string | undefined {
  if (key.type === 'PrivateIdentifier') return `#${key.name}`;
  return key.type === 'Identifier' ? key.name : undefined;
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof (value as Node).type === 'string';
