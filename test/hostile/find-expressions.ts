import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A regular expression in the code of the product. */
export interface Found {
  readonly file: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

/** Folders of the product's code. */
export const FOLDERS = [
  'actors',
  'cli',
  'client',
  'components',
  'config',
  'domain',
  'egress',
  'files',
  'evaluate',
  'http',
  'media',
  'processes',
  'protocol',
  'results',
  'search',
  'server',
  'store',
];

/** Every source file of the product. */
export function sourceFiles(): readonly string[] {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  return ['main.ts', ...inFolders].filter(
    (name) => /\.(ts|js|mjs)$/.test(name) && !/\.d\.ts$|\b(node_modules|dist)\//.test(name),
  );
}

/** All regular expression literals. */
export const expressions = (): readonly Found[] =>
  sourceFiles().flatMap((file) => expressionsIn(file, readFileSync(file, 'utf8')));

/** Tokens before a regular expression. After any other token, a slash is a division. */
const BEFORE =
  /(^|(^|[^\w)\]"])!|[([{=,:;&|?+\-*%~^<>}]|\b(return|typeof|case|in|of|yield|await|else|do|void|new))$/;

/** Scans a file from left to right and skips comments, strings and templates. */
export function expressionsIn(file: string, code: string): readonly Found[] {
  const found: Found[] = [];
  // Open templates, each with the brace depth of its current expression.
  const templates: number[] = [];
  let before = '';
  let at = code.startsWith('#!') ? code.indexOf('\n') : 0;
  const skip = (to: number) => (at = to === -1 ? code.length : to);
  while (at < code.length) {
    const two = code.slice(at, at + 2);
    const one = code.charAt(at);
    if (two === '//') skip(code.indexOf('\n', at));
    else if (two === '/*') skip(code.indexOf('*/', at + 2) + 2);
    else if (one === '"' || one === "'") {
      skip(endOfText(code, at));
      before = '"';
    } else if (one === '`' || (one === '}' && templates.at(-1) === 0)) {
      if (one === '}') templates.pop();
      const end = endOfTemplate(code, at + 1);
      if (code.charAt(end - 1) === '{') templates.push(0);
      before = code.charAt(end - 1) === '{' ? '{' : '"';
      at = end;
    } else if (one === '/' && BEFORE.test(before)) {
      const end = endOfExpression(code, at);
      const flags = /^[a-z]*/.exec(code.slice(end))?.[0] ?? '';
      found.push({
        file,
        line: code.slice(0, at).split('\n').length,
        source: code.slice(at + 1, end - 1),
        flags,
      });
      at = end + flags.length;
      before = '/x';
    } else {
      if (one === '{' && templates.length > 0) templates[templates.length - 1]!++;
      if (one === '}' && templates.length > 0) templates[templates.length - 1]!--;
      if (!/\s/.test(one)) before = (/\s/.test(code.charAt(at - 1)) ? ' ' : before.slice(-12)) + one;
      at++;
    }
  }
  return found;
}

function endOfText(code: string, start: number): number {
  let at = start + 1;
  while (at < code.length && code[at] !== code[start]) at += code[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** The position after the closing backtick, or after the opening brace of an expression. */
function endOfTemplate(code: string, start: number): number {
  for (let at = start; at < code.length; at++) {
    if (code[at] === '\\') at++;
    else if (code[at] === '`') return at + 1;
    else if (code.startsWith('${', at)) return at + 2;
  }
  return code.length;
}

function endOfExpression(code: string, start: number): number {
  let inClass = false;
  for (let at = start + 1; at < code.length; at++) {
    if (code[at] === '\\') at++;
    else if (code[at] === '[') inClass = true;
    else if (code[at] === ']') inClass = false;
    else if (code[at] === '/' && !inClass) return at + 1;
  }
  return code.length;
}
