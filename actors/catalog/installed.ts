import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { descriptorSchema, type Descriptor } from './descriptor.ts';
import { parseFields } from './fields.ts';
import { withoutExtras } from './tolerant-json.ts';

export interface InstalledComponent {
  readonly folder: string;
  readonly descriptor: Descriptor;
}

/** Every folder directly below `folder` that has a descriptor.json is a component. */
export function findComponents(folder: string): readonly InstalledComponent[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(folder, entry.name))
    .flatMap((found) => {
      const descriptor = readDescriptor(path.join(found, 'descriptor.json'));
      return descriptor === undefined ? [] : [{ folder: found, descriptor }];
    });
}

function readDescriptor(file: string): Descriptor | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  const parsed = parseFields(descriptorSchema, parsedJson(file, text));
  if ('problems' in parsed)
    throw new Error(`${file} is not a valid component descriptor:\n${parsed.problems}`);
  return parsed.ok;
}

function parsedJson(file: string, text: string): unknown {
  try {
    return JSON.parse(withoutExtras(text)) as unknown;
  } catch (error) {
    throw new Error(`${file} is no JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
