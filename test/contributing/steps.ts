/** Applies the steps of a README to a copy of the sources, like an author would. */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Paths without source files of the product. */
const LEFT_OUT = /^(\.|node_modules|dist|samples|docs|deploy|test|templates|data|coverage)|\.onnx$/;

/** Copies the current sources of the product and links their dependencies. */
export function copySources(to: string): void {
  for (const name of readdirSync('.').filter((each) => !LEFT_OUT.test(each)))
    cpSync(name, path.join(to, name), { recursive: true, filter: (file) => !LEFT_OUT.test(file) });
  symlinkSync(path.resolve('node_modules'), path.join(to, 'node_modules'));
}

export type Edit = readonly [file: string, at: string, insert: string];

/** Applies a step to a copy of the sources. */
export function edit(folder: string, step: Edit): void {
  const full = path.join(folder, step[0]);
  mkdirSync(path.dirname(full), { recursive: true });
  writeFileSync(full, applyEdit(step, folder));
}

/** The file with the text inserted after the place `at`. With an empty `at`, only the text. */
export function applyEdit([file, at, insert]: Edit, folder = '.'): string {
  if (at === '') return insert;
  const text = readFileSync(path.join(folder, file), 'utf8');
  const place = text.indexOf(at);
  if (place < 0) throw new Error(`${file} has no more the place where the steps write: ${at}`);
  const end = place + at.length;
  return text.slice(0, end) + insert + text.slice(end);
}
