/** Components that were started on demand stop when there is no work, and start again with new work. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { isAlive } from '../../support/processes/processes.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { Nodes } from '../system/nodes-support.ts';

const JOB = { media: [sampleUri('hello-world.png')], pipelineName: 'LIGHT PIPELINE' };
const VIDEO = { ...JOB, media: [sampleUri('hello.avi')] };

describe('Components without work', () => {
  let service: Service;
  let nodes: Nodes;
  /** The job that analyses the video. */
  let jobId: string;
  before(async () => {
    service = await Service.here({ IDLE_SERVICE_MS: '300', FRAME_CACHE_BYTES: '1' });
    nodes = new Nodes(service);
    ({ jobId } = await service.run(VIDEO));
    await onEnd();
  });
  after(() => service.close());

  const onEnd = async () => {
    const processes = await until(
      'all processes have ended',
      async () => (await service.ask('GET', '/metrics')).text,
      (text) => !/^troupe_component_processes\{.*\} [1-9]/m.test(text),
    );
    expect(processes).to.not.equal('');
  };
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${service.token}`, ...headers } });
  const jpegOf = async (path: string) => {
    const response = await get(path);
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return Buffer.from(await response.arrayBuffer());
  };

  it('end after IDLE_SERVICE_MS, the media component as well, and are started again by work', async () => {
    await service.run(JOB);
    await onEnd();
    await nodes.becomes('TestLight:1', 'Configured');
    expect((await nodes.state('TestLight:1'))?.restartCount, 'no restart is counted').to.equal(0);
  });

  it('are started for a frame, which is cached until its place is needed or its job is removed', async () => {
    await onEnd();
    expect(service.componentPids().filter((pid) => isAlive({ pid }))).to.deep.equal([]);
    const medium = `/rest/jobs/${jobId}/${await service.placeOf(jobId)}`;
    const path = `${medium}/frames/2.jpg`;
    const first = await jpegOf(path);
    const etag = (await get(path)).headers.get('etag')!;
    expect((await get(path, { 'if-none-match': etag })).status).to.equal(304);
    expect((await jpegOf(path)).equals(first)).to.equal(true);
    await jpegOf(`${medium}/frames/1.jpg`);
    const kept = join('frames', `${jobId}.1`);
    expect(await service.files(kept), 'more than FRAME_CACHE_BYTES is one').to.deep.equal(['0-1.jpg']);
    expect((await stat(join(service.dataDir, kept, '0-1.jpg'))).size).to.be.greaterThan(0);
    expect((await service.ask('DELETE', `/rest/jobs/${jobId}`)).status).to.equal(204);
    await until(
      'its frames are gone',
      () => service.files('frames'),
      (left) => !left.includes(`${jobId}.1`),
    );
    expect((await get(path)).status).to.equal(404);
  });
});
