/** Parses deploy/Dockerfile and the list of files in its context. */
import { textOf } from './files.ts';

export interface Step {
  readonly instruction: string;
  readonly argument: string;
}

/** The steps of each stage, by name. The final stage has no name and is called `image`. */
export function stages(): ReadonlyMap<string, readonly Step[]> {
  const found = new Map<string, Step[]>();
  let current: Step[] = [];
  for (const line of textOf('Dockerfile').replaceAll('\\\n', ' ').split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, instruction = '', argument = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
    if (instruction === 'FROM') {
      current = [];
      found.set(/ AS (\w+)$/.exec(argument)?.[1] ?? 'image', current);
    }
    current.push({ instruction, argument });
  }
  return found;
}

/** Files of the checkout in the context. The list names the included files, and all others are excluded. */
export function contextFiles(): readonly string[] {
  const lines = textOf('Dockerfile.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const [all, ...named] = lines;
  if (all !== '*' || named.some((line) => !line.startsWith('!')))
    throw new Error('Dockerfile.dockerignore leaves everything out, and then names what is let in.');
  return named.map((line) => line.slice(1));
}
