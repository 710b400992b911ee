import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import { descriptorSchema, type Descriptor } from './descriptor.ts';
import { parseFields } from './fields.ts';
import { withoutExtras } from './tolerant-json.ts';

export interface InstalledComponent {
  readonly folder: string;
  readonly descriptor: Descriptor;
}

export const DESCRIPTOR = 'descriptor.json';

/** Depth of folders such as components/models/, which contain components. */
const ROOM_DEPTH = 1;

/** Finds the components: each folder with a descriptor.json below `folder`, or one level deeper. */
export function findComponents(folder: string, depth = ROOM_DEPTH): readonly InstalledComponent[] {
  return foldersIn(folder).flatMap((found) => {
    const descriptor = readDescriptor(path.join(found, DESCRIPTOR));
    if (descriptor !== undefined) return [{ folder: found, descriptor }];
    return depth > 0 ? findComponents(found, depth - 1) : [];
  });
}

/** Returns the folders directly below `folder`, including links to folders, sorted by name. */
export function foldersIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .sort()
    .map((name) => path.join(folder, name))
    .filter((found) => statSync(found, { throwIfNoEntry: false })?.isDirectory() === true);
}

/** Reads a descriptor. Returns undefined if there is no such file. @throws Error with all problems of the descriptor */
export function readDescriptor(
  file: string,
  schema: z.ZodType<Descriptor> = descriptorSchema,
): Descriptor | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  const parsed = parseFields(schema, parsedJson(file, text));
  if ('problems' in parsed)
    throw new Error(`${file} is not a valid component descriptor:\n${parsed.problems}`);
  return parsed.ok;
}

export function parsedJson(file: string, text: string): unknown {
  // Tries plain JSON first: most descriptors are plain, and there are many at each start.
  const plain = plainJson(text);
  if (plain !== undefined) return plain.value;
  try {
    return JSON.parse(withoutExtras(text)) as unknown;
  } catch (error) {
    throw new Error(`${file} is no JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function plainJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
