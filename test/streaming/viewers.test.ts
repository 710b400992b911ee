/** Live views of a stream: current frames, a limit of viewers, and no memory growth for slow viewers. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect } from 'chai';
import type { Streams } from '../../actors/guardian/register-streams.ts';
import { LivePictures } from '../../http/events/live-pictures.ts';
import { readPictures } from '../../page/streams/read-pictures.ts';
import { claimLive, LIVE_PIPELINE, registerLivePipeline } from '../support/live-pipeline.ts';
import { RawComponent } from '../support/processes/raw-component.ts';
import { Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const MOST_VIEWERS = 8;
const LARGE_BYTES = 1_000_000;
const PICTURES = 200;

describe('Viewers of a live stream', function () {
  this.timeout(120_000);
  let service: Service;
  let component: RawComponent;
  before(async () => {
    service = await Service.start();
    await registerLivePipeline(service);
    component = new RawComponent(service);
  });
  after(() => service.close());

  async function begin() {
    const { status, text, body } = await service.ask('POST', '/rest/streaming/jobs', {
      ...{ enableOutputToDisk: false, stallTimeout: -1, pipelineName: LIVE_PIPELINE },
      stream: { streamUri: 'rtsp://camera.example/live', segmentSize: 10 },
    });
    expect(status, text).to.equal(201);
    const { jobId } = body as { jobId: number };
    return { id: jobId, token: (await claimLive(component, jobId)).token };
  }
  const open = (id: number, signal?: AbortSignal) =>
    fetch(`${service.url}/rest/streaming/jobs/${id}/live.mjpeg`, {
      headers: { authorization: `Bearer ${service.token}` },
      ...(signal && { signal }),
    });
  const wanted = (token: string) =>
    until(
      'pictures are wanted',
      () => component.events(token),
      ({ body }) => (body as { wantsFrame?: boolean }).wantsFrame === true,
    );
  const rssOf = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))![1]) * 1_024;

  it('get each picture that comes, until the job ends', async () => {
    const { id, token } = await begin();
    const answer = await open(id);
    expect(answer.headers.get('content-type')).to.equal('multipart/x-mixed-replace; boundary=picture');
    const seen: string[] = [];
    const reading = readPictures(
      answer.body!,
      (picture) => void picture.text().then((text) => seen.push(text)),
    );
    for (let n = 0; n < 5; n++) {
      await wanted(token);
      expect(await component.picture(token, Buffer.from(`picture ${n}`))).to.equal(200);
      await until(`picture ${n} is seen`, () => seen.length === n + 1);
    }
    expect(seen).to.deep.equal(Array.from({ length: 5 }, (_, n) => `picture ${n}`));
    await component.end(token, { reason: 'ended', detail: '' });
    await reading;
    const after = await open(id);
    expect([after.status, ((await after.json()) as { code: string }).code]).to.deep.equal([
      404,
      'live-picture-unavailable',
    ]);
    expect((await open(999_999)).status).to.equal(400);
  });

  it('miss pictures when they read slowly, and cost no memory', async () => {
    const { id, token } = await begin();
    const { hostname, port } = new URL(service.url);
    const slow = connect(Number(port), hostname);
    slow.on('error', () => undefined);
    slow.write(
      `GET /rest/streaming/jobs/${id}/live.mjpeg HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\n\r\n`,
    );
    slow.pause();
    const gone = new AbortController();
    const fast = await open(id, gone.signal);
    let seen = 0;
    const reading = readPictures(fast.body!, () => void seen++).catch(() => undefined);
    const large = Buffer.alloc(LARGE_BYTES, 'x');
    await wanted(token);
    for (let n = 0; n < 20; n++) await component.picture(token, large);
    const before = rssOf();
    for (let n = 20; n < PICTURES; n++) await component.picture(token, large);
    await until('the fast viewer has seen pictures', async () => {
      await component.picture(token, large);
      return seen > 20;
    });
    expect(rssOf() - before).to.be.below(80 * 1_024 * 1_024);
    gone.abort();
    await reading;
    slow.destroy();
    await until(
      'no picture is wanted any more',
      () => component.events(token),
      ({ body }) => (body as { wantsFrame?: boolean }).wantsFrame !== true,
    );
    await component.end(token, { reason: 'ended', detail: '' });
  });

  it('are few: another one is refused until one has left', async () => {
    const { id, token } = await begin();
    const gone = Array.from({ length: MOST_VIEWERS }, () => new AbortController());
    for (const one of gone) expect((await open(id, one.signal)).status).to.equal(200);
    const refused = await open(id);
    expect(refused.status).to.equal(503);
    expect(await refused.text()).to.include(`has ${MOST_VIEWERS} viewers already`);
    gone[0]!.abort();
    const last = new AbortController();
    await until('there is room again', async () => (await open(id, last.signal)).status === 200);
    for (const one of [...gone, last]) one.abort();
    await component.end(token, { reason: 'ended', detail: '' });
  });
});

describe('A viewer of a live stream without pictures', () => {
  const SILENCE_MS = 50;
  /** A stream whose pictures the test sends. */
  async function open() {
    const followers: ((picture: { readonly jpeg: Buffer }) => void)[] = [];
    const streams = {
      live: { followers: () => 0, follow: (_: number, one: () => void) => (followers.push(one), () => undefined), watch: () => () => undefined }, // oxfmt-ignore
      views: { detailedStream: () => Promise.resolve({ jobStatus: 'IN_PROGRESS' }) },
    };
    const body = await new LivePictures(streams as unknown as Streams, SILENCE_MS).open(1);
    return { body: body!, show: followers[0]! };
  }

  it('gets the end of its answer after a while, and no error', async () => {
    const { body } = await open();
    expect(Buffer.concat((await body.toArray()) as Buffer[]).toString()).to.equal('\r\n');
  });

  it('is disconnected if it does not read the pictures that came', async () => {
    const { body, show } = await open();
    show({ jpeg: Buffer.alloc(LARGE_BYTES) });
    await once(body, 'close');
    expect([body.writableEnded, body.readableEnded]).to.deep.equal([false, false]);
  });
});
