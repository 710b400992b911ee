/**
 * A node that shares no folder with its server. Its user has no permission to read the media and the data
 * folder.
 */
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { NodeManagerModel } from '../../actors/node-configuration/model.ts';
import { makeVideo } from '../media/support/make-video.ts';
import { HOST, Nodes } from '../rest/system/nodes-support.ts';
import { canBeNobody } from '../support/processes/other-user.ts';
import { NodeProcess, tokenFor } from '../support/processes/node-process.ts';
import { sampleUri, Service, tracksOf } from '../support/processes/service.ts';

const FAR = 'rack-2';

describe('A node that shares no folder with its server', () => {
  let service: Service;
  let node: NodeProcess;
  before(async function () {
    if (!canBeNobody()) return this.skip();
    service = await Service.here();
    const nodes = new Nodes(service);
    const [here] = (await nodes.config()) as [NodeManagerModel];
    const far = here.services.filter(({ serviceName }) =>
      ['TestLight', 'TroupeDocumentImagesDetection'].includes(serviceName),
    );
    expect(far).to.have.length(2);
    const near = here.services.filter((one) => !far.includes(one));
    const { status, text } = await nodes.save([
      { host: HOST, services: near },
      { host: FAR, services: far },
    ]);
    expect(status, text).to.equal(201);
    node = new NodeProcess(FAR, { TROUPE_URL: service.url, TROUPE_TOKEN: await tokenFor(service, FAR) });
    node.disown();
    node.start({ MEDIA_CACHE_FOLDER: path.join(node.dataDir, 'media'), HOME: node.dataDir });
    await node.waitUntilConnected();
  });
  after(async () => {
    await node?.close();
    await service?.close();
  });

  const medium = (name: string) => pathToFileURL(path.join(service.mediaDir, name)).href;
  const workersOf = (job: string) =>
    new Set(
      service
        .handedOut()
        .filter(({ subJob }) => subJob.startsWith(`${job}.1.0.`) && /\d$/.test(subJob))
        .map(({ worker }) => worker.split(':')[0]),
    );

  it('finds in a video what the server would find there', async () => {
    makeVideo(path.join(service.mediaDir, 'far.mp4'), { frames: 60 });
    const job = await service.submit({ media: [medium('far.mp4')], pipelineName: 'LIGHT PIPELINE' });
    expect((await service.terminal(job)).jobStatus).to.equal('COMPLETE');
    const [track] = tracksOf((await service.document(job)).media[0], 'LIGHT');
    expect(track?.detections).to.have.length(60);
    expect([...workersOf(job)]).to.deep.equal([FAR]);
  });

  it('sends the pictures that it finds in a document, which become media of the job', async () => {
    const name = 'text-embedded-and-images.pdf';
    copyFileSync(fileURLToPath(sampleUri(name)), path.join(service.mediaDir, name));
    const job = await service.submit({
      media: [medium(name)],
      pipelineName: 'DOCUMENT IMAGES DETECTION PIPELINE',
    });
    expect((await service.terminal(job)).jobStatus).to.equal('COMPLETE');
    const { media } = await service.document(job);
    expect(media.filter(({ parentMediaId }) => parentMediaId >= 0)).to.have.length.above(0);
    expect([...workersOf(job)]).to.deep.equal([FAR]);
  });
});
