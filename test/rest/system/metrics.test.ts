import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { RawComponent } from '../../support/processes/raw-component.ts';
import { ServiceWithRoles } from '../../support/roles.ts';
import { sampleUri, type Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const TOKEN = 'a-token-for-prometheus';

describe('GET /metrics', () => {
  let roles: ServiceWithRoles;
  let service: Service;
  before(async () => {
    roles = await ServiceWithRoles.here({ METRICS_TOKEN: TOKEN, MAX_LIVE_JOBS: '1' });
    service = roles.service;
  });
  after(() => roles.close());

  const scrape = async () =>
    (await service.ask('GET', '/metrics', undefined, { authorization: `Bearer ${TOKEN}` })).text;
  /** The value of a sample, or undefined if it does not exist. */
  const sample = (text: string, name: string) => {
    const line = text.split('\n').find((one) => one.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.slice(name.length + 1));
  };
  const value = async (name: string) => sample(await scrape(), name);

  it('is for users, administrators and whoever has METRICS_TOKEN, and for nobody else', async () => {
    const status = async (authorization: string) =>
      (await service.ask('GET', '/metrics', undefined, { authorization })).status;
    expect(await status(`Bearer ${TOKEN}`)).to.equal(200);
    expect(await status('')).to.equal(401);
    for (const wrong of [`Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, TOKEN])
      expect([wrong, await status(wrong)]).to.deep.equal([wrong, 401]);
    const by = async (client: 'user' | 'admin' | 'nobody') =>
      (await roles.as(client, 'GET', '/metrics')).status;
    expect([await by('user'), await by('admin'), await by('nobody')]).to.deep.equal([200, 200, 403]);
  });

  it('is all that METRICS_TOKEN opens', async () => {
    const authorization = `Bearer ${TOKEN}`;
    expect((await service.ask('GET', '/rest/info', undefined, { authorization })).status).to.equal(401);
    expect((await service.ask('POST', '/worker/v1/claim', {}, { authorization })).status).to.equal(401);
  });

  it('is in the text format of Prometheus, with help, type and unique samples', async () => {
    const { headers, text } = await service.ask('GET', '/metrics', undefined, {
      authorization: `Bearer ${TOKEN}`,
    });
    expect(headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
    const lines = text.split('\n').filter((line) => line !== '');
    const samples = lines.filter((line) => !line.startsWith('#'));
    for (const line of samples)
      expect(line).to.match(
        /^[a-zA-Z_:][\w:]*(\{(\w+="([^"\\\n]|\\.)*",?)+\})? (-?[\d.e+-]+|Na[Nn]|[+-]Inf)$/,
      );
    const names = samples.map((line) => line.replace(/ [^ ]+$/, ''));
    expect(new Set(names).size).to.equal(names.length);
    for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_seconds', 'troupe_actors_loaded'])
      expect(
        lines.some((line) => line.startsWith(`# TYPE ${name} `)),
        name,
      ).to.equal(true);
  });

  it('counts and times requests by route, method and status, however many paths there are', async () => {
    const name =
      'troupe_http_request_duration_seconds_count{method="GET",route="/rest/jobs/{id}",status="400"}';
    const before = (await value(name)) ?? 0;
    for (let n = 0; n < 5; n++) await service.ask('GET', `/rest/jobs/none-${n}${n}`);
    for (let n = 0; n < 5; n++) await service.ask('GET', `/rest/nothing/${n}${n}`);
    await fetch(`${service.url}/x/y/z`, { method: 'PROPFIND' });
    await until(
      'the requests are counted',
      () => value(name),
      (seen) => seen === before + 5,
    );
    const text = await scrape();
    expect(
      sample(text, 'troupe_http_request_duration_seconds_count{method="OTHER",route="none",status="501"}'),
    ).to.equal(1);
    expect(
      sample(text, 'troupe_http_request_duration_seconds_count{method="GET",route="none",status="404"}'),
    ).to.be.at.least(5);
    expect(text).to.not.include('none-11').and.not.include('/rest/nothing');
  });

  it('tells live and waiting jobs, queue lengths, leases and component processes', async () => {
    const queue = 'troupe_queue_length{queue="TROUPE.DETECTION_ABSENT_REQUEST"}';
    const job = { media: [sampleUri('hello-world.png')], pipelineName: 'ABSENT PIPELINE' };
    expect(await value(queue)).to.equal(0);
    const ids = [await service.submit(job), await service.submit(job)];
    await until(
      'one job waits for its component',
      () => value(queue),
      (seen) => seen === 1,
    );
    await until(
      'the first of them has waited a while',
      () => value('troupe_queue_oldest_seconds{queue="TROUPE.DETECTION_ABSENT_REQUEST"}'),
      (seen) => seen !== undefined && seen > 0.2,
    );
    const before = await scrape();
    expect([
      sample(before, 'troupe_jobs{state="live"}'),
      sample(before, 'troupe_jobs{state="waiting"}'),
      sample(before, 'troupe_leases'),
      sample(before, 'troupe_component_processes{service="TroupeMedia"}'),
    ]).to.deep.equal([1, 1, 0, 1]);

    const component = new RawComponent(service);
    const [taken] = await component.claim('ABSENT');
    const held = await scrape();
    expect([sample(held, queue), sample(held, 'troupe_leases')]).to.deep.equal([0, 1]);
    expect(sample(held, 'troupe_queue_oldest_seconds{queue="TROUPE.DETECTION_ABSENT_REQUEST"}')).to.equal(0);
    await component.release(taken!.token);

    for (const id of ids) await service.cancel(id);
    await until(
      'no job is live',
      () => value('troupe_jobs{state="live"}'),
      (seen) => seen === 0,
    );
    expect(await value('troupe_jobs{state="waiting"}')).to.equal(0);
  });

  it('counts jobs by pipeline and status, sub-jobs with time by algorithm, and detections', async () => {
    const ended = 'troupe_jobs_ended_total{pipeline="LIGHT PIPELINE",status="COMPLETE"}';
    const before = await scrape();
    expect(sample(before, 'troupe_disk_free_bytes')).to.be.above(0);
    const job = { media: [sampleUri('hello-world.png')], pipelineName: 'LIGHT PIPELINE' };
    for (let n = 0; n < 2; n++) await service.run(job);
    // The counter increases shortly after the end of the job is stored.
    await until(
      'both jobs are counted',
      () => value(ended),
      (seen) => seen === (sample(before, ended) ?? 0) + 2,
    );
    const after = await scrape();
    const growthOf = (name: string) => (sample(after, name) ?? 0) - (sample(before, name) ?? 0);
    const light = 'troupe_sub_job_duration_seconds_count{algorithm="LIGHT",outcome="done"}';
    expect([growthOf(ended), growthOf(light)]).to.deep.equal([2, 2]);
    expect(growthOf('troupe_sub_job_duration_seconds_sum{algorithm="LIGHT",outcome="done"}')).to.be.above(0);
    expect([growthOf('troupe_tracks_total'), growthOf('troupe_detections_total')]).to.deep.equal([2, 2]);
  });

  it('is without fault for "promtool check metrics"', async function () {
    const lint = spawnSync('promtool', ['check', 'metrics'], { input: await scrape(), encoding: 'utf8' });
    if (lint.error !== undefined) return this.skip();
    expect([lint.status, lint.stdout, lint.stderr]).to.deep.equal([0, '', '']);
  });

  it('names every metric after what it is: help, type, base units, _total for counters alone', async () => {
    const text = await scrape();
    const types = [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name = '', type = '']) => ({
      name,
      type,
    }));
    expect(types).to.have.length.above(20);
    for (const { name, type } of types) {
      expect(text, name).to.match(new RegExp(`^# HELP ${name} \\S`, 'm'));
      expect(name.endsWith('_total'), `${name} is a ${type}`).to.equal(type === 'counter');
      expect(name).to.not.match(
        /_(ms|millis|milliseconds|minutes|hours|kb|mb|kilobytes|megabytes|percent)(_|$)/,
      );
      expect(name, 'the type is no part of the name').to.not.match(/_(gauge|counter|histogram|summary)(_|$)/);
      expect(name).to.match(/^[a-z][a-z0-9_]*$/);
    }
  });
});
