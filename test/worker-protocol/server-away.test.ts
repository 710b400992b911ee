/**
 * Components whose server is unavailable for a while behind a proxy that answers 502: no work is lost, and no
 * attempt is counted.
 */
import { expect } from 'chai';
import { WorkerClient } from '../../components/sdk/connection/client.ts';
import { runWorker, type WorkerOptions } from '../../components/sdk/work/worker.ts';
import { freePort, ReverseProxy } from '../support/servers/reverse-proxy.ts';
import { trackNamed } from '../support/processes/raw-component.ts';
import { sampleUri, Service, tracksOf } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const LINE = (label: string) => `${JSON.stringify(trackNamed(label))}\n`;
/** About 64 KB per line. An answer of more than 8 MiB is streamed while it is computed: */
const LARGE = 'x'.repeat(64 * 1024);
/** after this number of lines. */
const SENT_FROM = 132;

describe('A component whose server is away for a while', () => {
  let service: Service;
  let proxy: ReverseProxy;
  /** A restarted server runs in the test process, which must not be killed. */
  let isOwnProcess = true;
  before(async () => {
    // Its tokens contain the URL of their issuer, so the port must not change.
    service = await Service.start({ LEASE_MS: '3000', PORT: String(await freePort()) });
    proxy = await ReverseProxy.listen('', false);
    proxy.serve(service.url);
  });
  after(async () => {
    await proxy.close();
    await service.close();
  });

  /** The proxy answers 502 meanwhile. */
  const restartServer = async (end: 'kill9' | 'stop', meanwhile: () => unknown) => {
    isOwnProcess = false;
    await service[end]();
    await meanwhile();
    await service.startHere();
  };
  const attempts = (id: string) =>
    service
      .handedOut()
      .filter(({ subJob }) => subJob === `${id}.1.0.0.0.0`)
      .map(({ attempt }) => attempt);

  async function workUntil(handle: WorkerOptions['handle'], act: (log: readonly string[]) => Promise<void>) {
    const client = new WorkerClient(proxy.origin, service.token);
    const stop = new AbortController();
    const log: string[] = [];
    const options = { client, algorithms: ['ABSENT'], signal: stop.signal, handle };
    const ended = runWorker({ ...options, log: (message) => log.push(message) });
    try {
      // An early end of the component ends the test.
      await Promise.race([
        act(log),
        ended.then(() => Promise.reject(new Error(`It has ended: ${log.join('; ')}`))),
      ]);
    } finally {
      stop.abort();
      await ended;
      client.close();
    }
  }
  const submit = () =>
    service.submit({ media: [sampleUri('astronaut.png')], pipelineName: 'ABSENT PIPELINE' });
  const labels = async (id: string) => {
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    const { media } = await service.document(id);
    return tracksOf(media[0], 'ABSENT').map(({ trackProperties }) => trackProperties['LABEL']);
  };

  it('sends a large answer again if its connection broke when the server was killed', async () => {
    if (!isOwnProcess) {
      await service.stop();
      await service.start();
    }
    const LINES = SENT_FROM + 4;
    let made = 0;
    let isSent: () => void = () => undefined;
    let goOn: () => void = () => undefined;
    const wait = new Promise<void>((resolve) => (goOn = resolve));
    const partIsSent = new Promise<void>((resolve) => (isSent = resolve));
    async function* handle() {
      for (let n = 0; n < LINES; n++) {
        if (n === SENT_FROM) {
          isSent();
          await wait;
        }
        made++;
        yield LINE(`${n} ${LARGE}`);
      }
    }
    await workUntil(handle, async (log) => {
      const id = await submit();
      await partIsSent;
      await restartServer('kill9', goOn);
      expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
      expect(tracksOf((await service.document(id)).media[0], 'ABSENT')).to.have.length(LINES);
      expect([made, attempts(id)]).to.deep.equal([LINES, [1]]);
      expect(log.join('\n')).to.include('sending an answer again after an interruption');
    });
  });

  it('goes on with its sub-job over a restart, and its answer counts', async () => {
    let onBegin: () => void = () => undefined;
    let goOn: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (onBegin = resolve));
    const wait = new Promise<void>((resolve) => (goOn = resolve));
    async function* handle() {
      onBegin();
      await wait;
      yield LINE('found before and after');
    }
    await workUntil(handle, async () => {
      const id = await submit();
      await begun;
      // The component finishes its answer while the server is stopped.
      await restartServer('stop', async () => {
        goOn();
        await until(
          'the answer was refused by the proxy',
          () => proxy.countRefused('/worker/v1/answers'),
          (n) => n > 1,
        );
      });
      expect(await labels(id)).to.deep.equal(['found before and after']);
      expect(attempts(id)).to.deep.equal([1]);
    });
  });

  it('fails a sub-job whose detector fails during a large answer, and blames no connection', async () => {
    async function* handle() {
      for (let n = 0; n < SENT_FROM; n++) yield await Promise.resolve(LINE(`${n} ${LARGE}`));
      throw new Error('The detector broke.');
    }
    await workUntil(handle, async () => {
      const id = await submit();
      expect((await service.terminal(id)).jobStatus).to.equal('ERROR');
      expect(JSON.stringify((await service.document(id)).media[0])).to.include('The detector broke.');
    });
  });
});
