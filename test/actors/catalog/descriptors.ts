/** Short definitions of component descriptors, and the real descriptors. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { descriptorSchema, type Descriptor } from '../../../actors/catalog/descriptors/descriptor.ts';
import { packageRoot } from '../../../config/info.ts';

/** The body that a client posts: complete, with one algorithm and without lists of elements. */
export function descriptorBody(name: string, change: object = {}, algorithm: object = {}) {
  return {
    componentName: name,
    componentVersion: '1.0',
    middlewareVersion: '1.0',
    sourceLanguage: 'python',
    batchLibrary: 'library',
    environmentVariables: [],
    algorithm: {
      name: `${name} ALGORITHM`,
      description: `Algorithm of ${name}.`,
      actionType: 'DETECTION',
      trackType: 'THING',
      requiresCollection: { states: [] },
      providesCollection: { states: ['DETECTION'], properties: [] },
      ...algorithm,
    },
    ...change,
  };
}

export const descriptorOf = (name: string, change: object = {}, algorithm: object = {}): Descriptor =>
  descriptorSchema.parse(descriptorBody(name, change, algorithm));

export const action = (name: string, algorithm: string, description = 'An action.') => ({
  name,
  description,
  algorithm,
  properties: [],
});
export const task = (name: string, ...actions: string[]) => ({ name, description: 'A task.', actions });
export const pipeline = (name: string, ...tasks: string[]) => ({ name, description: 'A pipeline.', tasks });

/** The only real descriptor with another kind of component. */
export const OTHER_KIND = 'OrToolsSubjectComponent';

const folder = path.join(packageRoot, 'test', 'fixtures', 'descriptors');

/** Texts of the real descriptors, by component name. */
export function realDescriptors(): ReadonlyMap<string, string> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return new Map(
    files.map((file) => [path.basename(file, '.json'), readFileSync(path.join(folder, file), 'utf8')]),
  );
}
