/**
 * Long data: URIs of requests in files: with a full disk, with other settings, and after a crash before the
 * job is stored.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { pictureUri } from '../../support/media/data-uri.ts';
import { until } from '../../support/until.ts';
import { CUT, DataUriSuite, LIGHT, LONG, OTHER, SHORT } from './data-uris-suite.ts';

describe('data: URIs of a request, in depth', () => {
  const suite = new DataUriSuite({ STORED_DATA_URI_LENGTH: '100000000' });

  it('that are stored with the job stay as they are when STORED_DATA_URI_LENGTH changes', async () => {
    const id = await suite.service.submit({ media: [LONG], ...LIGHT });
    expect(await suite.requests()).to.deep.equal([]);
    await suite.restart({ STORED_DATA_URI_LENGTH: '8192' });
    await suite.service.terminal(id);
    expect((await suite.service.job(id))?.mediaUris).to.deep.equal([LONG]);
    expect((await suite.listNewest()).mediaUris).to.deep.equal([CUT]);
    expect((await suite.service.resubmit(id)).status).to.equal(200);
    expect((await suite.service.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect(await suite.paths(id)).to.deep.equal([LONG]);
  });

  it('for which the disk has no room are refused with 503, and nothing is left', async function () {
    const folder = join(suite.service.dataDir, 'requests');
    mkdirSync(folder, { recursive: true });
    const newest = (await suite.listNewest()).jobId;
    const words = ['-t', 'tmpfs', '-o', 'size=64k', 'none', folder];
    // Only root can mount a small disk.
    if (spawnSync('mount', words).status !== 0) return this.skip();
    try {
      const refused = await suite.service.create({ media: [pictureUri(200, 200)], ...LIGHT });
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '2']);
      expect((refused.body as { message: string }).message).to.contain('The disk of the server is full');
      expect(await suite.requests()).to.deep.equal([]);
      expect((await suite.listNewest()).jobId).to.equal(newest);
      const { media } = await suite.service.run({ media: [LONG], ...LIGHT });
      expect(media[0]?.path).to.equal(LONG);
    } finally {
      spawnSync('umount', ['-l', folder]);
    }
  });

  it('all lie in files when the store is to have none, and none does when all are short', async () => {
    await suite.service.run({ media: [SHORT], ...LIGHT });
    expect(await suite.requests()).to.deep.equal([]);
    await suite.restart({ STORED_DATA_URI_LENGTH: '0' });
    const id = await suite.service.submit({ media: [SHORT], ...LIGHT });
    await suite.service.terminal(id);
    expect(await suite.requests()).to.have.length(1);
    expect(await suite.paths(id)).to.deep.equal([SHORT]);
  });

  it('go after a day when the server died before their job was stored', async () => {
    await suite.service.stop();
    await suite.service.start({ STORED_DATA_URI_LENGTH: '8192' });
    await suite.dies('before', OTHER);
    const [left = 'none', ...more] = await suite.requests();
    expect(more).to.deep.equal([]);
    // Only a later job proves that the first one was never stored.
    await suite.service.startHere();
    await suite.service.run({ media: [SHORT], ...LIGHT });
    expect(await suite.requests()).to.include(left);
    await suite.service.stop();
    await suite.age();
    await suite.service.startHere();
    await until(
      'it is gone',
      () => suite.requests(),
      (names) => !names.includes(left),
    );
    expect(suite.service.log('removing a file of a request that no job was made of')).to.have.length(1);
  });
});
