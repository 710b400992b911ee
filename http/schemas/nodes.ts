import { z } from 'zod';
import { HIDDEN_VALUE } from '../../actors/node-configuration/model.ts';
import { pausedSince } from './common.ts';
import { SERVICE_STATUSES } from '../../actors/service/state.ts';

/** Bodies of the node endpoints (specification 2.4). Each schema validates, types and documents. */
const MAX_TEXT = 4_096;
const MAX_ARGUMENT = 32_768;

/** Text that can be passed to a process. */
const plain = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => !text.includes('\0'), { error: 'must not contain the character NUL' });
const numberSchema = (most: number) =>
  plain(most).refine((text) => text.trim() !== '', { error: 'must not be blank' });
const nameSchema = (rule: RegExp, error: string) => z.string().trim().min(1).max(256).regex(rule, { error });

const environmentVariableModel = z
  .object({
    name: z
      .string()
      .max(256)
      .regex(/^[^=\0\s]+$/, { error: 'must not be empty or contain "=" or white space' })
      .describe('Name of the variable'),
    value: plain(MAX_ARGUMENT)
      .refine((value) => value !== HIDDEN_VALUE, {
        error: `is ${HIDDEN_VALUE}, the placeholder for a hidden value; send the value itself`,
      })
      .describe('${NAME} in it is replaced by the value of this variable'),
    sep: plain(16)
      .nullish()
      .transform((sep) => sep ?? undefined)
      .pipe(z.string().optional())
      .describe('Separator to append the value to an existing variable; absent: the value replaces it'),
  })
  .meta({ id: 'EnvironmentVariableModel' });

export const serviceModel = z
  .object({
    serviceName: nameSchema(/^[^/;\p{Cc}]+$/u, 'must not contain "/", ";" or control characters').describe(
      'Name of a component, or any other',
    ),
    serviceDescription: z.string().max(MAX_TEXT).describe('What the service is for'),
    serviceLauncher: z.enum(['simple', 'generic']).describe('Both run cmd with args'),
    cmd: numberSchema(MAX_TEXT).describe('An executable file, or a program in PATH'),
    serviceCount: z.int().min(0).describe('Number of services to start'),
    workingDirectory: plain(MAX_TEXT).describe('Relative to the folder of the server package'),
    args: z
      .array(plain(MAX_ARGUMENT))
      .max(1_000)
      .nullish()
      .transform((args) => args ?? [])
      .pipe(z.array(z.string()))
      .describe('Arguments of cmd'),
    environmentVariables: z
      .array(environmentVariableModel)
      .max(1_000)
      .nullish()
      .transform((variables) => variables ?? [])
      .pipe(
        z.array(
          z.object({
            name: z.string().describe('Name of the variable'),
            value: z.string().describe('Its value; secret ones are hidden'),
            sep: z.string().optional().describe('Separator to append the value to an existing one'),
          }),
        ),
      )
      .describe('Variables of the environment of its processes'),
  })
  .meta({ id: 'ServiceModel' });

const nodeManagerModel = z
  .object({
    host: nameSchema(/^[^\s:/;\p{Cc}]+$/u, 'must not contain ":", "/", ";" or white space').describe(
      'Host name, or NODE_NAME of a node; no port',
    ),
    services: z.array(serviceModel).describe('The services that the node must run'),
  })
  .meta({ id: 'NodeManagerModel' });

export const nodeConfiguration = z.array(nodeManagerModel);

/** Valid names of node classes. */
export const NODE_CLASS = /^\w[\w.-]{0,63}$/;
export const NODE_CLASS_ERROR = 'must have 1 to 64 letters, digits, "_", "." and "-"';

export const nodeClasses = z.array(
  z
    .object({
      name: z.string().regex(NODE_CLASS, { error: NODE_CLASS_ERROR }).describe('Name of the class'),
      services: z.array(serviceModel).describe('The services that each of its nodes runs'),
    })
    .meta({ id: 'NodeClass' }),
);

export const deployedServiceModel = z
  .object({
    name: z.string().describe('<host>:<service>:<n>'),
    kind: z.enum(['simple', 'generic']).describe('serviceLauncher of the service'),
    rank: z.int().min(1).describe('Number of this process of the service, from 1'),
    serviceCount: z.int().min(0).describe('serviceCount of the service: the number of processes'),
    lastKnownState: z.enum(SERVICE_STATUSES).describe('Specification 3.3'),
    restartCount: z.int().min(0).describe('Restarts of the process since it was configured'),
    unlaunchable: z.boolean().describe('The service can no longer be launched'),
    draining: pausedSince.optional().describe('It gets no new work; absent: it does'),
  })
  .meta({ id: 'DeployedServiceModel' });

export const deployedNodeManagerModel = z
  .object({
    nodeModels: z.array(deployedServiceModel).describe('All deployed services, one entry for each process'),
  })
  .meta({ id: 'DeployedNodeManagerModel' });

export const lineSource = z
  .enum(['stdout', 'stderr', 'process'])
  .describe('process: when a process began and why it ended, reported by the node');

export const serviceLog = z
  .object({
    name: z.string().describe('<host>:<service>:<n>'),
    lines: z
      .array(
        z.object({
          at: z.iso.datetime().describe('When it was written'),
          process: z
            .string()
            .describe('The process: name of the service, "#" and the number of earlier starts'),
          source: lineSource,
          text: z.string().describe('Text of the line; long lines are cut'),
        }),
      )
      .describe('The newest last'),
  })
  .meta({ id: 'ServiceLog' });

export const nodeInfos = z.array(
  z
    .object({
      host: z.string().describe('Host name, or NODE_NAME'),
      own: z.boolean().describe('The node of the server itself'),
      connected: z.boolean().describe('true: it is connected to the server'),
      configured: z.boolean().describe('The configuration names it'),
      version: z.string().nullable().describe('Of Troupe; null: it was never connected'),
      lastHeard: z.iso
        .datetime()
        .nullable()
        .describe('Its last message; null: none, or it shut down normally'),
      services: z.int().min(0).describe('Number of services that it must run'),
      running: z.int().min(0).describe('Services that run there now'),
      nodeClass: z.string().optional().describe('Its node class; absent: none'),
      draining: pausedSince.optional().describe('The node or its server gets no new work; absent: it does'),
    })
    .meta({ id: 'NodeInfo' }),
);
export const nodeHosts = z.record(z.string(), z.boolean().describe('It is configured to run a node manager'));
export const availableServices = z.record(z.string(), serviceModel).describe('By serviceName');
