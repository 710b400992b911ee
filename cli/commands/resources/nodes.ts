/** `troupe nodes ...` and `troupe services ...` (specification 4.4). */
import type {
  ServiceModel,
  NodeClass,
  NodeInfo,
  NodeManagerModel,
  Deployed,
  Drain,
  DeployedService,
  ServiceLog,
} from '../../../client/answers.ts';
import type { Command } from 'commander';
import type { Column } from '../../terminal/columns.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import {
  askCommand,
  momentText,
  readCommand,
  segment,
  show,
  tableOr,
  textOf,
  type RestOptions,
} from './command.ts';

const NAME: Column<ServiceModel> = { title: 'SERVICE', of: ({ serviceName }) => serviceName };
const COMMAND: Column<ServiceModel> = {
  title: 'COMMAND',
  of: ({ cmd, args }) => [cmd, ...args].join(' '),
  flexible: true,
};
const COUNT: Column<ServiceModel> = {
  title: 'COUNT',
  of: ({ serviceCount }) => String(serviceCount),
  right: true,
};
const OFFERED: readonly Column<ServiceModel>[] = [
  NAME,
  { title: 'DESCRIPTION', of: ({ serviceDescription }) => serviceDescription, flexible: true },
  COMMAND,
];
const CONFIGURED: readonly Column<ServiceModel & { readonly host: string }>[] = [
  { title: 'HOST', of: ({ host }) => host },
  NAME,
  COUNT,
  COMMAND,
];
const OF_CLASS: readonly Column<ServiceModel & { readonly name: string }>[] = [
  { title: 'CLASS', of: ({ name }) => name },
  NAME,
  COUNT,
  COMMAND,
];
const DEPLOYED: readonly Column<DeployedService>[] = [
  { title: 'SERVICE', of: ({ name }) => name },
  { title: 'STATE', of: ({ lastKnownState }) => lastKnownState },
  { title: 'RESTARTS', of: ({ restartCount }) => String(restartCount), right: true },
  {
    title: 'NOTE',
    of: ({ unlaunchable, draining }) => {
      if (unlaunchable) return 'cannot be launched: see troupe nodes logs';
      return draining === undefined ? '' : 'draining';
    },
  },
];
const HOSTS: readonly Column<readonly [string, boolean]>[] = [
  { title: 'HOST', of: ([host]) => host },
  { title: 'NODE MANAGER', of: ([, connected]) => (connected ? 'connected' : 'not connected') },
];

const NODES: readonly Column<NodeInfo>[] = [
  { title: 'HOST', of: ({ host }) => host },
  { title: 'NODE', of: (node) => (node.own ? 'of the server' : standingOf(node)) },
  { title: 'VERSION', of: ({ version }) => version ?? '' },
  { title: 'SERVICES', of: ({ services }) => String(services), right: true },
  { title: 'RUNNING', of: ({ running }) => String(running), right: true },
  { title: 'NOTE', of: noteOf, flexible: true },
];
const standingOf = ({ connected, lastHeard }: NodeInfo) =>
  connected ? 'connected' : lastHeard === null ? 'not connected' : `silent since ${lastHeard}`;

function noteOf({ configured, connected, version, draining, nodeClass }: NodeInfo): string {
  if (draining !== undefined) return `draining since ${momentText(draining.since)}`;
  if (nodeClass !== undefined && configured) return `class ${nodeClass}`;
  if (!configured) return 'the configuration has nothing for it';
  return connected || version !== null ? '' : 'start it there: troupe node --server URL';
}

export function nodeCommands(program: Command, terminal: Terminal): void {
  const nodes = program
    .command('nodes')
    .description(
      'hosts and their services: list, config, apply, classes, apply-classes, hosts, info, logs, drain, undrain',
    );
  listCommand(nodes, terminal);
  const of = (path: string) => `/rest/nodes/${path}`;
  const about = 'show the configuration; --json is the input of "apply"';
  readCommand<readonly NodeManagerModel[]>(nodes, terminal, 'config', about, of('config'), {
    lines: (all) => {
      const rows = all.flatMap(({ host, services }) => services.map((service) => ({ ...service, host })));
      return tableOr('No services are configured.', CONFIGURED, rows, terminal);
    },
  });
  applyCommand(nodes, terminal);
  classCommands(nodes, terminal);
  readCommand<Readonly<Record<string, boolean>>>(nodes, terminal, 'hosts', 'show the hosts', of('hosts'), {
    lines: (hosts) => tableOr('There are no hosts.', HOSTS, Object.entries(hosts), terminal),
  });
  readCommand<Deployed>(nodes, terminal, 'info', 'show the state of all services', of('info'), {
    lines: ({ nodeModels }) => tableOr('There are no services.', DEPLOYED, nodeModels, terminal),
  });
  const what = 'show the last lines of a service: <host>:<service>:<n>, as troupe nodes info shows it';
  const log = (name: string) => of(`services/${segment(name)}/log`);
  readCommand<ServiceLog>(nodes, terminal, 'logs <SERVICE>', what, log, { lines: logLines });
  drainCommands(nodes, terminal, 'node', of(''));
}

