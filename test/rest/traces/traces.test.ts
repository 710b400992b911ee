/** Traces of jobs, from a running service to a real OTLP receiver. */
import { expect } from 'chai';
import { RawComponent } from '../../support/processes/raw-component.ts';
import { Service } from '../../support/processes/service.ts';
import { Collector, type ReceivedSpan } from './collector.ts';
import { answer, inTurn, Receiver } from '../../support/servers/receiver.ts';
import { until } from '../../support/until.ts';
import { LIGHT } from '../jobs/callbacks-suite.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CLIENT = 'b7ad6b7169203331';
const traceparent = `00-${TRACE}-${CLIENT}-01`;
const MEDIA = LIGHT.media.map((mediaUri) => ({ mediaUri }));
/** The OpenTelemetry library exports spans at this interval. */
const QUICK = { OTEL_BSP_SCHEDULE_DELAY: '100', DELIVERY_FIRST_DELAY_MS: '50' };

describe('The trace of a job', () => {
  let collector: Collector;
  let receiver: Receiver;
  let service: Service | undefined;
  beforeEach(async () => {
    collector = await Collector.start();
    receiver = await Receiver.start();
  });
  afterEach(async () => {
    await service?.close();
    service = undefined;
    await Promise.all([collector.close(), receiver.close()]);
  });

  const start = async (env: Readonly<Record<string, string>> = {}) => {
    service = await Service.start({ ...QUICK, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env });
    return service;
  };
  const submit = async (given: Service, headers: Readonly<Record<string, string>>, more: object = {}) => {
    const request = { ...LIGHT, media: MEDIA, callbackURL: receiver.url, ...more };
    const { status, body } = await given.ask('POST', '/rest/jobs', request, headers);
    expect(status).to.equal(201);
    return (body as { jobId: string }).jobId;
  };
  const spansOf = (id: string) =>
    until(
      `the spans of ${id} have come`,
      () => collector.spans,
      (spans) =>
        spans.some(({ name }) => name === 'callback') && spans.some(({ name }) => name.startsWith('job ')),
    );
  const named = (spans: readonly ReceivedSpan[], name: RegExp) =>
    spans.filter((span) => name.test(span.name));
  const ofTrace = (spans: readonly ReceivedSpan[]) => spans.filter(({ traceId }) => traceId === TRACE);

  it('continues that of the client from the request to each attempt at the callback', async () => {
    receiver.manner = inTurn(answer(503), answer(200));
    const given = await start({ OTEL_SERVICE_NAME: 'my-troupe' });
    const id = await submit(given, { traceparent });
    await until('both attempts have come', () => receiver.requests.length === 2);
    await until('both are reported', () => named(collector.spans, /^callback$/).length === 2);
    const spans = await spansOf(id);
    expect(new Set(spans.map(({ traceId }) => traceId))).to.deep.equal(new Set([TRACE]));
    expect(new Set(spans.map(({ service: name }) => name))).to.deep.equal(new Set(['my-troupe']));
    const [request] = named(spans, /^POST /);
    const [job] = named(spans, /^job LIGHT PIPELINE$/);
    expect(request).to.include({ name: 'POST /rest/jobs', parentSpanId: CLIENT, kind: 2 });
    expect(job).to.include({ parentSpanId: request!.spanId });
    expect(job!.attributes).to.include({ 'troupe.job.id': id, 'troupe.job.status': 'COMPLETE' });
    const subJobs = named(spans, /^sub-job /);
    expect(subJobs.map(({ name }) => name)).to.include.members(['sub-job PREPARE', 'sub-job DETECT']);
    for (const subJob of subJobs) {
      expect(subJob.parentSpanId).to.equal(job!.spanId);
      expect(spans.filter(({ parentSpanId }) => parentSpanId === subJob.spanId)).to.have.length(1);
    }
    expect(named(spans, /^component LIGHT$/)).to.have.length(1);
    const attempts = named(spans, /^callback$/);
    expect(attempts.map(({ parentSpanId, kind }) => [parentSpanId, kind])).to.deep.equal([
      [job!.spanId, 3],
      [job!.spanId, 3],
    ]);
    expect(attempts.map(({ status: { code = 0 } }) => code)).to.deep.equal([2, 0]);
    expect(receiver.requests.map(({ headers }) => headers['traceparent'])).to.deep.equal(
      attempts.map(({ spanId }) => `00-${TRACE}-${spanId}-01`),
    );
  });

  it('stands in the lines of the log with the id of the job', async () => {
    const given = await start();
    const id = await submit(given, { traceparent });
    await spansOf(id);
    for (const message of ['a job was accepted', 'a job has ended', 'delivered a callback or archive post']) {
      const line = (await until(`the log has: ${message}`, () => given.log(message)[0]))!;
      expect([line['jobId'], line['traceId']], message).to.deep.equal([id, TRACE]);
    }
    expect(given.log('audit').at(-1)).to.include({ traceId: TRACE });
  });

  it('begins with the request when the client has none', async () => {
    const id = await submit(await start(), {});
    const spans = await spansOf(id);
    const [request] = named(spans, /^POST /);
    expect(request!.parentSpanId ?? '').to.equal('');
    expect(new Set(spans.map(({ traceId }) => traceId))).to.deep.equal(new Set([request!.traceId]));
  });

  it('is handed to a component and goes on after the server was killed', async () => {
    const given = await start();
    const id = await submit(given, { traceparent }, { pipelineName: 'ABSENT PIPELINE' });
    const component = new RawComponent(given);
    const before = await component.claimOf(id, 'ABSENT');
    await given.kill9();
    await given.start();
    const work = await new RawComponent(given).claimOf(id, 'ABSENT');
    expect(before.traceparent).to.match(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    expect(work.traceparent).to.match(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    await new RawComponent(given).failure(work.token, 'DETECTION_FAILED', 'It cannot.');
    await given.terminal(id);
    const spans = ofTrace(await spansOf(id));
    const [job] = named(spans, /^job /);
    const [part] = named(spans, /^component ABSENT$/);
    expect(part!.spanId).to.equal(work.traceparent!.split('-')[2]);
    expect(part!.status.code).to.equal(2);
    const [subJob] = spans.filter(({ spanId }) => spanId === part!.parentSpanId);
    expect(subJob?.parentSpanId).to.equal(job!.spanId);
  });

  it('is passed on and not reported when the client does not want that', async () => {
    const unwanted = `00-${TRACE}-${CLIENT}-00`;
    await submit(await start(), { traceparent: unwanted });
    await until('it has called back', () => receiver.requests.length === 1);
    expect(receiver.requests[0]!.headers['traceparent']).to.match(new RegExp(`^00-${TRACE}-.*-00$`));
    await service!.stop();
    expect(ofTrace(collector.spans)).to.deep.equal([]);
  });

  it('is passed on as it came by a server that reports nothing', async () => {
    service = await Service.start();
    await submit(service, { traceparent });
    await until('it has called back', () => receiver.requests.length === 1);
    expect(receiver.requests[0]!.headers['traceparent']).to.equal(traceparent);
  });

  it('holds up neither jobs nor the end of the server when its collector is away', async () => {
    const given = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    });
    const id = await submit(given, { traceparent });
    await given.terminal(id);
    await until(
      'the log says so',
      () => given.log('traces could not be sent to their collector').length === 1,
    );
    const started = performance.now();
    await given.stop();
    expect(performance.now() - started).to.be.lessThan(5_000);
  });
});
