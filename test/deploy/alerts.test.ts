/**
 * Alert rules, the dashboard and the scaling of nodes: Prometheus accepts them, and each of their metrics and
 * labels exists.
 */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { packageRoot } from '../../config/info.ts';
import { LIVE_PIPELINE, registerLivePipeline, SEGMENT_SIZE } from '../support/live-pipeline.ts';
import { redisOfSuite } from '../support/redis/redis.ts';
import { sampleUri, Service } from '../support/processes/service.ts';
import { has, pathOf, textOf, yamlOf } from './files.ts';

const ALERTS = 'prometheus/alerts.yml';
const DASHBOARD = 'grafana/troupe.json';

interface Alerts {
  readonly groups: readonly { readonly rules: readonly { readonly expr: string }[] }[];
}
interface Panel {
  readonly type: string;
  readonly title: string;
  readonly id: number;
  readonly targets?: readonly { readonly expr: string }[];
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
}
interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

interface ScaledObject {
  readonly spec: { readonly triggers: readonly { readonly metadata: { readonly query: string } }[] };
}

const alerts = yamlOf(ALERTS) as Alerts;
const scaledNodes = yamlOf('kubernetes/autoscaling/nodes.yaml') as ScaledObject;
const dashboard = JSON.parse(textOf(DASHBOARD)) as Dashboard;
const expressions = [
  ...alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...scaledNodes.spec.triggers.map(({ metadata }) => metadata.query),
  ...dashboard.templating.list.flatMap(({ definition }) => definition ?? []),
];

/** Added by Prometheus. */
const OF_PROMETHEUS = { metrics: ['up'], labels: ['job', 'instance'] };
/**
 * Labels that may be missing in a scrape: those that Prometheus adds, and that of counters for failed actors.
 */
const LATER = [...OF_PROMETHEUS.labels, 'kind'];

const metricsIn = (expression: string) =>
  expression.replaceAll(/"[^"]*"/g, '').match(/\b(?:troupe|nodejs|process)_\w+|\bup\b/g) ?? [];
const labelsIn = (expression: string) => [
  ...[...expression.matchAll(/\{([^}]*)\}/g)].flatMap(([, matchers]) =>
    [...matchers!.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!),
  ),
  ...[...expression.matchAll(/\b(?:by|without|on) \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(/, */)),
];

/** Names of metrics (including the series of histograms) and of labels. */
function namesIn(scrape: string) {
  const types = [...scrape.matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  const metrics = types.flatMap(([, name, type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => `${name}${end}`) : [name!],
  );
  const labels = [...scrape.matchAll(/^\w+\{(.*)\} \S+$/gm)].flatMap(([, list]) =>
    [...list!.matchAll(/(\w+)="/g)].map(([, label]) => label!),
  );
  return { metrics: new Set(metrics), labels: new Set(labels) };
}

describe('The alert rules and the dashboard', () => {
  it('are taken by Prometheus, and raise the alarms that they are for', function () {
    if (!has('promtool')) this.skip();
    const run = (...args: readonly string[]) => {
      const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
      expect(status, `${stdout}${stderr}`).to.equal(0);
    };
    run('check', 'rules', pathOf(ALERTS));
    run('test', 'rules', path.join(packageRoot, 'test', 'deploy', 'alerts.promtool.yml'));
  });

  it('have panels that lie side by side, each with an id of its own', () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).to.equal(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
    );
    expect(new Set(cells).size).to.equal(cells.length);
    for (const { gridPos, title } of panels) expect(gridPos.x + gridPos.w, title).to.be.at.most(24);
    for (const { type, targets, title } of panels)
      if (type !== 'row') expect(targets?.length, title).to.be.above(0);
  });

  describe('beside a server that works, with a Redis', () => {
    const redis = redisOfSuite();
    let service: Service;
    let scrape: string;
    before(async () => {
      service = await Service.here({ STORE: 'redis', REDIS_URL: redis().url });
      await service.run({ media: [sampleUri('astronaut.png')], pipelineName: 'LIGHT PIPELINE' });
      await service.run({ media: ['data:image/png;base64,AAAA'], pipelineName: 'LIGHT PIPELINE' });
      await registerLivePipeline(service);
      const stream = { streamUri: 'rtsp://camera.example/live', segmentSize: SEGMENT_SIZE };
      const request = { stream, stallTimeout: -1, pipelineName: LIVE_PIPELINE, enableOutputToDisk: false };
      expect((await service.ask('POST', '/rest/streaming/jobs', request)).status).to.equal(201);
      scrape = (await service.ask('GET', '/metrics')).text;
    });
    after(() => service?.close());

    it('name metrics and labels that it has', () => {
      const { metrics, labels } = namesIn(scrape);
      expect(expressions.length).to.be.above(50);
      for (const expression of expressions) {
        const named = metricsIn(expression);
        expect(named, expression).to.have.length.above(0);
        expect(named.filter((name) => !metrics.has(name) && !OF_PROMETHEUS.metrics.includes(name))).to.deep.equal([]); // oxfmt-ignore
        const unknown = labelsIn(expression).filter((label) => !labels.has(label) && !LATER.includes(label));
        expect(unknown, expression).to.deep.equal([]);
      }
    });

    it('leave out none of its own metrics', () => {
      const shown = new Set(expressions.flatMap(metricsIn).map(familyOf));
      const own = [...namesIn(scrape).metrics].filter((name) => name.startsWith('troupe_')).map(familyOf);
      expect(own.filter((name) => !shown.has(name))).to.deep.equal([]);
    });
  });
});

const familyOf = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
