/**
 * A server that is killed while many small images are answered together, and an invalid answer among valid
 * ones. `failures/kill` kills servers of other jobs.
 */
import { expect } from 'chai';
import { Service, tracksOf } from '../../support/processes/service.ts';
import { answeredOf, BAD, IMAGES, submitImages, writeImages } from './many-images.ts';

describe('A job of many small images whose server is killed in the middle', () => {
  let service: Service;
  before(async () => {
    service = await Service.start();
    await writeImages(service);
  });
  after(() => service.close());

  it('goes on where it stopped: nothing that was committed is done again', async () => {
    // Even if many answers come together, they need more commits than this.
    await service.dieAt({ at: 3, when: 'after' });
    const id = await submitImages(service, 'LIGHT PIPELINE');
    expect(await service.waitForExit()).to.equal('SIGKILL');
    const before = new Set(answeredOf(service, id));
    expect(before.size).to.be.within(1, 3 * IMAGES - 1);
    const lines = service.log().length;
    await service.startHere();
    expect((await service.terminal(id, 120_000)).jobStatus).to.equal('COMPLETE');
    const after = service.log().slice(lines);
    const again = after.filter(
      ({ message, subJob }) => message === 'handed out a sub-job' && before.has(subJob as string),
    );
    expect(again).to.deep.equal([]);
    const { media } = await service.document(id);
    expect(media.flatMap((medium) => tracksOf(medium, 'LIGHT'))).to.have.length(IMAGES);
    expect(new Set(answeredOf(service, id)).size).to.equal(answeredOf(service, id).length);
  });
});

describe('A job of many small images', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
    await writeImages(service);
  });
  after(() => service.close());

  it('of which one is answered with garbage loses that one alone', async () => {
    const id = await submitImages(service, 'TROUBLE PIPELINE', { TROUBLE: 'garbage' });
    expect((await service.terminal(id, 120_000)).jobStatus).to.equal('ERROR');
    const { media } = await service.document(id);
    expect(media.flatMap(({ status }, n) => (status === 'COMPLETE' ? [] : [n]))).to.deep.equal([BAD]);
    const others = service
      .handedOut()
      .filter(({ subJob }) => subJob.startsWith(`${id}.`) && !subJob.endsWith('document'))
      .filter(({ subJob }) => !new RegExp(`\\.0\\.0\\.${BAD}\\.0$`).test(subJob));
    expect(new Set(others.map(({ attempt }) => attempt))).to.deep.equal(new Set([1]));
  });
});
