/**
 * A resubmitted job with a slow download: removing the files of its previous run does not harm the new
 * download.
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

describe('A resubmitted job whose medium takes longer to fetch than its actor stays in memory', () => {
  let service: Service;
  let web: Server;
  let held: ServerResponse | undefined;
  let holds = false;
  let picture: Buffer;

  before(async () => {
    picture = await readFile(fileURLToPath(sampleUri('hello-world.png')));
    web = createServer((_, response) => {
      response.setHeader('content-type', 'image/png');
      if (holds) held = response;
      else response.end(picture);
    }).listen(0, '127.0.0.1');
    await once(web, 'listening');
    service = await Service.here({ IDLE_ACTOR_MS: '100', LEASE_MS: '60000' });
  });
  after(async () => {
    web.closeAllConnections();
    web.close();
    await service.close();
  });

  const actorsLoaded = async () => {
    const { text } = await service.askUndeclared('GET', '/metrics');
    return Number(/^troupe_actors_loaded (\d+)$/m.exec(text)?.[1]);
  };
  /** Waits until fewer actors are loaded than before, or at most `lean`. Returns their number. */
  const waitUntilUnloaded = async (lean = 0) => {
    let most = 0;
    return until(
      'the actor of the job has left the memory',
      async () => {
        const now = await actorsLoaded();
        most = Math.max(most, now);
        return now;
      },
      (now) => now < most || now === lean,
    );
  };

  it('is processed like the first time', async () => {
    const uri = `http://127.0.0.1:${(web.address() as AddressInfo).port}/picture.png`;
    const id = await service.submit({ media: [uri], pipelineName: 'IMAGE PROPERTIES DETECTION PIPELINE' });
    const lean = await waitUntilUnloaded();
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    const first = (await service.job(id))!.outputObjectPath;

    holds = true;
    expect((await service.resubmit(id)).status).to.equal(200);
    await until('the medium is asked for', () => held);
    await waitUntilUnloaded(lean);
    held!.end(picture);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    const { media } = await service.document(id);
    expect(media[0]?.status).to.equal('COMPLETE');
    expect((await service.job(id))!.outputObjectPath, 'each run has its own').to.not.equal(first);
  });
});
