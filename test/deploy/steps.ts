/** Reads deploy/Dockerfile and the list of what goes into its context. */
import { textOf } from './files.ts';

export interface Step {
  readonly instruction: string;
  readonly argument: string;
}

/** The steps of each stage, by its name; that of the image itself has none and is called `image`. */
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

/** What of the checkout is in the context: the list names what is let in, nothing else is. */
export function contextFiles(): readonly string[] {
  const lines = textOf('Dockerfile.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const [all, ...named] = lines;
  if (all !== '*' || named.some((line) => !line.startsWith('!')))
    throw new Error('Dockerfile.dockerignore leaves everything out, and then names what is let in.');
  return named.map((line) => line.slice(1));
}
