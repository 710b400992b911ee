/** Components on hosts without access to the server's files. One of them cannot store downloads. */
import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { WorkerClient } from '../../components/sdk/connection/client.ts';
import { MediaCache } from '../../components/sdk/media/media-cache.ts';
import { runWorker } from '../../components/sdk/work/worker.ts';
import type { WorkMedium } from '../../protocol/media-work.ts';
import type { WorkContext } from '../../components/sdk/work/work-context.ts';
import { trackNamed } from '../support/processes/raw-component.ts';
import { sampleUri, Service, tracksOf } from '../support/processes/service.ts';
import { temporaryFolder } from '../store/folder.ts';
import { until } from '../support/until.ts';

describe('A component whose disk takes nothing', () => {
  const folder = temporaryFolder();
  let service: Service;
  const ended: (() => Promise<void>)[] = [];
  before(async () => {
    service = await Service.openShared();
  });
  afterEach(async () => {
    for (const end of ended.splice(0)) await end();
  });
  after(() => service.close());

  /** Returns its log. */
  function workWith(cacheFolder: string, label: string): readonly string[] {
    const client = new WorkerClient(service.url, service.token);
    const log: string[] = [];
    const told = { client, log: (message: string) => void log.push(message) };
    const stop = new AbortController();
    async function* handle({ work }: { readonly work: object }, { medium }: WorkContext) {
      const wanted = (work as { readonly medium: WorkMedium }).medium;
      const local = await medium!({ ...wanted, path: '/not/on/this/host' });
      await local.close();
      yield `${JSON.stringify(trackNamed(label))}\n`;
    }
    const cache = new MediaCache({ ...told, folder: cacheFolder, maxBytes: 1e9 });
    const options = { ...told, algorithms: ['ABSENT'], signal: stop.signal, cache };
    const worker = runWorker({
      ...options,
      handle: (assignment, context) => handle(assignment, context),
    });
    ended.push(async () => {
      stop.abort();
      await worker;
      client.close();
    });
    return log;
  }

  it('gives its sub-job back, says why in its log, and leaves it to others', async () => {
    await writeFile(folder('a file'), '');
    const log = workWith(folder('a file/no-folder'), 'of the full one');
    const id = await service.submit({
      media: [sampleUri('hello-world.png')],
      pipelineName: 'ABSENT PIPELINE',
    });
    await until(
      'the log says why',
      () => log.join('\n'),
      (text) => /released.* other hosts process it.*MEDIA_CACHE_FOLDER.*ENOTDIR/.test(text),
      { withinMs: 5_000 },
    );
    workWith(folder('cache'), 'of the other one');
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    const tracks = tracksOf((await service.document(id)).media[0], 'ABSENT');
    expect(tracks.map(({ trackProperties }) => trackProperties['LABEL'])).to.deep.equal(['of the other one']);
    const attempts = service.handedOut().filter(({ subJob }) => subJob === `${id}.1.0.0.0.0`);
    expect(new Set(attempts.map(({ attempt }) => attempt))).to.deep.equal(new Set([1]));
  });
});
