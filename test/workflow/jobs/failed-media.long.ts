/** A medium that fails, on a server that crashes while processing it. */
import { expect } from 'chai';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sample } from '../../media/support/samples.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { mediumOf, uriOf } from '../results.ts';

describe('A medium that fails, of a server that dies', () => {
  let service: Service;
  before(async () => {
    service = await Service.start();
    const jpeg = await readFile(sample('rocket.jpg'));
    await writeFile(join(service.mediaDir, 'cut.jpg'), jpeg.subarray(0, 30_000));
  });
  after(() => service.close());

  it('is told the same after the server started again', async () => {
    await service.dieAt({ at: 2, when: 'after' });
    const request = {
      media: [uriOf(service, 'cut.jpg'), sampleUri('astronaut.png')],
      pipelineName: 'LIGHT PIPELINE',
    };
    const id = await service.submit(request);
    expect(await service.waitForExit()).to.equal('SIGKILL');
    await service.startHere();
    expect((await service.terminal(id)).jobStatus).to.equal('ERROR');
    const medium = mediumOf(await service.document(id), 'cut.jpg');
    expect([medium.mimeType, medium.mediaType, medium.sha256.length]).to.deep.equal([
      'image/jpeg',
      'IMAGE',
      64,
    ]);
  });
});
