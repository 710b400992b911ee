/** The reference page of metrics, generated from the registries that the server exposes. */
import { Registry } from 'prom-client';
import type { ServiceMetrics } from '../../actors/views/metrics.ts';
import { describeMetrics, ownMetrics } from '../../http/metrics/metrics.ts';
import { WorkMetrics } from '../../http/metrics/work-metrics.ts';
import { plain, wrapLines } from './text/wrap-lines.ts';

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames?: readonly string[];
}

/** A new server that uses Redis and groups faces, so it has every metric. */
const FRESH: ServiceMetrics = {
  jobs: { live: 0, waiting: 0 },
  streams: [],
  queues: [],
  failures: [],
  oldest: new Map(),
  freeBytes: 0,
  memory: { used: 0, most: 0 },
  people: { people: 0, faces: 0, mostFaces: 0, waitingFaces: 0 },
  leases: 0,
  processes: new Map(),
  actorsLoaded: 0,
  happened: {
    restarted: new Map(),
    escalated: new Map(),
    deadLetter: new Map(),
    quarantined: new Map(),
  },
};

const HEAD = `---
description: Every Prometheus metric at /metrics.
---

# Metrics

Send a token of a user, or the token in \`METRICS_TOKEN\`. [Monitor](../guides/monitor.md) shows which
metrics to alert on. The parentheses show the type and the labels. \`troupe_redis_*\` exist only with
Redis, \`troupe_people*\` only with FACE_EMBEDDING=true.
`;

export function metricsPage(): string {
  const figures = new Registry();
  describeMetrics(figures, FRESH);
  const own = ownMetrics({ version: '', gitHash: '' }).registry;
  const all = [own, new WorkMetrics().registry, figures].flatMap(
    (registry) => registry.getMetricsAsArray() as unknown as readonly Metric[],
  );
  const sorted = all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const isOurs = ({ name }: Metric) => name.startsWith('troupe_');
  return [
    HEAD,
    '## Troupe\n',
    `${sorted.filter(isOurs).map(entry).join('\n')}\n`,
    '## Process\n',
    'Metrics with the prefixes `nodejs_` and `process_` describe the Node.js process.\n',
  ].join('\n');
}

function entry({ name, help, type, labelNames = [] }: Metric): string {
  const labels = labelNames.length === 0 ? '' : `; ${labelNames.map((label) => `\`${label}\``).join(', ')}`;
  return wrapLines(`- \`${name}\` (${type}${labels}): ${plain(help).replace(/\.$/, '')}.`, '  ');
}
