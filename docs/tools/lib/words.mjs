/** The limit of words of the documentation: longer pages are read by nobody. Records are for developers and do not count. */
import path from 'node:path';
import { isRecord } from './pages.mjs';
import { countWords } from './sentences.mjs';

export const MOST_WORDS = 45_000;

/** A problem of all pages together names the words of each folder. */
export function checkWords(pages, most = MOST_WORDS) {
  const folders = new Map();
  for (const { file, tree } of pages.filter((page) => !isRecord(page))) {
    const folder = path.posix.dirname(file);
    folders.set(folder, (folders.get(folder) ?? 0) + countWords(tree));
  }
  const words = [...folders.values()].reduce((sum, count) => sum + count, 0);
  if (words <= most) return [];
  const parts = [...folders].map(([folder, count]) => `${folder} ${count}`).join(', ');
  const message = `The documentation has ${words} words (at most ${most}): ${parts}. Shorten a page.`;
  return [{ file: 'docs/README.md', line: 1, rule: 'words', message }];
}
