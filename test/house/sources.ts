/** The source files of the product, and what they import. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { importsOf, type Import } from '../support/imports.ts';
import { FOLDERS } from './rooms.ts';

const SOURCE = /\.(ts|tsx|mjs|js)$/;

/** Source files below a folder, relative to the root of the project. */
export const filesBelow = (folder: string, pattern = SOURCE): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name) && !/(^|[/\\])(node_modules|dist)[/\\]/.test(name))
    .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/')));

export const sourceFiles = (): readonly string[] => [
  'main.ts',
  ...FOLDERS.flatMap((folder) => filesBelow(folder)),
];

export interface Sources {
  /** Text by path. */
  readonly texts: ReadonlyMap<string, string>;
  readonly imports: readonly Import[];
}

export function readSources(): Sources {
  const texts = new Map(sourceFiles().map((file) => [file, readFileSync(file, 'utf8')]));
  return { texts, imports: [...texts].flatMap(([file, text]) => importsOf(file, text)) };
}
