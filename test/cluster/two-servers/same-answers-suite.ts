/**
 * Two servers of one store give equal responses when nothing has changed for a while, whichever server got
 * earlier requests.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { claimLive, LIVE_PIPELINE, segmentLines } from '../../support/live-pipeline.ts';
import { EventClient } from '../../support/events.ts';
import { RawComponent } from '../../support/processes/raw-component.ts';
import { sampleUri, type Service } from '../../support/processes/service.ts';
import { story } from '../../support/story.ts';
import { until } from '../../support/until.ts';
import type { ServerPair } from './server-pair.ts';

const SHOT = { media: [sampleUri('hello-world.png')], pipelineName: 'LIGHT PIPELINE' };
/** Fields that belong to one server or to the moment of the request. */
const OWN: ReadonlySet<string> = new Set(['own', 'lastHeard', 'elapsedTimeMs']);
/** Metrics with values for all servers together (docs/guides/monitor.md). */
const COMMON = /^troupe_(jobs|queue_length|leases|streaming_jobs)(\{| )/;

/** `isLong`: includes cases that unit tests also cover, and variations. */
export function sameAnswers(pair: () => ServerPair, { isLong }: { readonly isLong: boolean }): void {
  story('After quiet two servers', 'What waits while they are asked ends at last.', () => {
    const both = () => [pair().one, pair().two];
    let jobs: readonly string[];
    let stream: number;
    let waiting: { readonly id: string; go(): void };
    before(async () => {
      const { one, two } = pair();
      await two.ask('POST', '/rest/pipelines', { name: 'NEW', description: 'New.', tasks: ['LIGHT TASK'] });
      await one.ask('POST', '/rest/system-message', JSON.stringify('Hello.'));
      await two.ask('POST', '/rest/system-message', JSON.stringify('Good bye.'));
      await until('the other knows the pipeline', async () =>
        [200].includes((await one.ask('GET', '/rest/pipelines/NEW')).status),
      );
      // The searches agree on the order of two ends only if the first one is stored a second after the other
      // at the latest, so the jobs run one after the other.
      const first = await one.submit({ ...SHOT, pipelineName: 'NEW', externalId: 'case 1' });
      await two.terminal(first);
      const complete = [first, await two.submit(SHOT)];
      const failed = await one.submit({ ...SHOT, media: ['data:image/png;base64,AAAA'] });
      const file = join(one.folder, 'go-on');
      const takeItem = (at: Service) =>
        at.submit({
          ...SHOT,
          pipelineName: 'TROUBLE PIPELINE',
          jobProperties: { TROUBLE: 'wait', TROUBLE_FILE: file },
        });
      const cancelled = await takeItem(two);
      await one.cancel(cancelled);
      waiting = { id: await takeItem(one), go: () => writeFileSync(file, '') };
      jobs = [...complete, failed, cancelled];
      for (const id of jobs) await two.terminal(id);
      await until('it is worked on', () =>
        both().some((at) =>
          at
            .handedOut()
            .some(({ subJob, worker }) => subJob.startsWith(`${waiting.id}.`) && /Trouble/.test(worker)),
        ),
      );
      stream = await runStream();
    });

    /** Runs a streaming job with one segment to its end. */
    const runStream = async () => {
      const { one, two } = pair();
      const { status, text, body } = await one.ask('POST', '/rest/streaming/jobs', {
        enableOutputToDisk: true,
        stream: { streamUri: 'rtsp://camera.example/live', segmentSize: 10 },
        stallTimeout: 60_000,
        pipelineName: LIVE_PIPELINE,
      });
      expect(status, text).to.equal(201);
      const { jobId } = body as { jobId: number };
      const [here, there] = [new RawComponent(one), new RawComponent(two)];
      const { token } = await claimLive(there, jobId);
      await here.events(token, { type: 'opened', at: 1_000, width: 640, height: 360, fps: 5 });
      await there.segment(token, 0, segmentLines(0, 1_000));
      await one.ask('POST', `/rest/streaming/jobs/${jobId}/cancel`);
      await here.end(token, { reason: 'cancelled', detail: '' });
      return jobId;
    };

    /** Removes fields of one server or of the moment, and sorts lists of hosts, services and hits of streams. */
    const common = (value: unknown): unknown => {
      if (Array.isArray(value)) {
        const all = value.map(common);
        const isNamed = all.every(
          (one) => typeof one === 'object' && one !== null && ('host' in one || 'name' in one),
        );
        if (isNamed) return all.toSorted(byText);
        return [...all.filter((one) => !isHitOfStream(one)), ...all.filter(isHitOfStream).toSorted(byText)];
      }
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .filter(([name]) => !OWN.has(name))
          .map(([name, one]) => [name, common(one)])
          .toSorted(([a], [b]) => ((a as string) < (b as string) ? -1 : 1)),
      );
    };
    const askFor = async (at: Service, path: string) => {
      const { status, body, text } = await at.ask('GET', path);
      return { status, said: common(body ?? text) };
    };
    const same = (path: string) =>
      until(
        `both answer ${path} alike`,
        async () => {
          const [a, b] = await Promise.all(both().map((at) => askFor(at, path)));
          return { status: a!.status, difference: firstDifference(a, b) };
        },
        ({ status, difference }) => status === 200 && difference === undefined,
      );

    for (const path of [
      '/rest/jobs',
      '/rest/jobs?terminal=true&limit=2',
      '/rest/jobs/stats',
      '/rest/queues',
      '/rest/queues/TROUPE.DETECTION_TROUBLE_REQUEST',
      '/rest/nodes',
      '/rest/nodes/info',
      '/rest/nodes/hosts',
      '/rest/nodes/config',
      '/rest/nodes/services',
      '/rest/pipelines',
      '/rest/pipelines/NEW',
      '/rest/tasks',
      '/rest/actions',
      '/rest/algorithms',
      '/rest/components',
      '/rest/system-message',
      '/rest/streaming/jobs',
      '/rest/models',
      '/rest/info',
      '/rest/search?limit=500',
    ])
      it(`answer GET ${path} alike`, () => same(path));

    it('tell alike of each job, of what it found, and of a stream', async () => {
      for (const id of [...jobs, waiting.id]) {
        await same(`/rest/jobs/${id}`);
        await same(`/rest/jobs/${id}?details=true`);
      }
      await same(`/rest/jobs/${waiting.id}/issues`);
      await same(`/rest/jobs/${jobs[0]}/output/detection`);
      await same(`/rest/jobs/${jobs[0]}/media`);
      await same(`/rest/streaming/jobs/${stream}`);
      await same(`/rest/streaming/jobs/${stream}?details=true`);
    });

    it('give the same gauges of what they have together', async () => {
      const gauges = async (at: Service) => {
        const { text } = await at.ask('GET', '/metrics');
        return text
          .split('\n')
          .filter((line) => COMMON.test(line))
          .toSorted();
      };
      await until(
        'the gauges are the same',
        () => Promise.all(both().map(gauges)),
        ([a, b]) => a!.length > 0 && JSON.stringify(a) === JSON.stringify(b),
      );
    });

    it('show the same of a job to whoever watches it, to its end', async () => {
      const { one, two } = pair();
      const watching = await Promise.all(
        [one, two].map((at) => EventClient.open(at, `/rest/jobs/${waiting.id}/events`)),
      );
      waiting.go();
      await Promise.all(watching.map(({ end }) => end));
      const [a, b] = watching.map(({ events }) => events.at(-1)?.data);
      expect(a).to.deep.equal(b);
      expect(a).to.include({ jobStatus: 'COMPLETE' });
    });

    if (!isLong) return;

    it('say the same of why a job waits that one of them alone can work for', async () => {
      const { one, two } = pair();
      type Configured = {
        readonly host: string;
        readonly services: readonly { readonly serviceName: string }[];
      };
      const configuration = (await one.ask('GET', '/rest/nodes/config')).body as readonly Configured[];
      const posted = configuration.map(({ host, services }) => ({
        host,
        services: services.filter(({ serviceName }) => host === 'two' || serviceName !== 'TestTrouble'),
      }));
      expect((await one.ask('POST', '/rest/nodes/config', posted)).status).to.equal(201);
      await until('the first has none any more', async () => {
        const { text } = await two.ask('GET', '/rest/nodes/info');
        return !text.includes('one:TestTrouble:1');
      });
      const file = join(one.folder, 'at-two');
      const takeItem = () =>
        one.submit({
          ...SHOT,
          pipelineName: 'TROUBLE PIPELINE',
          jobProperties: { TROUBLE: 'wait', TROUBLE_FILE: file },
        });
      const ids = [await takeItem(), await takeItem()];
      const why = async (at: Service) =>
        (await Promise.all(ids.map((id) => at.detailedJob(id)))).flatMap(
          (job) => job?.waitingFor?.reason ?? [],
        );
      await until(
        'both say that the one waits for the other',
        () => Promise.all(both().map(why)),
        ([a, b]) =>
          a!.length === 1 && a![0]!.startsWith('Its next sub-job') && JSON.stringify(a) === JSON.stringify(b),
      );
      writeFileSync(file, '');
      for (const id of ids) expect((await two.terminal(id)).jobStatus).to.equal('COMPLETE');
    });
  });
}

const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

/** Each server indexes segments of streams when it sees them, so their order may differ. */
const isHitOfStream = (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  'trackId' in value &&
  'stream' in value &&
  value.stream !== null;

/** The first lines in which the values differ as JSON. */
function firstDifference(...values: readonly [unknown, unknown]): readonly string[] | undefined {
  const [a, b] = values.map((value) => JSON.stringify(value, null, 1).split('\n')) as [string[], string[]];
  const line = a.findIndex((text, n) => text !== b[n]);
  return line === -1
    ? undefined
    : [a, b].map((lines) => lines.slice(Math.max(0, line - 3), line + 3).join(''));
}
