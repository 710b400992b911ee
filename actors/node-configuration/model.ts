import type { Reply } from '../runtime/machine.ts';

/** The configured services of each host, in the fields of specification 2.4. */
export interface EnvironmentVariableModel {
  readonly name: string;
  readonly value: string;
  /** The value is appended to an existing variable of this name, after this separator. If undefined, the value replaces it. */
  readonly sep?: string | undefined;
}

export interface ServiceModel {
  readonly serviceName: string;
  readonly serviceDescription: string;
  /** Both values run `cmd` with `args`. The field is kept for clients that read it. */
  readonly serviceLauncher: 'simple' | 'generic';
  readonly cmd: string;
  readonly args: readonly string[];
  readonly serviceCount: number;
  readonly workingDirectory: string;
  readonly environmentVariables: readonly EnvironmentVariableModel[];
}

export interface NodeManagerModel {
  readonly host: string;
  readonly services: readonly ServiceModel[];
}

/** Variable of a service for the node manager. The processes do not get it. */
export const START_VARIABLE = 'TROUPE_START';
const ON_DEMAND = 'ON_DEMAND';

/** True if a service starts when work waits, up to serviceCount, and is kept warm. Any other service starts at once and keeps running. */
export function startsOnDemand({ environmentVariables }: ServiceModel): boolean {
  return environmentVariables.some(
    ({ name, value }) => name === START_VARIABLE && value.trim().toUpperCase() === ON_DEMAND,
  );
}

export function onDemand(model: ServiceModel): ServiceModel {
  const environmentVariables = [...model.environmentVariables, { name: START_VARIABLE, value: ON_DEMAND }];
  return { ...model, environmentVariables };
}

/** Text that users other than ADMIN see in place of the value of an environment variable, which may be a password. */
export const HIDDEN_VALUE = '<hidden>';

/** Returns the configuration without the values that only an ADMIN may see. */
export function withoutValues(nodes: readonly NodeManagerModel[]): readonly NodeManagerModel[] {
  const hideValue = (variable: EnvironmentVariableModel) =>
    variable.name === START_VARIABLE ? variable : { ...variable, value: HIDDEN_VALUE };
  return nodes.map((node) => ({
    ...node,
    services: node.services.map((service) => ({
      ...service,
      environmentVariables: service.environmentVariables.map(hideValue),
    })),
  }));
}

/** True if two services run the same program in the same folder and environment, so that their processes are interchangeable. */
export function isSameDefinition(one: ServiceModel, other: ServiceModel): boolean {
  return definitionOf(one) === definitionOf(other);
}

function definitionOf({ cmd, args, workingDirectory, environmentVariables }: ServiceModel): string {
  const variables = environmentVariables
    .filter(({ name }) => name !== START_VARIABLE)
    .map(({ name, value, sep }) => [name, value, sep ?? null]);
  return JSON.stringify([cmd, args, workingDirectory, variables]);
}

/** Returns the name under which a service is started, stopped and shown (specification 4.4). Ranks count from 1. */
export const fullName = (host: string, service: string, rank: number) => `${host}:${service}:${rank}`;

/** The configuration of all nodes that an ADMIN has posted. Null if the initial one applies. */
export interface ConfigurationState {
  readonly nodes: readonly NodeManagerModel[] | null;
}

export type ConfigurationCommand =
  /** From an ADMIN: sets the configuration of all nodes. */
  | { readonly type: 'save'; readonly nodes: readonly NodeManagerModel[] }
  /** From the edge, and from the server at start: reads the configuration that applies. */
  | { readonly type: 'read' };

/** Informs every node manager of the configuration, so that it conforms (specification 4.4). */
export interface ConfigurationEffect {
  readonly type: 'apply';
  readonly nodes: readonly NodeManagerModel[];
}

export interface ConfigurationRules {
  /** Applies until another one is posted. */
  readonly initial: readonly NodeManagerModel[];
  readonly thisHost: string;
  /** Services of the installed components. */
  readonly installed: readonly string[];
  /** Services of the server itself. They always exist and cannot be configured. */
  readonly ownServices: readonly string[];
  readonly limits: ConfigurationLimits;
  /** Services of node classes, as if each class were a host. */
  classes?(): readonly NodeManagerModel[];
  /** Returns another reason in one sentence why this cannot be the configuration. */
  objectionTo?(nodes: readonly NodeManagerModel[]): string | undefined;
}

/** Services of the nodes of each class. A class takes the place of a host. */
export interface NodeClasses {
  readonly classes: readonly NodeManagerModel[];
  /** True if no classes were posted, so that the initial ones apply. */
  readonly isInitial: boolean;
}

export interface ConfigurationLimits {
  readonly nodes: number;
  /** Maximum number of services of one host. */
  readonly services: number;
  readonly serviceCount: number;
  /** Maximum sum of the serviceCounts on all hosts. Each process is shown separately, and each process of this host is stored in memory. */
  readonly deployed: number;
}

export interface ConfigurationTypes {
  readonly state: ConfigurationState;
  readonly command: ConfigurationCommand;
  readonly effect: ConfigurationEffect;
  readonly reply:
    /** `isInitial`: no configuration was posted. */
    | {
        readonly kind: 'configuration';
        readonly nodes: readonly NodeManagerModel[];
        readonly isInitial: boolean;
      }
    /** `warnings`: the parts that were left out, and the components without a service. */
    | { readonly kind: 'saved'; readonly warnings: readonly string[] };
  readonly refusal: 'INVALID';
  readonly context: ConfigurationRules;
  readonly status: 'INITIAL' | 'POSTED';
}
export type ConfigurationReply = Reply<ConfigurationTypes>;
