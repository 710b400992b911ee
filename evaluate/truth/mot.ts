/**
 * MOTChallenge's gt.txt (A. Milan et al., "MOT16: A Benchmark for Multi-Object Tracking", 2016): frame, track, x, y, width, height, flag,
 * class, visibility. Frames and pixels count from 1. Boxes with the flag 0 are ignored: they count neither as missed nor as wrong.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { BoxTable } from '../box-table.ts';
import { LAST_FRAME, Numbers } from '../numbers.ts';
import type { Line, Source } from './source.ts';
import type { VideoTruth } from './truth.ts';

/** Classes of MOT16, by their numbers from 1. */
const MOT16_CLASSES = [
  ...['pedestrian', 'person on vehicle', 'car', 'bicycle', 'motorbike', 'non motorized vehicle'],
  ...[
    'static person',
    'distractor',
    'occluder',
    'occluder on ground',
    'occluder full',
    'reflection',
    'crowd',
  ],
];

export const isMotLine = (line: string): boolean =>
  /^\s*\d+(\.0*)?\s*(,\s*-?\d+(\.\d*)?(e[+-]?\d+)?\s*){5,9}$/i.test(line);

/** Reads a truth in MOT format. @throws EvaluationError */
export async function motTruth(source: Source): Promise<VideoTruth> {
  const names = (await labelsBeside(source.file)) ?? MOT16_CLASSES;
  const boxes = new BoxTable(source.limit, 'truth');
  const classes = new Numbers();
  const tracks = new Numbers<number>();
  let namesClasses = true;
  for await (const line of source.lines()) {
    const { frame, track, x, y, width, height, flag, label } = valuesOf(line, source);
    if (label === undefined) namesClasses = false;
    const name = names[(label ?? 1) - 1] ?? `class ${label}`;
    const mark = { score: -1, ignored: flag === 0, crowd: false };
    const box = { x: x - 1, y: y - 1, width, height, area: width * height };
    const number = track < 0 ? -1 : tracks.of(track);
    boxes.add({ picture: frame - 1, label: classes.of(name), track: number, ...box, ...mark });
  }
  if (boxes.count === 0) throw source.failure('is empty.');
  const range = { first: 0, last: undefined, step: 1 };
  const named = namesClasses ? classes.ids : undefined;
  return { kind: 'video', name: undefined, frames: undefined, ...range, boxes, classes: named, notes: [] };
}

function valuesOf({ text, number }: Line, source: Source) {
  const values = isMotLine(text) ? text.split(',').map(Number) : [];
  const [frame = 0, track = -1, x = 0, y = 0, width = 0, height = 0, flag = 1, label = -1] = values;
  if (!Number.isSafeInteger(frame) || frame < 1 || frame > LAST_FRAME || !Number.isSafeInteger(track))
    throw source.failure(`, line ${number}: a line of MOT is frame (from 1), track, x, y, width, height and up to four more numbers.`); // oxfmt-ignore
  // MOT15 has world coordinates where MOT16 has class and visibility. They are -1 if unknown.
  const isNamed = values.length <= 9 && Number.isSafeInteger(label) && label >= 1;
  return { frame, track, x, y, width, height, flag, label: isNamed ? label : undefined };
}

/** Reads the names of classes from labels.txt beside gt.txt. CVAT writes one class per line. */
async function labelsBeside(file: string): Promise<readonly string[] | undefined> {
  const text = await readFile(path.join(path.dirname(file), 'labels.txt'), 'utf8').catch(() => undefined);
  const names = text?.split(/\r?\n/).map((name) => name.trim());
  return names === undefined || names.every((name) => name === '') ? undefined : names;
}
