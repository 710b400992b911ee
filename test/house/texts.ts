/** Writing rules that a program can check: titles of tests, READMEs of rooms, subjects of commits. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const MOST_IN_A_TITLE = 90;
const MOST_IN_A_SUBJECT = 72;
const MOST_FILES_WITHOUT_README = 12;
const README_LINES = { least: 5, most: 15 };

/** Problems of the test titles in a file. Only literal text of a title counts. */
export function longTitles(file: string, text: string): readonly string[] {
  return [...text.matchAll(/\bit(?:\.\w+)?\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g)].flatMap((found) => {
    const length = found[2]!.replaceAll(/\$\{[^}]*\}/g, '').replaceAll(/\\(.)/g, '$1').length;
    const line = text.slice(0, found.index).split('\n').length;
    const rule = `a title of a test has at most ${MOST_IN_A_TITLE} characters`;
    return length > MOST_IN_A_TITLE ? [`${file}:${line}: ${rule}, this one has ${length}.`] : [];
  });
}

export function longSubject(subject: string): string | undefined {
  if (subject.length <= MOST_IN_A_SUBJECT) return undefined;
  return `The last commit: its subject has at most ${MOST_IN_A_SUBJECT} characters, this one has ${subject.length}.`;
}

/** Folders that need a README because they contain many source files. */
export function largeRooms(files: readonly string[]): readonly string[] {
  const sizes = new Map<string, number>();
  for (const file of files)
    for (let folder = path.posix.dirname(file); folder !== '.'; folder = path.posix.dirname(folder))
      sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  return [...sizes].filter(([, size]) => size > MOST_FILES_WITHOUT_README).map(([folder]) => folder);
}

/**
 * Problems of a room's README: its length before the first heading below the title, and names of missing
 * files.
 */
export function readmeProblems(room: string): readonly string[] {
  const file = `${room}/README.md`;
  if (!existsSync(file)) return [`${room}/ has more than ${MOST_FILES_WITHOUT_README} files: write ${file}.`];
  const text = readFileSync(file, 'utf8');
  const head = text.split('\n## ')[0]!;
  const lines = head.trim().split('\n').length;
  const { least, most } = README_LINES;
  // The README of a package is for its users, so its length is not limited.
  const isPackage = existsSync(`${room}/package.json`);
  return [
    ...(!isPackage && (lines < least || lines > most)
      ? [`${file}: a README of a room has ${least} to ${most} lines, this one has ${lines}.`]
      : []),
    ...[...filesIn(head), ...placesIn(text)]
      .filter((place) => !existsSync(place) && !existsSync(path.posix.join(room, place)))
      .map((place) => `${file} names ${place}, which is not there.`),
  ];
}

/** Files directly in the room. */
const filesIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([\w.-]+\.(?:ts|tsx|mjs))`/g)].map(([, name = '']) => name);

/** Paths of files and folders in a text, without those that contain `<...>`, which are examples. */
export function placesIn(text: string): readonly string[] {
  const found = [...text.matchAll(/`([\w.-]+(?:\/[\w.<>-]+)+\/?|[\w-]+\/)`/g)].map(([, place = '']) => place);
  return found.filter((place) => !place.includes('<'));
}
