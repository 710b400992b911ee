import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { describeStreams } from './stream-metrics.ts';
import { serviceMetrics, type MetricSources, type ServiceMetrics } from '../../actors/views/metrics.ts';
import type { Happening } from '../../actors/basics/counts.ts';
import type { Info } from '../../config/info.ts';
import type { WorkMetrics } from './work-metrics.ts';

/** Upper bounds of the duration buckets: seconds. The long ones are for claims that wait for work, and for documents. */
const DURATIONS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Gauges of the library that have names of counters. Their values by type remain, as nodejs_active_handles and so on. */
const MISNAMED = [
  'nodejs_active_resources_total',
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']);

export interface MetricsDeps {
  readonly serviceMetrics: MetricSources;
  readonly work: WorkMetrics;
  readonly info: Info;
}

/** The metrics of a server for Prometheus. Labels only have values that the program or its catalog knows. */
export class Metrics {
  readonly #own: ReturnType<typeof ownMetrics>;
  readonly #deps: MetricsDeps;

  constructor(deps: MetricsDeps) {
    this.#deps = deps;
    this.#own = ownMetrics(deps.info);
  }

  /** A step around all others that counts the answers and measures their duration. */
  readonly measure: Middleware = (ctx, next) => {
    const started = performance.now();
    ctx.res.once('close', () => {
      const { method: given = '' } = ctx.req;
      const method = METHODS.has(given) ? given : 'OTHER';
      const route = routeOf(ctx);
      const status = ctx.res.statusCode;
      this.#own.durations.observe({ method, route, status }, (performance.now() - started) / 1_000);
    });
    return next();
  };

  async text(): Promise<string> {
    const registry = new Registry();
    describeMetrics(registry, await serviceMetrics(this.#deps.serviceMetrics));
    return Registry.merge([this.#own.registry, this.#deps.work.registry, registry]).metrics();
  }
}

/** Metrics of the process and of its requests. */
export function ownMetrics({ version, gitHash }: Pick<Info, 'version' | 'gitHash'>) {
  const registry = new Registry();
  const durations = new Histogram({
    name: 'troupe_http_request_duration_seconds',
    help: 'Time from a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATIONS,
    registers: [registry],
  });
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const labels = ['version', 'hash'];
  gauge(registry, 'troupe_build_info', 'Always 1; the labels say what runs', labels).set(
    { version, hash: gitHash },
    1,
  );
  return { registry, durations };
}

/** Lets clients with METRICS_TOKEN, and users that `authenticate` accepts, read the metrics. */
export function metricsReader(metricsToken: string | undefined, authenticate: Middleware): Middleware {
  const expected = metricsToken === undefined ? undefined : digest(metricsToken);
  return async (ctx, next) => {
    const known = expected !== undefined && timingSafeEqual(digest(tokenOf(ctx)), expected);
    await (known ? next() : authenticate(ctx, next));
  };
}

const tokenOf = (ctx: Context) => /^Bearer +(\S+)$/i.exec(ctx.get('authorization').trim())?.[1] ?? '';
const digest = (text: string) => createHash('sha256').update(text).digest();

/** Templates by route path. */
const TEMPLATES = new Map<string, string>();

/** Returns the template of the route that answered. Requests without a route share one label. */
function routeOf(ctx: Context): string {
  const matched: unknown = ctx['_matchedRoute'];
  if (typeof matched === 'string') {
    const template = TEMPLATES.get(matched) ?? matched.replaceAll(/:(\w+)/g, '{$1}');
    TEMPLATES.set(matched, template);
    return template;
  }
  return /^\/(?:oidc|mcp)(?=\/|$)/.exec(ctx.path)?.[0] ?? 'none';
}

const gauge = (registry: Registry, name: string, help: string, labelNames: readonly string[] = []) =>
  new Gauge({ name, help, labelNames, registers: [registry] });

/** Adds the metrics of the service to a registry. */
export function describeMetrics(
  registry: Registry,
  { jobs, leases, processes, ...rest }: ServiceMetrics,
): void {
  const jobGauge = gauge(registry, 'troupe_jobs', 'Jobs that have not ended', ['state']);
  jobGauge.set({ state: 'live' }, jobs.live);
  jobGauge.set({ state: 'waiting' }, jobs.waiting);
  describeFailures(registry, rest.failures);
  describeQueues(registry, rest);
  describeStreams(registry, rest.streams);
  const free = 'Free bytes on the disk of DATA_DIR';
  gauge(registry, 'troupe_disk_free_bytes', free).set(rest.freeBytes);
  if (rest.memory !== undefined) describeMemory(registry, rest.memory);
  if (rest.people !== undefined) describePeople(registry, rest.people);
  gauge(registry, 'troupe_leases', 'Sub-jobs that components have leased').set(leases);
  const processGauge = gauge(registry, 'troupe_component_processes', 'Component processes of this host', [
    'service',
  ]);
  for (const [service, count] of processes) processGauge.set({ service }, count);
  gauge(registry, 'troupe_actors_loaded', 'Actors in memory').set(rest.actorsLoaded);
  for (const [happening, [name, help]] of Object.entries(HAPPENINGS)) {
    const counter = new Counter({ name, help, labelNames: ['kind'], registers: [registry] });
    for (const [kind, count] of rest.happened[happening as Happening]) counter.inc({ kind }, count);
  }
}

function describeMemory(registry: Registry, { used, most }: NonNullable<ServiceMetrics['memory']>): void {
  gauge(registry, 'troupe_redis_memory_used_bytes', 'Memory that Redis uses').set(used);
  const limit = 'Memory that Redis can use (maxmemory); 0: no limit';
  gauge(registry, 'troupe_redis_memory_max_bytes', limit).set(most);
  const share = 'Part of its memory that Redis uses; 0: no limit';
  gauge(registry, 'troupe_redis_memory_share', share).set(most === 0 ? 0 : used / most);
}

function describePeople(registry: Registry, people: NonNullable<ServiceMetrics['people']>): void {
  gauge(registry, 'troupe_people', 'Groups of faces that look like one person').set(people.people);
  gauge(registry, 'troupe_people_faces', 'Face tracks in groups').set(people.faces);
  const most = 'Face tracks that can be in groups';
  gauge(registry, 'troupe_people_faces_max', most).set(people.mostFaces);
  const waiting = 'Face tracks that are not in groups yet';
  gauge(registry, 'troupe_people_faces_waiting', waiting).set(people.waitingFaces);
}

function describeFailures(registry: Registry, failures: ServiceMetrics['failures']): void {
  const about = 'Failed sub-jobs of stored jobs';
  const counts = gauge(registry, 'troupe_failures', about, ['group', 'component', 'code']);
  for (const { group, component, code, count } of failures) counts.set({ group, component, code }, count);
}

function describeQueues(
  registry: Registry,
  { queues, oldest }: Pick<ServiceMetrics, 'queues' | 'oldest'>,
): void {
  const lengths = gauge(registry, 'troupe_queue_length', 'Sub-jobs that wait for a component', ['queue']);
  const about = 'Age of the oldest waiting sub-job; 0: none';
  const ages = gauge(registry, 'troupe_queue_oldest_seconds', about, ['queue']);
  for (const { name, messagesInQueue } of queues) {
    lengths.set({ queue: name }, messagesInQueue);
    ages.set({ queue: name }, (oldest.get(name) ?? 0) / 1_000);
  }
}

const HAPPENINGS: Readonly<Record<Happening, readonly [name: string, help: string]>> = {
  restarted: ['troupe_actor_restarts_total', 'Actors that failed and were started again'],
  escalated: ['troupe_actor_escalations_total', 'Actors that failed too often'],
  deadLetter: ['troupe_dead_letters_total', 'Messages to actors that were not delivered'],
  quarantined: ['troupe_quarantined_actors_total', 'Actors whose stored state could not be read'],
};
