/**
 * Rules for names: a function name contains a verb, not only a participle, and file names use standard terms.
 */
import path from 'node:path';
import { parse, type AnyNode, type Node } from 'acorn';

export interface NamedFunction {
  readonly file: string;
  readonly line: number;
  readonly name: string;
}

/** Irregular past forms and participles. */
const IRREGULAR = new Set(
  `became been begun bent bitten bound bought brought broke broken built burnt came caught chosen come cut dealt did died
  done drawn driven fallen fed felt fought found forbidden forgotten frozen given gone got grown heard held hidden hung kept known
  laid led left lent lit lost lying made meant met mistaken owed overtaken paid proven rewritten ridden risen said sent shaken shot
  shown shrunk sought spent spoken stolen stood struck stuck swept sworn taken taught thrown told torn understood undone unfed unread
  unseen withdrawn won worn woven written`.split(/\s+/),
);
/** Words that end like a participle but are verbs or nouns. */
const NO_PARTICIPLES = new Set(
  `embed exceed feed heed need proceed read seed shed speed spread succeed cut
  anything bring building contributing drawing everything grouping heading listing mapping meeting nothing padding ping ring sampling setting something spring string thing tracking
  training tuning viewing warning timing`.split(/\s+/),
);
/** Names in the SDK contract of detectors, and common callback names of Node.js. */
const CONTRACT = new Set(['fed', 'seen', 'ended', 'heard', 'working', 'done']);

/** Words of this project, with the standard term for each. */
const FILE_WORDS: Readonly<Record<string, string>> = {
  burst: 'arrival-rate',
  decided: 'finished',
  duties: 'locks',
  holds: 'locks',
  kept: 'stored, or cache',
  nobody: 'the role of the user',
  outside: 'external',
  owed: 'pending',
  strays: 'leftover',
  taken: 'accepted',
  told: 'reported',
  trouble: 'problem, or monitor',
  waiters: 'pending',
};

export function isParticiple(name: string): boolean {
  if (!/^[a-z]+$/.test(name) || NO_PARTICIPLES.has(name) || CONTRACT.has(name)) return false;
  return IRREGULAR.has(name) || /..(?:ed|ing)$/.test(name);
}

/**
 * Top-level functions and methods in the JavaScript of the build, whose line numbers equal those of the
 * source.
 */
export function namedFunctions(file: string, code: string): readonly NamedFunction[] {
  const all: NamedFunction[] = [];
  const add = (key: AnyNode | null | undefined): void => {
    if ((key?.type !== 'Identifier' && key?.type !== 'PrivateIdentifier') || !key.loc) return;
    all.push({ file, line: key.loc.start.line, name: key.name });
  };
  const { body } = parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true });
  for (const statement of body) {
    const one =
      statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration'
        ? statement.declaration
        : statement;
    if (one?.type === 'FunctionDeclaration') add(one.id);
    if (one?.type === 'VariableDeclaration')
      for (const { id, init } of one.declarations) if (isFunction(init)) add(id);
  }
  visitMethods(body, add);
  return all;
}

function visitMethods(value: unknown, add: (key: AnyNode) => void): void {
  if (Array.isArray(value)) for (const one of value) visitMethods(one, add);
  if (!isNode(value)) return;
  if (value.type === 'MethodDefinition' && value.kind === 'method' && !value.computed) add(value.key);
  if (value.type === 'PropertyDefinition' && !value.computed && isFunction(value.value)) add(value.key);
  if (value.type === 'Property' && value.method && !value.computed) add(value.key);
  for (const part of Object.values(value)) if (typeof part === 'object') visitMethods(part, add);
}

const isFunction = (value: AnyNode | null | undefined): boolean =>
  value?.type === 'ArrowFunctionExpression' || value?.type === 'FunctionExpression';

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof (value as Node).type === 'string';

/** The problem with a function name, or undefined. */
export function objectionToFunction({ file, line, name }: NamedFunction): string | undefined {
  if (!isParticiple(name)) return undefined;
  return `${file}:${line}: the function ${name} is named by a participle alone. Name it by a verb and its object, such as acceptAnswer, or onChange for a callback.`;
}

/** The problem with a file name, or undefined. */
export function objectionToFile(file: string): string | undefined {
  const name = path.posix.basename(file).replace(/\..*$/, '');
  if (isParticiple(name))
    return `${file}: the file is named by a participle alone. Name it by what it holds, such as finished-jobs.ts.`;
  const word = name.split('-').find((one) => Object.hasOwn(FILE_WORDS, one));
  return word === undefined
    ? undefined
    : `${file}: "${word}" is a word of our own. Name the file by the field's word (${FILE_WORDS[word]}), such as lease-store.ts.`;
}
