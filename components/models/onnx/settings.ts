/** Checked properties of a sub-job. */
import path from 'node:path';
import type { Properties } from '../../../domain/types.ts';
import { textBelow } from '../../shared/model-files/neighbour.ts';
import { rootsOf } from '../../shared/model-files/roots.ts';
import { choiceOf, countOf, numberWithin } from '../../shared/tracking/settings.ts';
import { tilingOf, type Tiling } from '../../shared/networks/tiles.ts';
import type { TrackingRules } from '../../shared/tracking/tracker.ts';
import { namesInFile } from './class-names.ts';
import { HINT_NAMES, hintOf } from '../../shared/onnx-session/hint-values.ts';
import { mergeHints, wrongHint, type Hints } from '../../shared/onnx-session/hints.ts';
import type { WantedModel } from './model-store.ts';
import type { Search } from './network.ts';

/** Settings for running a network, locally or on a server. */
export interface SearchSettings {
  readonly search: Search;
  readonly rules: TrackingRules;
  readonly batch: number;
  readonly tiling: Tiling;
  readonly classes: ClassLists;
  /** Type of the reported tracks. */
  readonly trackType: string;
}

export interface Settings extends SearchSettings {
  readonly wanted: WantedModel;
}

/** Class names in lower case. An empty list of allowed ones allows all. */
export interface ClassLists {
  readonly allowed: readonly string[];
  readonly denied: readonly string[];
  /** Names that the model must know. */
  readonly named: readonly string[];
}

const PROVIDERS = ['CPU', 'CUDA', 'TENSORRT', 'ROCM', 'DML', 'COREML', 'WEBGPU'] as const;
const SWITCH = ['TRUE', 'FALSE'] as const;
const MOST_THREADS = 64;
const MOST_FRAMES = 256;
const MOST_CLASSES = 1_000;
/** Track types that have a special meaning in detection documents. */
const OTHER_TYPES = ['NO TRACKS', 'TRACKS SUPPRESSED', 'TRACKS MERGED', 'MEDIA'];

export async function readSettings(properties: Properties, roots: readonly string[]): Promise<Settings> {
  const threads = countOf(properties, 'INFERENCE_THREADS', 1);
  const provider = choiceOf(properties, 'EXECUTION_PROVIDER', PROVIDERS).toLowerCase();
  return {
    ...(await readSearch(properties, roots)),
    wanted: {
      name: (properties['MODEL_NAME'] ?? '').trim(),
      hints: await hintsIn(properties, roots),
      options: { threads: Math.min(threads, MOST_THREADS), provider },
    },
  };
}

export async function readSearch(properties: Properties, roots: readonly string[]): Promise<SearchSettings> {
  const threshold = numberWithin(properties, 'QUALITY_SELECTION_THRESHOLD', -Infinity, Infinity);
  return {
    search: {
      threshold,
      top: Math.min(MOST_CLASSES, countOf(properties, 'NUMBER_OF_CLASSIFICATIONS_PER_REGION', 1)),
      sameOverlap: numberWithin(properties, 'DETECTION_NMS_THRESHOLD', 0, 1),
      features: choiceOf(properties, 'INCLUDE_FEATURES', SWITCH) === 'TRUE',
    },
    rules: {
      minOverlap: 1 - numberWithin(properties, 'TRACKING_MAX_IOU_DIST', 0, 1),
      maxDistance: numberWithin(properties, 'TRACKING_MAX_DISTANCE', 0, Infinity),
      maxGap: countOf(properties, 'TRACKING_MAX_FRAME_GAP', 0),
      startConfidence: threshold,
    },
    batch: Math.min(MOST_FRAMES, countOf(properties, 'DETECTION_FRAME_BATCH_SIZE', 1)),
    tiling: tilingOf(properties),
    classes: await classLists(properties, roots),
    trackType: trackTypeOf(properties),
  };
}

function trackTypeOf(properties: Properties): string {
  const type = (properties['TRACK_TYPE'] ?? '').trim().toUpperCase();
  if (/^[\p{L}\p{N}][\p{L}\p{N} _-]{0,63}$/u.test(type) && !OTHER_TYPES.includes(type)) return type;
  throw wrongHint(
    `The TRACK_TYPE property is "${type}"; it must be a name of letters, digits, blanks, - and _, such as CLASS or FACE, and none of ${OTHER_TYPES.join(', ')}.`,
  );
}

/** Reads the hints about a model from properties. Throws INVALID_PROPERTY. */
export async function hintsIn(properties: Properties, roots: readonly string[]): Promise<Hints> {
  const said = HINT_NAMES.map((name) => hintOf(name, properties[name] ?? '', `The ${name} property`));
  const names = await linesOf(properties, 'CLASS_NAMES_FILE', roots);
  return mergeHints([...said, names === undefined ? {} : { names }]);
}

async function classLists(properties: Properties, roots: readonly string[]): Promise<ClassLists> {
  const readList = (name: string) =>
    (properties[name] ?? '')
      .split(';')
      .map(foldCase)
      .filter((word) => word !== '');
  const [allow, deny] = [readList('CLASS_ALLOW_LIST'), readList('CLASS_DENY_LIST')];
  const inFile = (await linesOf(properties, 'CLASS_ALLOW_LIST_FILE', roots)) ?? [];
  return {
    allowed: [...allow, ...inFile.map(foldCase).filter((word) => word !== '')],
    denied: deny,
    named: [...allow, ...deny],
  };
}

export const foldCase = (name: string): string => name.trim().toLowerCase().replaceAll(/\s+/g, ' ');

/** Returns the lines of a file that a property names; undefined if it names none. Throws INVALID_PROPERTY. */
async function linesOf(
  properties: Properties,
  name: string,
  roots: readonly string[],
): Promise<readonly string[] | undefined> {
  const file = (properties[name] ?? '').trim();
  if (file === '') return undefined;
  for (const root of await rootsOf(roots)) {
    const text = file.includes('\0') ? undefined : await textBelow(root, path.resolve(root, file), file);
    if (text !== undefined) return namesInFile(text);
  }
  throw wrongHint(
    `The ${name} property names ${file}, which is no file below a folder of the setting MODEL_ROOTS: put the file there, with a class a line.`,
  );
}
