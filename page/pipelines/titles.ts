/** Pipelines, tasks and actions in plain words. */
import { words } from '../kit/format.ts';
import type { IconName } from '../kit/icons.tsx';
import { GOALS } from '../new/goals.ts';

/** Written in capitals also within a sentence. */
const ACRONYMS = /\b(api|ai|clip|id|llm|ocr|onnx|pdf|qr|vlm|yolo)\b/gi;

/** `Face detection` of FACE DETECTION PIPELINE. */
export const elementTitle = (name: string): string =>
  words(name.replace(/ (PIPELINE|TASK|ACTION)$/, '').replace(/ (SOURCE|DERIVATIVE) MEDIA ONLY$/, ''))
    .replaceAll(ACRONYMS, (part) => part.toUpperCase())
    .replaceAll(/\b(openai|kserve)\b/gi, (part) => (/open/i.test(part) ? 'OpenAI' : 'KServe'));

/** Of a pipeline, by its goal or its last task. */
export const pipelineIcon = (name: string, tasks: readonly string[]): IconName =>
  GOALS.find(({ pipeline }) => pipeline === name)?.icon ?? algorithmIcon(tasks.at(-1) ?? name);

/** Of an algorithm, by the goal that uses it. */
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
