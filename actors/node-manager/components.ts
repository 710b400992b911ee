import { streamQueue, streamTasksQueue } from '../../protocol/streams.ts';
import { TRANSFER_QUEUES } from '../../protocol/transfers.ts';
import { MEDIA_QUEUES } from '../../protocol/worker-protocol.ts';
import {
  START_VARIABLE,
  type EnvironmentVariableModel,
  type ServiceModel,
} from '../node-configuration/model.ts';

/** Placeholder for the executable of Node in a node configuration. */
const NODE = '${TROUPE_NODE}';

/** A component that is installed with the server: its queues, and how it is run. */
export interface ManagedComponent {
  readonly queues: readonly string[];
  readonly model: ServiceModel;
  /** Settings of its processes besides the server's address and their token. */
  readonly bootstrap: Readonly<Record<string, unknown>>;
  /** A process works on many sub-jobs at the same time. When it dies, none of them counts as the cause. */
  readonly sideBySide?: true;
}

/** The fields of a component's descriptor that are needed to run it. */
export interface Runnable {
  readonly componentName: string;
  readonly algorithm: { readonly name: string; readonly description: string };
  readonly environmentVariables: readonly {
    readonly name: string;
    readonly value: string;
    readonly sep?: string | null | undefined;
  }[];
}

/** Returns an installed detector. Its processes run the component host, which loads the compiled `module`. */
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

/** Returns the same component for live streams. Each stream has its own process, separate from batch jobs, which ends with the stream. */
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

/**
 * Options that save memory, because each stream has a process. Threads reserve little room for new objects (MB), and free memory returns to
 * the system.
 */
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

/** Script of that process, below the folder of the component host's folder. */
const NETWORK_SCRIPT = 'shared/network-process/network-main.js';

/**
 * Returns the process that runs large networks for all processes with a live stream. Undefined if no component is run by the host of the
 * package.
 */
export function networkProcess(components: readonly ManagedComponent[]): ServiceModel | undefined {
  const host = components.find(({ model, bootstrap }) => model.cmd === NODE && bootstrap['stream'] === true);
  if (host === undefined) return undefined;
  const args = host.model.args.map((arg) => arg.replace(/host\/main\.js$/, NETWORK_SCRIPT));
  return { ...host.model, serviceName: 'TroupeNetworks', args, environmentVariables: LEAN_ENVIRONMENT };
}

/** Returns a component of COMPONENT_FOLDERS that is run by its own command, in the component's folder. */
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
 * Returns a service that runs the component host. `host` is its script below the package. Placeholders for the Node executable and the
 * package's folder let a stored configuration survive an update that moves them.
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

/** Returns the media component of the server: inspection of media, finishing of tracks, documents. */
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

/** Number of threads. Half of them may look up host names, which is slow for unknown ones. The others write files in the meantime. */
const TRANSFER_THREADS = 128;

/** Returns the component for transfers: one process of the server that downloads media and uploads results, many at a time. */
export function transferComponent(host: string): ManagedComponent {
  const threads = { name: 'UV_THREADPOOL_SIZE', value: String(TRANSFER_THREADS) };
  return {
    queues: TRANSFER_QUEUES,
    model: hostService('TroupeTransfers', 'Downloads of media and uploads of results.', host, 1, [threads]),
    bootstrap: { kind: 'transfers', algorithms: TRANSFER_QUEUES },
    sideBySide: true,
  };
}
