/** Recordings of cameras on the page: requested with a new stream, and clips of zone events. */
import { expect } from 'chai';
import { rtsp } from '../../media/live/live-watching.ts';
import { CLIP, serviceWithCameras } from '../../streaming/cameras-support.ts';
import { ZoneWalker } from '../../streaming/zones/zone-walker.ts';
import { violationsOf } from '../../support/browser/axe.ts';
import { Chromium, hasChromium } from '../../support/browser/chromium.ts';
import { claimLive, LIVE_PIPELINE, registerLivePipeline } from '../../support/live-pipeline.ts';
import { RawComponent } from '../../support/processes/raw-component.ts';
import { Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const WHOLE = { name: 'all', points: [[0, 0], [1, 0], [1, 1], [0, 1]] }; // oxfmt-ignore
const ZONES = { zones: [WHOLE], rules: [{ name: 'in', zone: 'all' }], anchor: 'CENTER' };
const VIDEO = `document.querySelector('.clip video')`;
const CLIP_OF_RULE = { name: /^Clip: in: / };

(hasChromium ? describe : describe.skip)('Recordings of a camera on the page', function () {
  this.timeout(240_000);
  const cameras = serviceWithCameras((env) => Service.here({ ...env, LEASE_MS: '120000' }));
  let chromium: Chromium;
  before(async () => {
    chromium = await Chromium.start();
    await registerLivePipeline(cameras.service());
  });
  after(() => chromium?.close());
  afterEach(cameras.clear);

  const recorded = (streamUri: string) => ({ streamUri, segmentSize: 20, recording: { days: 1 } });

  it('are asked for with a new stream', async () => {
    const { url } = await rtsp(CLIP, () => ({ speed: 1, after: 'stall' }));
    const { page } = await chromium.reader(cameras.service(), '#/streams');
    await page.getByLabel('Camera address').fill(url);
    await page.getByLabel('What to look for').selectOption('MOTION DETECTION PIPELINE');
    await page.getByLabel('Record (days)').fill('2');
    await page.getByRole('button', { name: 'Watch' }).click();
    await page.waitForURL(/#\/streams\/\d+$/);
    const id = Number(page.url().split('/').at(-1));
    expect((await cameras.info(id))['recording']).to.deep.equal({ days: 2, bytes: 20_000_000_000 });
  });

  it('are of another address if so wanted, and events have receivers', async () => {
    const service = cameras.service();
    const { url } = await rtsp(CLIP, () => ({ speed: 1, after: 'stall' }));
    const { page, complaints } = await chromium.reader(service, '#/streams');
    await page.getByLabel('Camera address').fill(url);
    await page.getByLabel('What to look for').selectOption('MOTION DETECTION PIPELINE');
    await page.getByText('More', { exact: true }).click();
    const large = 'rtsp://viewer:pa55word@camera.example/large';
    await page.getByLabel('Address to record').fill(large);
    await page.getByLabel('Webhook for events').fill('ftp://receiver.example');
    await page.getByLabel('MQTT broker for events').fill('mqtt://broker.example');
    expect(await violationsOf(page, 'the form of a new camera')).to.deep.equal([]);
    await page.getByRole('button', { name: 'Watch' }).click();
    await page.getByRole('alert').getByText('ftp://receiver.example').waitFor();
    complaints.length = 0;
    await page.getByLabel('Webhook for events').fill('http://127.0.0.1:1/events');
    const posted = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Watch' }).click();
    expect((await posted).postDataJSON()).to.deep.include({
      events: { callbackUri: 'http://127.0.0.1:1/events', mqtt: { url: 'mqtt://broker.example' } },
    });
    await page.waitForURL(/#\/streams\/\d+$/);
    const id = Number(page.url().split('/').at(-1));
    const recording = (await cameras.info(id))['recording'] as Readonly<Record<string, unknown>>;
    expect(recording).to.include({ days: 7 });
    expect(recording['streamUri']).to.include('@camera.example/large').and.not.include('pa55word');
    expect(complaints).to.deep.equal([]);
  });

  it('have a clip of each event, which plays', async () => {
    const { url } = await rtsp(CLIP, () => ({ speed: 1 }));
    const more = { stream: recorded(url), jobProperties: { FRAME_INTERVAL: '1' }, ...ZONES };
    const id = await cameras.submit(url, more);
    await cameras.becomes(id, 'TERMINATED');
    const { page, complaints } = await chromium.reader(cameras.service(), `#/streams/${id}`);
    await page.getByRole('button', CLIP_OF_RULE).first().click();
    await page.locator('dialog.clip video').waitFor();
    await until('the clip plays', () => page.evaluate<boolean>(`${VIDEO}.currentTime > 0.5`));
    const facts = (await page.evaluate(
      `[${VIDEO}].map(({ videoWidth, videoHeight, duration }) => ({ videoWidth, videoHeight, duration }))[0]`,
    )) as Readonly<Record<'videoWidth' | 'videoHeight' | 'duration', number>>;
    expect(facts).to.include({ videoWidth: 192, videoHeight: 112 });
    expect(facts.duration).to.be.within(2, 4.5);
    expect(complaints).to.deep.equal([]);
  });

  it('are listed without zones, with a clip of any time', async () => {
    const { url } = await rtsp(CLIP, () => ({ speed: 1 }));
    const id = await cameras.submit(url, { stream: recorded(url), jobProperties: { FRAME_INTERVAL: '1' } });
    await cameras.becomes(id, 'TERMINATED');
    const { page, complaints } = await chromium.reader(cameras.service(), `#/streams/${id}`);
    const section = page.getByRole('region', { name: 'Recording' });
    await section.getByRole('listitem').first().waitFor();
    expect(await section.getByRole('listitem').count()).to.equal(1);
    expect(await violationsOf(page, 'recordings of a camera')).to.deep.equal([]);
    await section.getByRole('button', { name: 'Play' }).click();
    await page.locator('dialog.clip video').waitFor();
    await until('the clip plays', () => page.evaluate<boolean>(`${VIDEO}.currentTime > 0.5`));
    expect(complaints).to.deep.equal([]);
  });

  it('are shown at the time of a hit of the search', async () => {
    const { url } = await rtsp(CLIP, () => ({ speed: 1 }));
    const more = { stream: recorded(url), jobProperties: { FRAME_INTERVAL: '1' }, ...ZONES };
    const id = await cameras.submit(url, more);
    await cameras.becomes(id, 'TERMINATED');
    const service = cameras.service();
    await until(
      'the search has the tracks',
      async () =>
        (await service.ask('GET', `/rest/search?camera=${id}`)).body as { hits: readonly unknown[] },
      ({ hits }) => hits.length > 0,
    );
    const { page, complaints } = await chromium.reader(service, `#/search?camera=${id}`);
    await page.locator('ul.hits li a.tile').first().click();
    await page.waitForURL(/#\/streams\/\d+\?at=\d+$/);
    const section = page.getByRole('region', { name: /^At the time of the finding/ });
    await section.locator('video').waitFor();
    const VIDEO_THEN = `document.querySelector('.at-time video')`;
    await until('the clip plays', () => page.evaluate<boolean>(`${VIDEO_THEN}.currentTime > 0.5`));
    expect(await violationsOf(page, 'a camera at a time')).to.deep.equal([]);
    await section.getByRole('link', { name: 'Back to now' }).click();
    await section.waitFor({ state: 'detached' });
    expect(complaints).to.deep.equal([]);
  });

  it('are replaced by the events of a time that is not recorded', async () => {
    const service = cameras.service();
    const stream = { streamUri: 'rtsp://camera.example/live', segmentSize: 20 };
    const id = await cameras.submit('', { stream, pipelineName: LIVE_PIPELINE, jobProperties: {}, ...ZONES });
    const component = new RawComponent(service);
    const walker = new ZoneWalker(component, await claimLive(component, id), Date.now());
    for (let frame = 0; frame < 3; frame++) walker.see(frame, [0.5, 0.5]);
    await walker.tell();
    type Events = { readonly events: readonly { readonly event: string; readonly at: number }[] };
    const { events } = await until(
      'the event is stored',
      async () => (await service.ask('GET', `/rest/streaming/jobs/${id}/zone-events`)).body as Events,
      (stored) => stored.events.some(({ event }) => event === 'rule'),
    );
    const { at } = events.find(({ event }) => event === 'rule')!;
    const { page, complaints } = await chromium.reader(service, `#/streams/${id}?at=${at}`);
    const section = page.getByRole('region', { name: /^At the time of the finding/ });
    await section.getByText('These events are of the same minute').waitFor();
    await section.getByRole('listitem').filter({ hasText: 'in: ' }).first().waitFor();
    await page.goto(`${service.url}/#/streams/${id}?at=${at - 3_600_000}`);
    await section.getByText('there are no events of it').waitFor();
    expect(await violationsOf(page, 'a camera at a time without events')).to.deep.equal([]);
    expect(complaints).to.deep.equal([]);
    await service.ask('POST', `/rest/streaming/jobs/${id}/cancel`);
    await component.end(walker.token, { reason: 'cancelled', detail: '' });
  });

  it('are waited for after an event before the connection, and missing ones are explained', async () => {
    const service = cameras.service();
    const stream = recorded('rtsp://camera.example/live');
    const id = await cameras.submit('', { stream, pipelineName: LIVE_PIPELINE, jobProperties: {}, ...ZONES });
    const component = new RawComponent(service);
    const walker = new ZoneWalker(component, await claimLive(component, id), Date.now());
    const { page } = await chromium.reader(service, `#/streams/${id}`);
    let connect!: () => void;
    const isTold = new Promise<void>((resolve) => (connect = resolve));
    await page.route('**/events', (route) => isTold.then(() => route.continue()));
    await page.reload();
    await page.getByText('No event yet').waitFor();
    for (let frame = 0; frame < 3; frame++) walker.see(frame, [0.5, 0.5]);
    await walker.tell();
    connect();
    await page.getByRole('button', CLIP_OF_RULE).first().click();
    await page.getByText('The clip starts when it is recorded').waitFor();
    await page.getByText('Nothing is recorded of that time').waitFor();
    expect(await page.getByText('The clip starts when it is recorded').count()).to.equal(0);
    await service.ask('POST', `/rest/streaming/jobs/${id}/cancel`);
    await component.end(walker.token, { reason: 'cancelled', detail: '' });
  });
});
