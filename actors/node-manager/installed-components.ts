import path from 'node:path';
import type { Descriptor } from '../catalog/descriptors/descriptor.ts';
import { findComponents } from '../catalog/descriptors/find-components.ts';
import { outsideComponents, type ExternalComponent } from '../catalog/external-components.ts';
import type { ManagedComponent } from './components.ts';
import { commandComponent, detectorComponent } from './components.ts';

/** The place of the package's components: their descriptors, and their compiled detectors in folders of the same names. */
export interface ComponentFolder {
  readonly descriptors: string;
  readonly code: string;
}

export interface InstalledComponents {
  readonly descriptors: readonly Descriptor[];
  readonly components: readonly ManagedComponent[];
  /** Components that watch live streams. */
  readonly streaming: readonly ManagedComponent[];
  /** Algorithms of components that can watch one stream together, in one process. */
  readonly together: ReadonlySet<string>;
  /** Problems of components of COMPONENT_FOLDERS that were left out, with a sentence for each. */
  readonly problems: readonly string[];
}

export interface InstallPlaces {
  readonly package: readonly ComponentFolder[];
  /** COMPONENT_FOLDERS. */
  readonly outside: readonly string[];
  /** Names of the server's own services. */
  readonly ownServices: readonly string[];
  /** The script of the component host, below the package. */
  readonly host: string;
  /** FACE_EMBEDDING: the component that computes vectors of faces is also installed. */
  readonly faceEmbedding: boolean;
}

const FACE_EMBEDDING_COMPONENT = 'TroupeFaceEmbedding';

/** Returns the components that are installed at this start: those of the package, and those of COMPONENT_FOLDERS. */
export function installedComponents(places: InstallPlaces): InstalledComponents {
  const { host, faceEmbedding } = places;
  const ofPackage = places.package.flatMap(({ descriptors, code }) =>
    findComponents(descriptors).map(({ folder, descriptor }) => ({
      descriptor,
      module: path.join(code, path.relative(descriptors, folder), 'detector.js'),
    })),
  );
  const own = ofPackage.map(({ descriptor }) => descriptor);
  const builtIn = ofPackage
    .filter(({ descriptor }) => faceEmbedding || descriptor.componentName !== FACE_EMBEDDING_COMPONENT)
    .map(({ descriptor, module }) => ({
      ...{ descriptor, module },
      component: detectorComponent(descriptor, module, host),
    }));
  const { components, problems } = outsideComponents(places.outside, own, places.ownServices);
  const outside = components.map((one) => ({
    descriptor: one.descriptor,
    component: toManaged(one, host),
  }));
  const found = [...builtIn, ...outside];
  const others = Object.fromEntries(
    builtIn
      .filter(({ descriptor }) => watchesStreams(descriptor))
      .map(({ descriptor, module }) => [descriptor.algorithm.name, module]),
  );
  return {
    descriptors: found.map(({ descriptor }) => descriptor),
    components: found.map(({ component }) => component),
    streaming: [
      ...builtIn.filter(({ descriptor }) => watchesStreams(descriptor)).map((one) => withOthers(one, others)),
      ...outside.filter(({ descriptor }) => watchesStreams(descriptor)).map(({ component }) => component),
    ],
    together: new Set(Object.keys(others)),
    problems,
  };
}

/** Lets the processes of a component load the other detectors of the package, for streams with several tasks. */
const withOthers = (
  { component }: { readonly component: ManagedComponent },
  others: Readonly<Record<string, string>>,
): ManagedComponent => ({ ...component, bootstrap: { ...component.bootstrap, others } });

const watchesStreams = ({ streamLibrary }: Descriptor) => (streamLibrary ?? '').trim() !== '';

function toManaged({ folder, descriptor, running }: ExternalComponent, host: string): ManagedComponent {
  return 'module' in running
    ? detectorComponent(descriptor, running.module, host)
    : commandComponent(descriptor, folder, running.command);
}
