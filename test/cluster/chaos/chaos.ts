/**
 * Kills and freezes servers, components and Redis under load. Then jobs, documents and callbacks must be as
 * without faults.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { answer, drop, Receiver, type Manner } from '../../support/servers/receiver.ts';
import type { DetectionDocument, Service } from '../../support/processes/service.ts';
import { violationsOf } from './checks/chaos-checks.ts';
import { Asking } from './chaos-asking.ts';
import { Clients } from './chaos-clients.ts';
import { Registrar } from './chaos-registrar.ts';
import { camera, StreamClient } from './chaos-streams.ts';
import { ChaosCluster, LEASE_MS } from './chaos-cluster.ts';
import { lookAt, whatIsLeft } from './chaos-after.ts';
import { storyOf, type ChaosJob, type History, type LastSeen, type Violation } from './chaos-history.ts';
import { planFaults, randomOf, type Fault } from './chaos-plan.ts';
import { contentOf, shapesIn, type Shapes } from './chaos-shapes.ts';

export interface ChaosOptions {
  readonly seed: number;
  /** Duration of the faults. */
  readonly seconds: number;
  readonly servers: number;
  readonly kinds: readonly Fault['kind'][];
  say(line: string): void;
}

export interface ChaosReport {
  readonly violations: readonly Violation[];
  readonly lines: readonly string[];
}

const CLIENTS = 10;
/** After the last fault, all jobs must end within this time. */
const END_MS = 180_000;
const LOOK_MS = 250;
/** Share of callbacks that the receiver refuses or disconnects. */
const SHARE_REFUSED = 0.05;
const TOLD_OF = 2;
const STORY_LINES = 60;

export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, say } = options;
  const receiver = await Receiver.start(moody(seed));
  const eye = await camera();
  const cluster = await ChaosCluster.start(options);
  try {
    const shapes = shapesIn(cluster.mediaDir);
    const expected = await runUndisturbed(cluster.services[0]!, shapes);
    say('undisturbed documents are there');
    const clients = new Clients({
      ...{ seed, shapes, services: cluster.services, receiver: receiver.url },
      token: () => cluster.token(),
    });
    const token = () => cluster.token();
    const askStream = (stream: number) =>
      new Asking({ services: cluster.services, random: randomOf(seed, stream), token });
    const watcher = new StreamClient(askStream(2_000), randomOf(seed, 2_001), eye.url);
    const registrar = new Registrar(askStream(2_002), randomOf(seed, 2_003));
    await disturb(cluster, { clients, watcher, registrar }, options);
    say(
      `faults are over: ${clients.jobs.length} jobs, ${clients.calls.length} calls, ${cluster.struck.length} faults`,
    );
    const ended = await allEnd(cluster, clients.jobs);
    await lookAt(registrar.all, cluster.services, askStream(2_004));
    const left = await whatIsLeft(cluster);
    const history: History = {
      ...{
        calls: clients.calls,
        jobs: clients.jobs,
        streams: watcher.streams,
        registered: registrar.all,
        faults: cluster.struck,
        expected,
        left,
        leaseMs: LEASE_MS,
      },
      log: logsOf(cluster),
      callbacks: receiver.requests,
      last: ended,
    };
    return reportOf(history, seed);
  } finally {
    await cluster.close();
    await eye.close();
    await receiver.close();
  }
}

function moody(seed: number): Manner {
  const random = randomOf(seed, 1_000);
  return (received, response) => {
    const drawn = random();
    const manner = drawn < SHARE_REFUSED ? answer(503) : drawn < 2 * SHARE_REFUSED ? drop : answer(200);
    manner(received, response);
  };
}

async function runUndisturbed(service: Service, shapes: Shapes): Promise<ReadonlyMap<string, unknown>> {
  const documents = await Promise.all(
    [...shapes].map(async ([shape, request]) => [shape, contentOf(await service.run(request))] as const),
  );
  return new Map(documents);
}

interface AllClients {
  readonly clients: Clients;
  readonly watcher: StreamClient;
  readonly registrar: Registrar;
}

