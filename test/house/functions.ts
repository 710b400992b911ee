/** The lengths of functions, in lines from the first to the last. */
import { parse, type AnyNode, type Node } from 'acorn';

export interface FunctionLength {
  readonly file: string;
  /** Of its first line. */
  readonly line: number;
  readonly lines: number;
}

const FUNCTIONS: readonly string[] = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];

/** The functions of JavaScript, as the build writes it: types become blanks, so the lines are those of the source. */
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

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof (value as Node).type === 'string';
