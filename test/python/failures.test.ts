/**
 * Failures of Python components: how the SDK handles cancellations, crashes, errors, busy detectors, and a
 * server that restarts.
 */
import { expect } from 'chai';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pictureUri } from '../support/media/data-uri.ts';
import { isAlive } from '../support/processes/processes.ts';
import { freePort, ReverseProxy } from '../support/servers/reverse-proxy.ts';
import { ServiceWithRoles } from '../support/roles.ts';
import { Service, tracksOf } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { needsPython, probeFile, PythonComponent } from './support.ts';

const MEDIA = [pictureUri(8, 8)];
const LEASE_MS = 4_000;
const ACTION = 'PROBE DETECTION ACTION';
const job = (jobProperties: Readonly<Record<string, string>>, media: readonly string[] = MEDIA) => ({
  media,
  pipelineName: 'PROBE DETECTION PIPELINE',
  jobProperties,
});

/** The line where the probe raises its exception. */
const raising = `probe/detector.py, line ${
  readFileSync(probeFile, 'utf8')
    .split('\n')
    .findIndex((line) => line.includes('raise LookupError')) + 1
}`;

describe('A Python component that is on its own', function () {
  this.timeout(120_000);
  let service: Service;
  let component: PythonComponent;

  before(async function () {
    needsPython(this);
    service = await Service.start({
      PORT: String(await freePort()),
      LEASE_MS: String(LEASE_MS),
      SUB_JOB_ATTEMPTS: '2',
      CANCEL_GRACE_MS: '300',
    });
  });
  before(async () => {
    component = PythonComponent.of(service, probeFile);
    await component.says('serving PROBE');
  });
  after(async () => {
    await component?.close();
    await service?.close();
  });

  const firstOf = (id: string) => `${id}.1.0.0.0.0`;
  const handedOut = (id: string) =>
    service.waitForLog('handed out a sub-job', ({ subJob }) => subJob === firstOf(id));
  const attempts = (id: string) =>
    service.handedOut().flatMap(({ subJob, attempt }) => (subJob === firstOf(id) ? [attempt] : []));
  async function failureOf(properties: Readonly<Record<string, string>>) {
    const document = await service.run(job(properties));
    expect(document.status).to.equal('ERROR');
    const [error] = document.media[0]?.detectionProcessingErrors[ACTION] ?? [];
    return [error?.['code'], error?.['message']];
  }

  it('fails a sub-job with the code of the detector, or with its exception, and continues', async () => {
    expect(await failureOf({ TROUBLE: 'code' })).to.deep.equal(['GPU_ERROR', 'The card is on fire.']);
    expect(await failureOf({ TROUBLE: 'exception' })).to.deep.equal([
      'DETECTION_FAILED',
      `LookupError: no such model (${raising})`,
    ]);
    expect((await service.run(job({}))).status).to.equal('COMPLETE');
  });

  it('logs the traceback of an exception that it did not foresee, and of no other', async () => {
    const before = component.said.length;
    await failureOf({ TROUBLE: 'code' });
    await failureOf({ TROUBLE: 'exception' });
    await until('it says so', () => component.said.slice(before).includes('LookupError: no such model'));
    const said = component.said.slice(before);
    expect(said).to.match(/\.1\.0\.0\.0\.0: Traceback \(most recent call last\):\n/);
    expect(said).to.include(`${probeFile}", ${raising.split(', ')[1]}, in trouble`);
    expect(said).not.to.include('The card is on fire.');
  });

  it('says what a detector answers that cannot be told, at once and in the words of its author', async () => {
    for (const [kind, words] of [
      ['bad box', 'a box is nan, which is no finite number'],
      ['bad frame', 'a detection is in frame 7, which is not in the range of the sub-job, 0 to 0'],
      ['bad kind', 'was found in pictures, where Track is expected'],
    ]) {
      const id = await service.submit(job({ TROUBLE: kind! }));
      await service.terminal(id);
      const [error] = (await service.document(id)).media[0]?.detectionProcessingErrors[ACTION] ?? [];
      expect(error?.['message'], kind).to.include(words);
      expect(attempts(id)).to.deep.equal([1]);
    }
  });

  for (const kind of ['loop', 'sleep', 'swallow'])
    it(`breaks off what a detector does when its job is cancelled (${kind}), and works on`, async () => {
      const before = component.said.length;
      const id = await service.submit(job({ TROUBLE: kind }));
      await handedOut(id);
      await service.cancel(id);
      expect((await service.terminal(id)).jobStatus).to.equal('CANCELLED');
      await until('it says so', () => component.said.slice(before).includes('given back'));
      expect((await service.run(job({}))).status).to.equal('COMPLETE');
      expect(component.pid).to.satisfy((pid: number) => isAlive({ pid }));
    });

  it('keeps its lease while it computes for longer than LEASE_MS without asking for anything', async () => {
    const id = await service.submit(job({ TROUBLE: 'busy', SECONDS: String((1.2 * LEASE_MS) / 1_000) }));
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect(attempts(id)).to.deep.equal([1]);
  });

  it('that crashes loses an attempt, and another process does the work', async () => {
    const file = path.join(service.folder, 'crashed-once');
    const id = await service.submit(job({ TROUBLE: 'exit', TROUBLE_FILE: file }));
    expect(await component.waitForExit()).to.equal(3);
    component = PythonComponent.of(service, probeFile);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect(attempts(id)).to.deep.equal([1, 2]);
  });

  it('gives its work back uncounted when it is told to end, in the middle of what it does', async () => {
    const file = path.join(service.folder, 'ended-once');
    const id = await service.submit(job({ TROUBLE: 'sleep', TROUBLE_FILE: file }));
    await until('it works on the job', () => existsSync(file));
    expect(await component.stop()).to.equal(0);
    component = PythonComponent.of(service, probeFile);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect(attempts(id)).to.deep.equal([1, 1]);
  });

  it('does many small sub-jobs, several a message', async () => {
    const media = Array.from({ length: 6 }, () => MEDIA[0]!);
    const document = await service.run(job({}, media));
    expect(document.status).to.equal('COMPLETE');
    expect(document.media.map((medium) => tracksOf(medium, 'PROBE').length)).to.deep.equal(
      media.map(() => 1),
    );
  });

  it('continues while the server is away or its proxy answers 502, and its answer counts later', async () => {
    const proxy = await ReverseProxy.listen('/analysis', true);
    proxy.serve(service.url);
    const behind = new PythonComponent(probeFile, {
      TROUPE_URL: `${proxy.origin}/analysis`,
      TROUPE_TOKEN: service.token,
    });
    try {
      await behind.says('serving PROBE');
      const file = path.join(service.folder, 'go-on');
      const wait = job({ TROUBLE: 'wait', UNTIL: file });
      const ids: string[] = [];
      const workers = new Set<unknown>();
      for (const _ of ['the one', 'the other']) {
        const id = await service.submit(wait);
        workers.add((await handedOut(id))['worker']);
        ids.push(id);
      }
      expect(workers.size, 'each has one in hand').to.equal(2);
      await service.kill9();
      writeFileSync(file, '');
      await behind.says('502');
      await service.startHere();
      for (const id of ids) {
        expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
        expect(attempts(id)).to.deep.equal([1]);
        expect(tracksOf((await service.document(id)).media[0], 'PROBE')).to.have.length(1);
      }
      expect((await service.run(job({}))).status).to.equal('COMPLETE');
    } finally {
      await behind.close();
      await proxy.close();
    }
  });
});