async function disturb(
  cluster: ChaosCluster,
  { clients, watcher, registrar }: AllClients,
  options: ChaosOptions,
): Promise<void> {
  const began = performance.now();
  const running = Promise.all([clients.run(CLIENTS), watcher.run(), registrar.run()]);
  for (const fault of planFaults(options)) {
    await sleep(Math.max(0, began + fault.at - performance.now()));
    cluster.strike(fault);
  }
  await cluster.waitUntilSettled();
  for (const one of [clients, watcher, registrar]) one.stop();
  await running;
}

/** Polls all jobs until they have ended and their callbacks have arrived, or until the time limit. */
async function allEnd(
  cluster: ChaosCluster,
  jobs: readonly ChaosJob[],
): Promise<ReadonlyMap<string, LastSeen>> {
  const last = new Map<string, LastSeen>();
  const until = Date.now() + END_MS;
  const open = new Map(jobs.map((job) => [job.jobId, job]));
  while (open.size > 0 && Date.now() < until) {
    for (const [n, job] of [...open.values()].entries()) {
      const service = cluster.services[n % cluster.services.length]!;
      const seen = await lastOf(service, job.jobId);
      if (seen !== undefined) last.set(job.jobId, seen);
      if (seen?.terminal === true && !seen.callbackStatus.startsWith('IN PROGRESS')) open.delete(job.jobId);
    }
    await sleep(LOOK_MS);
  }
  return last;
}

async function lastOf(service: Service, jobId: string): Promise<LastSeen | undefined> {
  try {
    const job = await service.job(jobId);
    if (job === undefined) return undefined;
    const { jobStatus, terminal, endDate, callbackStatus, outputObjectPath } = job;
    const document = terminal && outputObjectPath !== null ? await service.document(jobId) : undefined;
    return { jobStatus, terminal, endDate, callbackStatus, ...contentsOf(document) };
  } catch {
    return undefined;
  }
}

const contentsOf = (document: DetectionDocument | undefined): Pick<LastSeen, 'document' | 'mediaIds'> => ({
  document: document === undefined ? undefined : contentOf(document),
  mediaIds: document?.media.map(({ mediaId }) => mediaId) ?? [],
});

const logsOf = ({ services }: ChaosCluster): History['log'] =>
  services
    .flatMap((service, server) => service.log().map((line) => ({ ...line, server })))
    .toSorted((a, b) => a.time - b.time);

function reportOf(history: History, seed: number): ChaosReport {
  const violations = violationsOf(history);
  const ends = new Map<string, number>();
  for (const { jobStatus } of history.last.values()) ends.set(jobStatus, (ends.get(jobStatus) ?? 0) + 1);
  const faults = new Map<string, number>();
  for (const { kind } of history.faults) faults.set(kind, (faults.get(kind) ?? 0) + 1);
  const count = (all: ReadonlyMap<string, number>) => [...all].map(([name, n]) => `${n} ${name}`).join(', ');
  const summary = [
    `${history.jobs.length} jobs (${count(ends)}), ${history.calls.length} calls, ${history.callbacks.length} callbacks, ${history.streams.length} streams (${history.streams.map(({ seen }) => seen.at(-1)?.segments ?? 0).join(', ')} segments), ${history.registered.length} components and pipelines`,
    `faults: ${count(faults)}`,
  ];
  if (violations.length === 0) return { violations, lines: [...summary, `All is well, SEED=${seed}`] };
  const told = violations.slice(0, TOLD_OF).flatMap(({ job, rule, says }) => [
    `VIOLATED: ${rule}: ${says}`,
    ...(job === undefined
      ? []
      : storyOf(history, job)
          .slice(-STORY_LINES)
          .map((line) => `    ${line}`)),
  ]);
  const others = violations.slice(TOLD_OF).map(({ rule, says }) => `VIOLATED: ${rule}: ${says}`);
  const file = keep(history, seed);
  return {
    violations,
    lines: [
      ...summary,
      ...told,
      ...others,
      `${violations.length} violations, SEED=${seed}; the whole history: ${file}`,
    ],
  };
}

function keep({ calls, log, faults, callbacks, last }: History, seed: number): string {
  const folder = path.join(tmpdir(), 'troupe-chaos-histories');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${seed}-${process.pid}.json`);
  const lines = [...calls, ...log, ...faults, ...callbacks, ...last].map((line) => JSON.stringify(line));
  writeFileSync(file, lines.join('\n'));
  return file;
}
