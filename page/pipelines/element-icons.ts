/** Icons of pipelines and algorithms. */
import type { IconName } from '../kit/icons.tsx';
import { GOALS } from '../new/goals.ts';

/** Returns the icon of a pipeline, by its goal or its last task. */
export const pipelineIcon = (name: string, tasks: readonly string[]): IconName =>
  GOALS.find(({ pipeline }) => pipeline === name)?.icon ?? algorithmIcon(tasks.at(-1) ?? name);

/** Returns the icon of an algorithm, by the goal that uses it. */
export function algorithmIcon(algorithm: string): IconName {
  const goal = GOALS.find(({ actions = [], pipeline }) =>
    [...actions, pipeline].some((name) => name.startsWith(`${algorithm.replace(/ (TASK|ACTION)$/, '')} `)),
  );
  return goal?.icon ?? OTHERS.find(([part]) => part.test(algorithm))?.[1] ?? 'model';
}

const OTHERS: readonly (readonly [RegExp, IconName])[] = [
  [/MARKUP|BLUR/, 'image'],
  [/SPEECH|WHISPER|AUDIO/, 'speech'],
  [/TEXT|OCR|KEYWORD|LANGUAGE|TRANSLAT/, 'text'],
  [/DOCUMENT/, 'document'],
  [/PERSON|OBJECT/, 'person'],
];
