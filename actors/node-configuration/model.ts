import type { Reply } from '../runtime/machine.ts';

/** What is to run where, in the fields of specification 2.4. */
export interface EnvironmentVariableModel {
  readonly name: string;
  readonly value: string;
  /** Appended to an existing variable of this name with this between them; absent: the value replaces it. */
  readonly sep?: string | undefined;
}

export interface ServiceModel {
  readonly serviceName: string;
  readonly serviceDescription: string;
  /** Both run `cmd` with `args`; the word is kept for those who read it. */
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

/** This variable of a service is for the node manager, and not given to its processes. */
export const START_VARIABLE = 'TROUPE_START';
const ON_DEMAND = 'ON_DEMAND';

/** Whether a service starts when work waits, up to serviceCount, and is kept warm. Any other service starts at once and keeps running. */
export function startsOnDemand({ environmentVariables }: ServiceModel): boolean {
  return environmentVariables.some(
    ({ name, value }) => name === START_VARIABLE && value.trim().toUpperCase() === ON_DEMAND,
  );
}

export function onDemand(model: ServiceModel): ServiceModel {
  const environmentVariables = [...model.environmentVariables, { name: START_VARIABLE, value: ON_DEMAND }];
  return { ...model, environmentVariables };
}

/** Shown in place of the value of an environment variable, which may be a password, to users who are no ADMIN. */
export const HIDDEN_VALUE = '<hidden>';

/** The configuration without the values that only an ADMIN may see. */
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

/** Whether two services run the same program in the same place and environment, so that their processes are interchangeable. */
export function isSameDefinition(one: ServiceModel, other: ServiceModel): boolean {
  return definitionOf(one) === definitionOf(other);
}

function definitionOf({ cmd, args, workingDirectory, environmentVariables }: ServiceModel): string {
  const variables = environmentVariables
    .filter(({ name }) => name !== START_VARIABLE)
    .map(({ name, value, sep }) => [name, value, sep ?? null]);
  return JSON.stringify([cmd, args, workingDirectory, variables]);
}

/** The name under which a service is started, stopped and shown (specification 4.4); ranks count from 1. */
export const fullName = (host: string, service: string, rank: number) => `${host}:${service}:${rank}`;

/** The configuration of all nodes, as an ADMIN has posted it; null: nobody has, and the initial one is in force. */
export interface ConfigurationState {
  readonly nodes: readonly NodeManagerModel[] | null;
}

export type ConfigurationCommand =
  /** From an ADMIN: this is the configuration of all nodes from now on. */
  | { readonly type: 'save'; readonly nodes: readonly NodeManagerModel[] }
  /** From the edge, and from the server at start: what is in force? */
  | { readonly type: 'read' };

/** Every node manager is told of the configuration and tries to conform (specification 4.4). */
export interface ConfigurationEffect {
  readonly type: 'apply';
  readonly nodes: readonly NodeManagerModel[];
}

export interface ConfigurationRules {
  /** In force until another one is posted. */
  readonly initial: readonly NodeManagerModel[];
  readonly thisHost: string;
  /** Services of the installed components. */
  readonly installed: readonly string[];
  /** Services of the server itself: they are always there and cannot be configured. */
  readonly ownServices: readonly string[];
  readonly limits: ConfigurationLimits;
  /** What node classes run, as if each were a host. */
  classes?(): readonly NodeManagerModel[];
  /** Why else this cannot be the configuration, in a sentence. */
  objectionTo?(nodes: readonly NodeManagerModel[]): string | undefined;
}

/** What nodes of each class run: a class stands in place of a host. */
export interface NodeClasses {
  readonly classes: readonly NodeManagerModel[];
  /** Nobody has posted any: those that exist from the start are in force. */
  readonly isInitial: boolean;
}

export interface ConfigurationLimits {
  readonly nodes: number;
  /** Of one host. */
  readonly services: number;
  readonly serviceCount: number;
  /** Each service as often as its serviceCount says, on all hosts together: each is shown, and of this host kept, one by one. */
  readonly deployed: number;
}

export interface ConfigurationTypes {
  readonly state: ConfigurationState;
  readonly command: ConfigurationCommand;
  readonly effect: ConfigurationEffect;
  readonly reply:
    /** `isInitial`: nobody has posted one. */
    | {
        readonly kind: 'configuration';
        readonly nodes: readonly NodeManagerModel[];
        readonly isInitial: boolean;
      }
    /** `warnings`: what was left out of it, and which components it leaves without a service. */
    | { readonly kind: 'saved'; readonly warnings: readonly string[] };
  readonly refusal: 'INVALID';
  readonly context: ConfigurationRules;
  readonly status: 'INITIAL' | 'POSTED';
}
export type ConfigurationReply = Reply<ConfigurationTypes>;
