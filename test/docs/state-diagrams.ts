/** Mermaid diagrams: states from the transition tables of actors, and paths through the rooms of the code. */
import { STATUS_TABLE } from '../../actors/batch-job/state/status.ts';
import type { ServiceCommand } from '../../actors/service/commands.ts';
import { NEW_SERVICE, type ServiceState } from '../../actors/service/state.ts';
import { DELIVERY_MACHINE } from '../../actors/delivery/transitions.ts';
import { NODE_CONFIGURATION_MACHINE } from '../../actors/node-configuration/transitions.ts';
import { NODE_MANAGER_MACHINE } from '../../actors/node-manager/transitions.ts';
import { STREAMING_JOB_MACHINE } from '../../actors/streaming-job/transitions.ts';
import { OPERATION_MACHINE } from '../../actors/operations/transitions.ts';
import { decide } from '../../actors/runtime/machine.ts';
import { SERVICE_MACHINE, type RestartPolicy } from '../../actors/service/transitions.ts';
import { MAILBOX, NEW_JOB, RESULT, SEGMENT, type Path } from '../house/paths.ts';
import { wrapLines } from './text/wrap-lines.ts';

/** One arrow of a diagram. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

/** Arrows between the same two states are merged. Labels keep the order of the table. */
export function stateDiagram(first: readonly string[], arrows: readonly Arrow[]): string {
  const labels = new Map<string, string[]>();
  for (const { from, to, label } of arrows) {
    const line = `${from} --> ${to}`;
    labels.set(line, [...(labels.get(line) ?? []), label]);
  }
  const left = new Set(arrows.map(({ from }) => from));
  const last = [...new Set(arrows.map(({ to }) => to))].filter((state) => !left.has(state));
  const lines = [
    ...first.map((state) => `[*] --> ${state}`),
    ...[...labels].map(([line, names]) => `${line}: ${names.join(', ')}`),
    ...last.map((state) => `${state} --> [*]`),
  ];
  return ['```mermaid', 'stateDiagram-v2', ...lines.map((line) => `    ${line}`), '```'].join('\n');
}

export function statusArrows(): readonly Arrow[] {
  return Object.entries(STATUS_TABLE).flatMap(([from, events]) =>
    Object.entries(events).map(([label, to]) => ({ from, to, label })),
  );
}

const POLICY: RestartPolicy = {
  delayMs: 1,
  maxDelayMs: 1,
  failures: 5,
  withinMs: 60_000,
  retries: true,
  stopMs: 1,
  shutdownMs: 1,
};
const SERVICE_STEPS: readonly ((incarnation: number) => ServiceCommand)[] = [
  () => ({ type: 'configure', changed: false }),
  () => ({ type: 'configure', changed: true }),
  () => ({ type: 'delete' }),
  () => ({ type: 'launch' }),
  (incarnation) => ({ type: 'rest', incarnation }),
  () => ({ type: 'start' }),
  () => ({ type: 'stop' }),
  (incarnation) => ({ type: 'started', incarnation, pid: 1 }),
  (incarnation) => ({ type: 'ended', incarnation, cameUp: true, reason: '' }),
  (incarnation) => ({ type: 'ended', incarnation, cameUp: false, reason: '' }),
  (incarnation) => ({ type: 'ended', incarnation, cameUp: false, unstartable: true, reason: '' }),
  (incarnation) => ({ type: 'relaunch', incarnation }),
  (incarnation) => ({ type: 'kill', incarnation, reason: '' }),
  () => ({ type: 'shutdown' }),
];

/**
 * Transitions of a service that can really happen. Walks its table from the start, with and without a pause
 * that resets the failures.
 */
