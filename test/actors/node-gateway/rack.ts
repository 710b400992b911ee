/** A node on another host for tests of the gateway, with its first request. */
import type { SyncRequest } from '../../../actors/node-gateway/messages.ts';
import type { DeployedServiceModel } from '../../../actors/node-manager/node-state.ts';

export const NODE = 'rack-2';
export const SILENCE_MS = 10_000;
export const TOKEN_MS = 60_000;

export const FACES = {
  serviceName: 'Faces',
  serviceDescription: '',
  serviceLauncher: 'generic' as const,
  cmd: 'x',
  args: [],
  serviceCount: 2,
  workingDirectory: '.',
  environmentVariables: [],
};

export const deployService = (
  rank: number,
  more: Partial<DeployedServiceModel> = {},
): DeployedServiceModel => ({
  name: `${NODE}:Faces:${rank}`,
  kind: 'generic',
  rank,
  serviceCount: 2,
  lastKnownState: 'Configured',
  restartCount: 0,
  unlaunchable: false,
  ...more,
});

export const FIRST: SyncRequest = {
  instance: 'one',
  formerly: null,
  turn: 0,
  version: '1.4.2',
  server: '',
  done: 0,
  configuration: '',
  services: [],
  processes: [],
  news: [],
  installed: [],
  leaving: false,
  waitMs: 0,
};

export const silentLogger = { debug() {}, info() {}, warn() {}, error() {} };
