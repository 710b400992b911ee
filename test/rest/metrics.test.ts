/** GET /metrics, for Prometheus. */
import { expect } from 'chai';
import { RawComponent } from '../support/raw-component.ts';
import { ServiceWithRoles } from '../support/roles.ts';
import { sampleUri, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

const TOKEN = 'a-token-for-prometheus';

describe('GET /metrics', () => {
  let roles: ServiceWithRoles;
  let service: Service;
  before(async () => {
    roles = await ServiceWithRoles.started({ METRICS_TOKEN: TOKEN, MAX_LIVE_JOBS: '1' });
    service = roles.service;
  });
  after(() => roles.close());

  const scrape = async () =>
    (await service.ask('GET', '/metrics', undefined, { authorization: `Bearer ${TOKEN}` })).text;
  /** The value of a sample; undefined when it is not there. */
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
    const job = { media: [sampleUri('astronaut.png')], pipelineName: 'ABSENT PIPELINE' };
    expect(await value(queue)).to.equal(0);
    const ids = [await service.submit(job), await service.submit(job)];
    await until(
      'one job waits for its component',
      () => value(queue),
      (seen) => seen === 1,
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
    await component.release(taken!.token);

    for (const id of ids) await service.cancel(id);
    await until(
      'no job is live',
      () => value('troupe_jobs{state="live"}'),
      (seen) => seen === 0,
    );
    expect(await value('troupe_jobs{state="waiting"}')).to.equal(0);
  });
});
