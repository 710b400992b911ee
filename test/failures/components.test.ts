/**
 * Components that exit, hang, or send too much or invalid data: the sub-job is retried, then fails with its
 * code. The job always ends.
 */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isAlive } from '../support/processes/processes.ts';
import { errorCodes, Service } from '../support/processes/service.ts';
import { TEST_COMPONENTS } from '../support/processes/test-components.ts';
import { until } from '../support/until.ts';
import {
  PICTURE,
  attemptsOf,
  componentsThatTrouble,
  firstError,
  SETTINGS,
  troubleRequest,
} from './suite-of-troubles.ts';

const TROUBLE_SOURCE = path.join(TEST_COMPONENTS.descriptors, 'trouble', 'detector.ts');

describe('A component that', () => {
  let service: Service;
  const jobs = new Map<string, string>();
  before(async () => {
    service = await Service.here({ ...SETTINGS, DRAIN_MS: '100' });
    for (const kind of ['code', 'busy', 'throw'])
      jobs.set(kind, await service.submit(troubleRequest({ TROUBLE: kind })));
  });
  after(() => service.close());

  const endOf = async (kind: string) => {
    const id = jobs.get(kind)!;
    const job = await service.terminal(id);
    return { status: job.jobStatus, attempts: attemptsOf(service, id), document: await service.document(id) };
  };

  // `npm run test:long` runs each fault both permanently and once.
  componentsThatTrouble(() => service, {
    always: ['exit', 'hang'],
    once: ['garbage', 'freeze'],
  });

  it('computes for longer than LEASE_MS in one go keeps its lease', async () => {
    const { status, attempts } = await endOf('busy');
    expect([status, attempts]).to.deep.equal(['COMPLETE', [1]]);
  });

  it('fails a sub-job with a code of its own is not asked again', async () => {
    const { status, attempts, document } = await endOf('code');
    expect([status, attempts]).to.deep.equal(['ERROR', [1]]);
    expect(firstError(document)).to.include({ code: 'GPU_ERROR', message: 'The card is on fire.' });
    expect(document.media.map((medium) => medium.status)).to.deep.equal(['INCOMPLETE', 'COMPLETE']);
  });

  it('throws an error names file and line of it, and logs its stack and cause', async () => {
    const { status, attempts, document } = await endOf('throw');
    expect([status, attempts]).to.deep.equal(['ERROR', [1]]);
    const { code, message = '' } = firstError(document) ?? {};
    expect(code).to.equal('DETECTION_FAILED');
    const place = /^no such colour \((trouble\/detector\.js), line (\d+)\)$/.exec(message);
    expect(place, message).not.to.equal(null);
    const lines = readFileSync(TROUBLE_SOURCE, 'utf8').split('\n');
    expect(lines[Number(place?.[2]) - 1]).to.include("new TypeError('no such colour'");
    const output = () =>
      service
        .log()
        .map((line) => JSON.stringify(line))
        .join('\n');
    await until('the stack is in the log', () => output().includes('Caused by: Error: the palette is empty'));
    expect(output()).to.match(/TypeError: no such colour.*\n?.*trouble\/detector\.js:\d+/);
  });

  it('cannot be started makes its jobs end ERROR soon, and those of others go on', async () => {
    const id = await service.submit({ media: [PICTURE], pipelineName: 'BROKEN PIPELINE' });
    expect((await service.terminal(id, 30_000)).jobStatus).to.equal('ERROR');
    const document = await service.document(id);
    for (const medium of document.media) {
      expect(errorCodes(document, medium.mediaId)).to.deep.equal(['DEAD_LETTER']);
      expect(medium.detectionProcessingErrors['BROKEN ACTION']?.[0]?.['message']).to.include(
        'its component cannot be started',
      );
    }
    expect(service.handedOut().filter(({ subJob }) => subJob.startsWith(`${id}.1.0`))).to.deep.equal([]);
    expect((await service.run({ media: [PICTURE], pipelineName: 'LIGHT PIPELINE' })).status).to.equal(
      'COMPLETE',
    );
  });

  it('does not answer a cancel is killed, and the job ends CANCELLED', async () => {
    const id = await service.submit(troubleRequest({ TROUBLE: 'loop' }));
    await service.waitForLog('handed out a sub-job', ({ subJob }) => subJob === `${id}.1.0.0.0.0`);
    expect((await service.cancel(id)).status).to.equal(200);
    expect((await service.terminal(id)).jobStatus).to.equal('CANCELLED');
    expect((await service.document(id)).status).to.equal('CANCELLED');
    expect(attemptsOf(service, id), 'not tried again').to.deep.equal([1]);
  });
});

describe('A component that blocks its event loop', () => {
  let service: Service;
  before(async () => {
    service = await Service.here({ ...SETTINGS, DRAIN_MS: '100' });
  });
  after(() => service.close());

  // `failures/kill` tests that it also ends when the server is killed.
  it('is gone when the server has stopped', async () => {
    const id = await service.submit({
      ...troubleRequest({}),
      media: [PICTURE],
      jobProperties: { TROUBLE: 'loop' },
    });
    await service.waitForLog('handed out a sub-job', ({ subJob }) => subJob === `${id}.1.0.0.0.0`);
    const alive = () => service.componentPids().filter((pid) => isAlive({ pid }));
    expect(alive()).to.have.length.at.least(1);
    expect(await service.stop()).to.equal(0);
    expect(alive()).to.deep.equal([]);
  });
});