function logLines({ name, lines }: ServiceLog): readonly string[] {
  if (lines.length === 0) return [`${name} has written nothing since its node was started.`];
  return lines.map(
    ({ at, process, source, text }) => `${at} ${process.replace(/^.*#/, '#')} ${source}: ${text}`,
  );
}

/** Adds the list of hosts, the default command of `troupe nodes`. */
function listCommand(nodes: Command, terminal: Terminal): void {
  const about = 'show all hosts';
  askCommand(nodes, 'list', about, { isDefault: true }).action((options: RestOptions) =>
    show<readonly NodeInfo[]>(
      terminal,
      options,
      { method: 'GET', path: '/rest/nodes' },
      {
        lines: (all) => tableOr('There are no nodes.', NODES, all, terminal),
      },
    ),
  );
}

function applyCommand(nodes: Command, terminal: Terminal): void {
  const about = 'configure all hosts: a JSON file, or - for standard input';
  askCommand(nodes, 'apply <FILE>', about).action(async (file: string, options: RestOptions) => {
    const call = { method: 'POST', path: '/rest/nodes/config', body: await textOf(file) } as const;
    await show<{ readonly message: string | null }>(terminal, options, call, {
      lines: ({ message }) => [
        'The configuration is saved. troupe nodes info shows its effect.',
        ...(message === null ? [] : [message]),
      ],
    });
  });
}

/** Adds the commands for services of nodes that are started with --class. */
function classCommands(nodes: Command, terminal: Terminal): void {
  const about = 'show the node classes; --json is the input of "apply-classes"';
  readCommand<readonly NodeClass[]>(nodes, terminal, 'classes', about, '/rest/nodes/classes', {
    lines: (all) => {
      const rows = all.flatMap(({ name, services }) => services.map((service) => ({ ...service, name })));
      return tableOr('There are no node classes.', OF_CLASS, rows, terminal);
    },
  });
  const what = 'replace all node classes';
  askCommand(nodes, 'apply-classes <FILE>', what).action(async (file: string, options: RestOptions) => {
    const call = { method: 'POST', path: '/rest/nodes/classes', body: await textOf(file) } as const;
    await show<readonly NodeClass[]>(terminal, options, call, {
      lines: (all) => [`The node classes are saved: ${all.map(({ name }) => name).join(', ') || 'none'}.`],
    });
  });
}

const CHANGES = [
  ['start', 'is starting'],
  ['stop', 'is stopping, and stays stopped until you start it'],
] as const;

export function serviceCommands(program: Command, terminal: Terminal): void {
  const services = program.command('services').description('services: list, start, stop, drain, undrain');
  const about = 'list services that nodes can run';
  readCommand<Readonly<Record<string, ServiceModel>>>(
    services,
    terminal,
    'list',
    about,
    '/rest/nodes/services',
    {
      lines: (availableServices) =>
        tableOr('There are no services.', OFFERED, Object.values(availableServices), terminal),
    },
  );
  for (const [verb, done] of CHANGES) {
    const what = `${verb} a service: <host>:<service>:<n>, as troupe nodes info shows it`;
    askCommand(services, `${verb} <NAME>`, what).action((name: string, options: RestOptions) => {
      const call = { method: 'POST', path: `/rest/nodes/services/${segment(name)}/${verb}` } as const;
      return show(terminal, options, call, { lines: () => [`Service ${name} ${done}.`] });
    });
  }
  drainCommands(services, terminal, 'service', '/rest/nodes/services/');
}

/** `troupe servers ...` */
export function serverCommands(program: Command, terminal: Terminal): void {
  const servers = program.command('servers').description('servers by the host of their node: drain, undrain');
  drainCommands(servers, terminal, 'server', '/rest/servers/');
}

function drainCommands(group: Command, terminal: Terminal, kind: string, path: string): void {
  const verbs = [
    ['drain', `give a ${kind} no new work; running work finishes`],
    ['undrain', `give a ${kind} work again`],
  ] as const;
  for (const [verb, about] of verbs)
    askCommand(group, `${verb} <NAME>`, about).action((name: string, options: RestOptions) =>
      show<Drain>(
        terminal,
        options,
        { method: 'POST', path: `${path}${segment(name)}/${verb}` },
        { lines: ({ draining, working }) => [drainLine(kind, name, draining !== undefined, working)] },
      ),
    );
}

function drainLine(kind: string, name: string, drains: boolean, working: number): string {
  const what = `The ${kind} ${name}`;
  if (!drains) return `${what} gets work again.`;
  if (working === 0) return `${what} is drained: nothing runs there.`;
  return `${what} is draining: ${working} ${working === 1 ? 'sub-job is' : 'sub-jobs are'} still running.`;
}
