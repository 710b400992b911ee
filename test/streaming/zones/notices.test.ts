/** Notices about zones as receivers outside get them: signed, over TLS, and with links to the server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { claimLive, registerLivePipeline } from '../../support/live-pipeline.ts';
import { RawComponent } from '../../support/processes/raw-component.ts';
import { Service } from '../../support/processes/service.ts';
import { Broker } from '../../support/servers/broker.ts';
import { selfSigned } from '../../support/servers/certificate.ts';
import { freePort } from '../../support/servers/reverse-proxy.ts';
import { Receiver } from '../../support/servers/receiver.ts';
import { until } from '../../support/until.ts';
import { ZoneWalker } from './zone-walker.ts';

const AT = Date.UTC(2026, 10, 22, 12, 30);
const YARD = { name: 'yard', points: [[0.25, 0.25], [0.75, 0.25], [0.75, 0.75], [0.25, 0.75]] }; // oxfmt-ignore
const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

interface Hook {
  readonly type: string;
  readonly data: { readonly id: string; readonly clip: string };
}

describe('A notice about a zone', function () {
  this.timeout(240_000);
  const folder = mkdtempSync(join(tmpdir(), 'notices-'));
  const certificate = selfSigned(folder, 'broker', 'IP:127.0.0.1');
  let service: Service;
  let component: RawComponent;
  let receiver: Receiver;
  let broker: Broker;
  let base: string;
  before(async () => {
    const port = await freePort();
    base = `http://127.0.0.1:${port}/base`;
    const secrets = join(folder, 'secrets.json');
    writeFileSync(secrets, JSON.stringify({ '127.0.0.1': SECRET }));
    service = await Service.start({
      STREAM_RESTART_MS: '20',
      ...{ PORT: String(port), BASE_URL: `${base}/` },
      CALLBACK_SECRETS: secrets,
      NODE_EXTRA_CA_CERTS: certificate.cert,
    });
    await registerLivePipeline(service);
    component = new RawComponent(service);
    receiver = await Receiver.start();
    broker = await new Broker(certificate).start();
  });
  after(async () => {
    await broker.stop();
    await receiver.close();
    await service.close();
    rmSync(folder, { recursive: true });
  });

  it('is signed, goes to a broker over TLS, and has the URL of its clip', async () => {
    const { status, text, body } = await service.ask('POST', '/rest/streaming/jobs', {
      enableOutputToDisk: false,
      stream: { streamUri: 'rtsp://camera.example/live', segmentSize: 10, recording: {} },
      stallTimeout: 60_000,
      pipelineName: 'LIVE PIPELINE',
      ...{ zones: [YARD], rules: [{ name: 'in', zone: 'yard' }] },
      events: { callbackUri: `${receiver.url}/events`, mqtt: { url: broker.url, topic: 'site' } },
    });
    expect(status, text).to.equal(201);
    const id = (body as { jobId: number }).jobId;
    const walker = new ZoneWalker(component, await claimLive(component, id), AT);
    walker.see(0, [0.2, 0.5]);
    walker.see(1, [0.4, 0.5]);
    await walker.tell();

    await until('both webhooks came', () => receiver.requests.length === 2);
    const hooks = receiver.requests.map(
      ({ body: sent, headers }) =>
        new Webhook(SECRET).verify(sent, headers as Record<string, string>) as Hook,
    );
    expect(hooks.map(({ type }) => type).toSorted()).to.deep.equal(['stream.entered', 'stream.rule']);
    const clip = `/rest/streaming/jobs/${id}/recordings/clip.mp4?start=`;
    for (const { data } of hooks) expect(data.clip.startsWith(`${base}${clip}`), data.clip).to.equal(true);
    const { body: sent, headers } = receiver.requests[0]!;
    const forged = sent.replace('"yard"', '"door"');
    expect(() => new Webhook(SECRET).verify(forged, headers as Record<string, string>)).to.throw(
      'No matching signature',
    );

    expect(broker.url).to.match(/^mqtts:/);
    await until('the rule is on the broker', () => broker.on('site/rule/in').length > 0);
    const told = JSON.parse(broker.on('site/rule/in')[0]!.text) as Hook['data'];
    expect(told.id).to.equal(hooks.find(({ type }) => type === 'stream.rule')!.data.id);
    expect(told.clip.startsWith(`${base}${clip}`), told.clip).to.equal(true);
    const { events } = (await service.ask('GET', `/rest/streaming/jobs/${id}/zone-events?kind=RULE`))
      .body as { events: readonly Hook['data'][] };
    expect(events[0]!.clip.startsWith(clip), events[0]!.clip).to.equal(true);

    await service.ask('POST', `/rest/streaming/jobs/${id}/cancel`);
    await component.end(walker.token, { reason: 'cancelled', detail: '' });
  });
});
