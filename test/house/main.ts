/** `npm run house`: measures the structure of the code. Exits with 1 if a measure is above its limit. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { GROUPS } from '../docs/settings-page.ts';
import { functionsOf } from './functions.ts';
import { betweenRooms, circles, mutualImports, objectionToRoom } from './imports-between-rooms.ts';
import { namedFunctions, objectionToFile, objectionToFunction } from './names.ts';
import { ROOMS } from './rooms.ts';
import { filesBelow, readSources } from './sources.ts';

const MOST_FILES_IN_A_FOLDER = 16;
const LONG_FUNCTION_LINES = 30;
const MOST_LONG_FUNCTIONS_PERCENT = 2.5;
const MOST_SETTINGS = 109;

const { texts, imports } = readSources();
const tests = filesBelow('test');
const folders = Object.keys(ROOMS);
const upward = folders.flatMap((folder) =>
  betweenRooms(folder, imports)
    .map(objectionToRoom)
    .filter((sentence) => sentence !== undefined),
);
const mutual = folders.flatMap((folder) =>
  mutualImports(folder, imports).map((pair) => `${folder}: ${pair}`),
);
const cycles = circles(imports.filter(({ ours, target }) => ours && texts.has(target)));
const largest = folderSizes([...texts.keys(), ...tests]);
// Files of the page are left out, because the build changes the lines of JSX.
const functions = [...texts.keys()].filter(isBuilt).flatMap((file) => functionsOf(file, builtText(file)));
const long = functions.filter(({ lines }) => lines > LONG_FUNCTION_LINES);
const longPercent = (100 * long.length) / functions.length;
const names = [
  ...[...texts.keys(), ...tests].map(objectionToFile),
  ...[...texts.keys(), ...tests]
    .filter(isBuilt)
    .flatMap((file) => namedFunctions(file, builtText(file)).map(objectionToFunction)),
].filter((sentence) => sentence !== undefined);
const settings = GROUPS.reduce((sum, group) => sum + Object.keys(group.settings).length, 0);

const figures: readonly (readonly [string, number, number, readonly string[]])[] = [
  ['upward imports', upward.length, 0, upward],
  ['mutual imports', mutual.length, 0, mutual],
  ['cycles of files', cycles.length, 0, cycles],
  [
    'files in the largest folder',
    largest[0]?.[1] ?? 0,
    MOST_FILES_IN_A_FOLDER,
    largest
      .filter(([, files]) => files > MOST_FILES_IN_A_FOLDER)
      .map(([folder, files]) => `${folder}: ${files}`),
  ],
  [
    `functions over ${LONG_FUNCTION_LINES} lines, in percent`,
    Number(longPercent.toFixed(2)),
    MOST_LONG_FUNCTIONS_PERCENT,
    long
      .toSorted((a, b) => b.lines - a.lines)
      .map(({ file, line, lines }) => `${file}:${line}: ${lines} lines`),
  ],
  ['names of functions and files that are not clear', names.length, 0, names],
  ['settings', settings, MOST_SETTINGS, []],
];

console.log('Lines by room');
for (const [room, lines] of linesByRoom()) console.log(`${String(lines).padStart(8)}  ${room}`);
console.log(`${String(linesOf(texts.keys())).padStart(8)}  product`);
console.log(`${String(linesOf(tests)).padStart(8)}  tests\n`);
for (const [what, value, most, places] of figures) {
  console.log(`${value <= most ? 'ok  ' : 'HIGH'} ${what}: ${value} (at most ${most})`);
  if (value > most) for (const place of places) console.log(`       ${place}`);
}
process.exitCode = figures.some(([, value, most]) => value > most) ? 1 : 0;

function isBuilt(file: string): boolean {
  return file.endsWith('.ts') && !file.endsWith('.d.ts');
}

function builtText(file: string): string {
  return readFileSync(`dist/${file.replace(/\.ts$/, '.js')}`, 'utf8');
}

/** Folders with the number of source files directly in them, largest first. */
function folderSizes(files: readonly string[]): readonly (readonly [string, number])[] {
  const sizes = new Map<string, number>();
  for (const file of files) {
    const folder = path.posix.dirname(file);
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  }
  return [...sizes].toSorted(([, a], [, b]) => b - a);
}

/** Lines of top-level folders and of the rooms of `actors/`. */
function linesByRoom(): readonly (readonly [string, number])[] {
  const rooms = new Map<string, number>();
  for (const [file, text] of texts) {
    const [top = '', second = ''] = file.split('/');
    const room = ROOMS[top] !== undefined && file.split('/').length > 2 ? `${top}/${second}` : top;
    rooms.set(room, (rooms.get(room) ?? 0) + linesIn(text));
  }
  return [...rooms].toSorted(([a], [b]) => a.localeCompare(b));
}

function linesOf(files: Iterable<string>): number {
  let sum = 0;
  for (const file of files) sum += linesIn(texts.get(file) ?? readFileSync(file, 'utf8'));
  return sum;
}

function linesIn(text: string): number {
  return text.split('\n').length - 1;
}
