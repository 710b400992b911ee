import { streamQueue, streamTasksQueue } from '../../protocol/streams.ts';
import { TRANSFER_QUEUES } from '../../protocol/transfers.ts';
import { MEDIA_QUEUES } from '../../protocol/worker-protocol.ts';
import {
  START_VARIABLE,
  type EnvironmentVariableModel,
  type ServiceModel,
} from '../node-configuration/model.ts';

/** Stands for the executable of Node in a node configuration. */
const NODE = '${TROUPE_NODE}';

/** A component that is installed with the server: the queues that it serves, and how it is run. */
export interface ManagedComponent {
  readonly queues: readonly string[];
  readonly model: ServiceModel;
  /** What its processes are told besides the server's address and their token. */
  readonly bootstrap: Readonly<Record<string, unknown>>;
  /** A process has many sub-jobs side by side. When it dies, none of them is to blame. */
  readonly sideBySide?: true;
}

/** What of a component's descriptor matters to whoever runs it. */
export interface Runnable {
  readonly componentName: string;
  readonly algorithm: { readonly name: string; readonly description: string };
  readonly environmentVariables: readonly {
    readonly name: string;
    readonly value: string;
    readonly sep?: string | null | undefined;
  }[];
}

/** An installed detector: its processes run the component host, which loads the compiled `module`. */
export function detectorComponent(
  { componentName, algorithm, environmentVariables }: Runnable,
  module: string,
  host: string,
): ManagedComponent {
  return {
    queues: [algorithm.name],
    model: hostService(componentName, algorithm.description, host, 1, environmentVariables.map(toModel)),
    bootstrap: { kind: 'detector', algorithm: algorithm.name, module },
  };
}

/**
 * The same component for live streams: each stream has a process of its own, apart from those that work on batch jobs, which ends with
 * it.
 */
export function streamComponent(
  { queues, model, bootstrap }: ManagedComponent,
  maxStreams: number,
): ManagedComponent {
  const together = bootstrap['others'] === undefined ? [] : queues.map(streamTasksQueue);
  return {
    queues: [...queues.map(streamQueue), ...together],
    model: { ...leanModel(model), serviceName: `${model.serviceName}Streams`, serviceCount: maxStreams },
    bootstrap: { ...bootstrap, stream: true },
  };
}

/** Each stream has a process: its threads keep little room for new objects (MB), and free memory goes back to the system. */
const LEAN_ARGS = ['--max-semi-space-size=1'];
const LEAN_ENVIRONMENT: readonly EnvironmentVariableModel[] = [
  { name: 'MALLOC_ARENA_MAX', value: '2' },
  { name: 'MALLOC_TRIM_THRESHOLD_', value: '131072' },
];

const leanModel = (model: ServiceModel): ServiceModel =>
  model.cmd !== NODE
    ? model
    : {
        ...model,
        args: [...LEAN_ARGS, ...model.args],
        environmentVariables: [...model.environmentVariables, ...LEAN_ENVIRONMENT],
      };

/** A component of COMPONENT_FOLDERS that a command of its own serves, in the component's folder. */
export function commandComponent(
  { componentName, algorithm, environmentVariables }: Runnable,
  folder: string,
  { cmd, args }: { readonly cmd: string; readonly args: readonly string[] },
): ManagedComponent {
  return {
    queues: [algorithm.name],
    model: {
      serviceName: componentName,
      serviceDescription: algorithm.description,
      serviceLauncher: 'generic',
      cmd,
      args,
      serviceCount: 1,
      workingDirectory: folder,
      environmentVariables: ownVariables(environmentVariables.map(toModel)),
    },
    bootstrap: { algorithm: algorithm.name },
  };
}

/**
 * A service that runs the component host. `host` is its script below the package: with these two names for the node
 * executable and the package's folder, a stored configuration survives an update that moves them.
 */
export function hostService(
  serviceName: string,
  serviceDescription: string,
  host: string,
  serviceCount: number,
  environmentVariables: readonly EnvironmentVariableModel[] = [],
): ServiceModel {
  return {
    serviceName,
    serviceDescription,
    serviceLauncher: 'generic',
    cmd: NODE,
    args: [`\${TROUPE_HOME}/${host}`],
    serviceCount,
    workingDirectory: '${TROUPE_HOME}',
    environmentVariables: ownVariables(environmentVariables),
  };
}

const ownVariables = (variables: readonly EnvironmentVariableModel[]) =>
  variables.filter(({ name }) => name !== START_VARIABLE);

function toModel({ name, value, sep }: Runnable['environmentVariables'][number]): EnvironmentVariableModel {
  return sep === null || sep === undefined ? { name, value } : { name, value, sep };
}

/** The media component, which is the server's own: inspection of media, finishing of tracks, documents. */
export function mediaComponent(host: string, processes: number): ManagedComponent {
  const queues = Object.values(MEDIA_QUEUES).filter((queue) => !TRANSFER_QUEUES.includes(queue));
  return {
    queues,
    model: hostService(
      'TroupeMedia',
      'Inspection of media, finishing of tracks, documents.',
      host,
      processes,
    ),
    bootstrap: { kind: 'media', algorithms: queues },
  };
}

/** Half of them may look up names of hosts, which is slow for those that are not known; the others write files meanwhile. */
const TRANSFER_THREADS = 128;

/** One process of the server's own that waits for other hosts: it downloads media and uploads results, many at a time. */
export function transferComponent(host: string): ManagedComponent {
  const threads = { name: 'UV_THREADPOOL_SIZE', value: String(TRANSFER_THREADS) };
  return {
    queues: TRANSFER_QUEUES,
    model: hostService('TroupeTransfers', 'Downloads of media and uploads of results.', host, 1, [threads]),
    bootstrap: { kind: 'transfers', algorithms: TRANSFER_QUEUES },
    sideBySide: true,
  };
}
