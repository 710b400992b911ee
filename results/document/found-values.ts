/** Values of a document from another service. Each gets its expected type, whatever the document contains. */
import type { Properties } from '../../domain/types.ts';
import type { FoundDetection } from './findings.ts';

type Members = Readonly<Record<string, unknown>>;

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const numberOf = (value: unknown, otherwise = 0): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : otherwise;

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A number of frames or of milliseconds. */
const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;

export function propertiesOf(value: unknown): Properties {
  if (!isObject(value)) return {};
  for (const name in value) if (typeof value[name] !== 'string') return asTexts(value);
  return value as Properties;
}

const asTexts = (members: Members): Properties =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );

export function detectionOf(value: unknown): FoundDetection | undefined {
  if (!isObject(value)) return undefined;
  const path = value['artifactPath'];
  return {
    offsetFrame: countOf(value['offsetFrame']),
    offsetTime: countOf(value['offsetTime']),
    x: numberOf(value['x']),
    y: numberOf(value['y']),
    width: numberOf(value['width']),
    height: numberOf(value['height']),
    confidence: numberOf(value['confidence'], -1),
    detectionProperties: propertiesOf(value['detectionProperties']),
    artifactExtractionStatus: textOf(value['artifactExtractionStatus']),
    artifactPath: typeof path === 'string' ? path : null,
  };
}

/** By action: the first task of the pipeline that contains it. */
export function tasksOf(pipeline: unknown): ReadonlyMap<string, string> {
  const tasks = new Map<string, string>();
  for (const task of listOf(pipeline, 'tasks'))
    for (const action of listOf(task, 'actions')) {
      const name = isObject(action) ? textOf(action['name']) : '';
      if (!tasks.has(name) && isObject(task)) tasks.set(name, textOf(task['name']));
    }
  return tasks;
}

function listOf(value: unknown, key: string): readonly unknown[] {
  const list = isObject(value) ? value[key] : undefined;
  return Array.isArray(list) ? list : [];
}