describe('A Python component with credentials of a client', function () {
  this.timeout(90_000);
  let roles: ServiceWithRoles;

  before(async function () {
    needsPython(this);
    roles = await ServiceWithRoles.here();
    roles.provider.tokenSeconds.set('user', 2);
  });
  after(() => roles?.close());

  it('fetches tokens and renews them while it works, and nothing is tried twice', async () => {
    const component = new PythonComponent(probeFile, {
      TROUPE_URL: roles.service.url,
      TROUPE_ISSUER_URI: roles.provider.issuer,
      TROUPE_CLIENT_ID: 'user',
      TROUPE_CLIENT_SECRET: 'secret of user',
    });
    try {
      await component.says('serving PROBE');
      const file = path.join(roles.service.folder, 'renewed');
      const id = await roles.service.submit(job({ TROUBLE: 'wait', UNTIL: file }));
      const asked = roles.provider.tokenRequests;
      await until('it has fetched more tokens', () => roles.provider.tokenRequests >= asked + 3);
      writeFileSync(file, '');
      expect((await roles.service.terminal(id)).jobStatus).to.equal('COMPLETE');
      const handed = roles.service.handedOut().filter(({ subJob }) => subJob === `${id}.1.0.0.0.0`);
      expect(handed.map(({ attempt }) => attempt)).to.deep.equal([1]);
    } finally {
      await component.close();
    }
  });
});
