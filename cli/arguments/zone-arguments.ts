/** Zones, lines and rules on the command line. */
import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';

interface Place {
  readonly name: string;
  readonly points: readonly (readonly [number, number])[];
}

const FORM = 'Write NAME=X,Y X,Y ... with fractions of the picture, such as "yard=0.1,0.2 0.9,0.2 0.9,0.9".';

/** Parses a repeatable option such as `yard=0.1,0.2 0.9,0.2 0.9,0.9`. */
export function place(text: string, before: readonly Place[] = []): readonly Place[] {
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(0, at)).trim();
  const points = text
    .slice(at + 1)
    .trim()
    .split(/[\s;]+/)
    .map(pointOf);
  if (at < 1 || name === '') throw new InvalidArgumentError(FORM);
  return [...before, { name, points }];
}

function pointOf(text: string): readonly [number, number] {
  const [x, y, ...more] = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (more.length > 0 || !Number.isFinite(x) || !Number.isFinite(y)) throw new InvalidArgumentError(FORM);
  return [x!, y!];
}

/** Parses a repeatable option: a rule as JSON, or the name of a file with one rule or a list of them. */
export function rule(text: string, before: readonly object[] = []): readonly object[] {
  const json = /^\s*[{[]/.test(text) ? text : textOfFile(text);
  try {
    const parsed: unknown = JSON.parse(json);
    return [...before, ...((Array.isArray(parsed) ? parsed : [parsed]) as object[])];
  } catch {
    throw new InvalidArgumentError(
      'It is not JSON. Write {"name": "loiter", "zone": "yard", "longerThan": 10}.',
    );
  }
}

function textOfFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new InvalidArgumentError(
      `There is no file ${file}. Name a file with rules, or write the rule as JSON.`,
    );
  }
}
