/** The steps of a README, followed in a copy of the sources: what an author would write. */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What has no source of the product in it. */
const LEFT_OUT = /^(\.|node_modules|dist|samples|docs|deploy|test|templates|data|coverage)|\.onnx$/;

/** A copy of the product's sources as they are now, with the packages that they use. */
export function copySources(to: string): void {
  for (const name of readdirSync('.').filter((each) => !LEFT_OUT.test(each)))
    cpSync(name, path.join(to, name), { recursive: true, filter: (file) => !LEFT_OUT.test(file) });
  symlinkSync(path.resolve('node_modules'), path.join(to, 'node_modules'));
}

export type Edit = readonly [file: string, at: string, insert: string];

/** Does a step in a copy of the sources. */
export function edit(folder: string, step: Edit): void {
  const full = path.join(folder, step[0]);
  mkdirSync(path.dirname(full), { recursive: true });
  writeFileSync(full, applyEdit(step, folder));
}

/** The file with text right behind the place where `at` stands; the text alone when `at` is empty. */
export function applyEdit([file, at, insert]: Edit, folder = '.'): string {
  if (at === '') return insert;
  const text = readFileSync(path.join(folder, file), 'utf8');
  const place = text.indexOf(at);
  if (place < 0) throw new Error(`${file} has no more the place where the steps write: ${at}`);
  const end = place + at.length;
  return text.slice(0, end) + insert + text.slice(end);
}
