import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { unmanagedDescriptorSchema, type Descriptor } from './descriptors/descriptor.ts';
import { elementsOf } from './descriptors/elements.ts';
import { filled, parseFields, trimmed } from './descriptors/fields.ts';
import {
  DESCRIPTOR,
  foldersIn,
  parsedJson,
  readDescriptor,
  type InstalledComponent,
} from './descriptors/find-components.ts';
import { nameTaken, place, withComponent } from './element-placement.ts';
import { EMPTY_CATALOG, type CatalogState } from './state.ts';

/** How an external component is run: by the component host, which loads `module`, or by its own command. */
export type Running =
  | { readonly module: string }
  | { readonly command: { readonly cmd: string; readonly args: readonly string[] } };

export interface ExternalComponent extends InstalledComponent {
  readonly running: Running;
}

export interface ExternalComponents {
  readonly components: readonly ExternalComponent[];
  /** A message for each component that was left out, with its problem and what to do. */
  readonly problems: readonly string[];
}

/** The file beside a descriptor with the command that serves the component. */
const SERVICE_FILE = 'service.json';
const serviceSchema = z.strictObject({ cmd: filled, args: z.array(trimmed).optional() });

/**
 * Reads the components of these folders: each folder is a component, or contains some. It leaves out an invalid component, and one whose
 * name an earlier one has. `services`: names of the server's own services.
 */
export function outsideComponents(
  folders: readonly string[],
  builtIn: readonly Descriptor[],
  services: readonly string[],
): ExternalComponents {
  const components: ExternalComponent[] = [];
  const problems: string[] = [];
  if (folders.length === 0) return { components, problems };
  let catalog = builtIn.reduce(takeComponent, EMPTY_CATALOG);
  for (const folder of folders.flatMap((root) => componentFolders(root, problems)))
    try {
      const component = read(folder);
      if (component === undefined) continue;
      const clash = clashOf(catalog, component.descriptor, services);
      if (clash !== undefined) throw new Error(`${clash} Give it other names in ${DESCRIPTOR}.`);
      catalog = takeComponent(catalog, component.descriptor);
      components.push(component);
    } catch (error) {
      problems.push(`The component in ${folder} was left out: ${messageOf(error)}`);
    }
  return { components, problems };
}

function componentFolders(root: string, problems: string[]): readonly string[] {
  if (existsSync(path.join(root, DESCRIPTOR))) return [root];
  try {
    const found = foldersIn(root).filter((folder) => existsSync(path.join(folder, DESCRIPTOR)));
    if (found.length === 0)
      problems.push(
        `The folder ${root} of COMPONENT_FOLDERS has no component: neither it nor a folder in it has a ${DESCRIPTOR}.`,
      );
    return found;
  } catch (error) {
    problems.push(`The folder ${root} of COMPONENT_FOLDERS cannot be read: ${messageOf(error)}.`);
    return [];
  }
}

/** @throws Error with the problem of the component */
function read(folder: string): ExternalComponent | undefined {
  const descriptor = readDescriptor(path.join(folder, DESCRIPTOR), unmanagedDescriptorSchema);
  return descriptor === undefined
    ? undefined
    : { folder, descriptor, running: runningOf(folder, descriptor) };
}

function runningOf(folder: string, { batchLibrary = '' }: Descriptor): Running {
  const service = path.join(folder, SERVICE_FILE);
  if (existsSync(service)) {
    const parsed = parseFields(serviceSchema, parsedJson(service, readFileSync(service, 'utf8')));
    if ('problems' in parsed) throw new Error(`${service} is not valid:\n${parsed.problems}`);
    return { command: { cmd: parsed.ok.cmd, args: parsed.ok.args ?? [] } };
  }
  const module = path.resolve(folder, /\.[cm]?js$/.test(batchLibrary) ? batchLibrary : `${batchLibrary}.js`);
  if (!existsSync(module))
    throw new Error(
      `there is no ${module}, which batchLibrary names. Compile it, or say in ${SERVICE_FILE} which command serves the component.`,
    );
  return { module };
}

function clashOf(
  catalog: CatalogState,
  descriptor: Descriptor,
  services: readonly string[],
): string | undefined {
  const { componentName } = descriptor;
  if (catalog.component.has(componentName) || services.includes(componentName))
    return `There is another component named "${componentName}".`;
  return nameTaken(catalog, componentName, elementsOf(descriptor));
}

function takeComponent(catalog: CatalogState, descriptor: Descriptor): CatalogState {
  const placed = place(catalog, descriptor.componentName, elementsOf(descriptor));
  return withComponent(placed, { descriptor, managed: true, registrants: [], withheld: [], size: 0 });
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