export function serviceArrows(): readonly Arrow[] {
  const arrows = new Map<string, Arrow>();
  const seen = new Set<string>();
  const open: ServiceState[] = [NEW_SERVICE];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const { status, failures, alive, again, resting, stopped, unlaunchable } = state;
    const known = JSON.stringify([status, failures.length, alive, again, resting, stopped, unlaunchable]);
    if (seen.has(known)) continue;
    seen.add(known);
    for (const step of SERVICE_STEPS)
      for (const at of [0, POLICY.withinMs]) {
        const command = step(state.incarnation);
        const { state: after = state } = decide(SERVICE_MACHINE, state, command, { at, policy: POLICY });
        // Resets the failures, so that the number of states is finite.
        open.push({ ...after, failures: after.failures.map(() => 0) });
        const arrow = { from: state.status, to: after.status, label: command.type };
        if (after.status !== state.status) arrows.set(Object.values(arrow).join(' '), arrow);
      }
  }
  const order = Object.keys(SERVICE_MACHINE.on);
  return [...arrows.values()].toSorted(
    (a, b) =>
      order.indexOf(a.label) - order.indexOf(b.label) || compare(a.from, b.from) || compare(a.to, b.to),
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

interface Table {
  readonly on: Readonly<Record<string, { readonly from: readonly string[]; readonly to: Targets }>>;
}
type Targets = readonly string[] | Readonly<Record<string, readonly string[] | undefined>>;

/** Possible targets of a transition from this status. */
export const targetsOf = (to: Targets, from: string): readonly string[] =>
  isList(to) ? to : (to[from] ?? []);
const isList = (to: Targets): to is readonly string[] => Array.isArray(to);

/**
 * Arrows of a table with the source and target of each command. Transitions to the same state are left out.
 */
export function declaredArrows({ on }: Table): readonly Arrow[] {
  return Object.entries(on).flatMap(([label, { from: all, to }]) =>
    all.flatMap((from) =>
      targetsOf(to, from)
        .filter((target) => target !== from)
        .map((target) => ({ from, to: target, label })),
    ),
  );
}

/** The rooms in the order of their calls, with numbers, and the location of their code below. */
export function pathDiagram({ rooms, calls, optional = [] }: Path): string {
  const names = [...new Set(calls.flat())];
  const node = (name: string) => `room${names.indexOf(name)}["${name}"]`;
  const arrows = calls.map(([from, to], n) => {
    const isOptional = optional.includes(to);
    return `${node(from)} ${isOptional ? '-.->' : '-->'}|${n + 1}| ${node(to)}`;
  });
  const code = rooms
    .filter(({ name }) => names.includes(name))
    .map((room) => wrapLines(`- ${room.name}: ${room.code.map((one) => `\`${one}\``).join(', ')}`, '  '));
  const lines = ['flowchart LR', ...arrows.map((arrow) => `    ${arrow}`)];
  return ['```mermaid', ...lines, '```', '', ...code].join('\n');
}

const pathSection = (path: Path): readonly string[] => [
  `### ${path.title}`,
  '',
  path.of,
  '',
  pathDiagram(path),
  '',
];

export function stateDiagramsPage(): string {
  return `---
description: The states of jobs and services.
---

# State diagrams

These diagrams show the states of actors and the commands that change them.

## Status of a batch job

Chapter 3.1 of the [specification](specification.md). An event without an arrow does not change the
status.

${stateDiagram(['INITIALIZED', 'IN_PROGRESS'], statusArrows())}

## Status of a streaming job

Chapter 3.2. NONE means that the job does not exist yet.

${stateDiagram(['NONE'], declaredArrows(STREAMING_JOB_MACHINE))}

## Operation

An operation does one action to many jobs. In MATCHING it finds them, or, in RECEIVING, stores the
ids that a client has sent. UNKNOWN means that it does not exist.

${stateDiagram(['UNKNOWN'], declaredArrows(OPERATION_MACHINE))}

## Service

Chapter 3.3. A command without an arrow does not change the state.

${stateDiagram(['Unknown'], serviceArrows())}

## Node configuration

Chapter 2.4.

${stateDiagram(['INITIAL'], declaredArrows(NODE_CONFIGURATION_MACHINE))}

## Node manager

A server that stops also stops its services and starts no new ones.

${stateDiagram(['WORKING'], declaredArrows(NODE_MANAGER_MACHINE))}

## Delivery to one destination

IN_TROUBLE means that several attempts in a row have failed. Until one succeeds, the receiver gets
one callback at a time.

${stateDiagram(['WELL'], declaredArrows(DELIVERY_MACHINE))}

The catalog, system messages, admission and the dispatcher have no states. They accept every command
at any time.

## Paths through the rooms

A test records these paths in a running server (\`test/house/paths.test.ts\`). Each room is entered
once, in the order of the numbers. Between the rooms are mailboxes
(${MAILBOX.code.map((one) => `\`${one}\``).join(', ')}). A dotted arrow is optional.

${[RESULT, NEW_JOB, SEGMENT].flatMap(pathSection).join('\n')}`;
}
