/** Many small images: their sub-jobs are claimed and answered together, but fail independently. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { errorCodes, Service, tracksOf } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { answeredOf, BAD, commitsOf, IMAGES, submitImages, writeImages } from './many-images.ts';

describe('A job of many small images', function () {
  this.timeout(240_000);
  let service: Service;
  before(async () => {
    service = await Service.openShared();
    await writeImages(service);
  });
  after(() => service.close());

  const submit = (pipelineName: string, trouble?: Readonly<Record<string, string>>) =>
    submitImages(service, pipelineName, trouble);
  const countAnswers = (id: string) => answeredOf(service, id);
  const attempts = (id: string) =>
    service.handedOut().filter(({ subJob }) => subJob.startsWith(`${id}.`) && !subJob.endsWith('document'));
  const isDetection = (medium: number | string) => new RegExp(`\\.0\\.0\\.${medium}\\.0$`);

  it('takes far fewer commits than it has sub-jobs, and its progress grows on the way', async () => {
    const id = await submit('LIGHT PIPELINE');
    await service.terminal(id);
    const { media } = await service.document(id);
    expect(media.flatMap((medium) => tracksOf(medium, 'LIGHT'))).to.have.length(IMAGES);
    expect(countAnswers(id)).to.have.length(3 * IMAGES);
    expect(new Set(countAnswers(id)).size).to.equal(3 * IMAGES);
    expect(commitsOf(service, id).length).to.be.lessThan(1.5 * IMAGES);
    const mostAtOnce = Math.max(...commitsOf(service, id).map(({ done }) => (done as string[]).length));
    expect(mostAtOnce).to.be.within(2, 64);
    const progress = commitsOf(service, id).map((line) => Number(line['progress']));
    expect(progress, 'progress never falls').to.deep.equal(progress.toSorted((a, b) => a - b));
    expect(new Set(progress).size, 'what lies between 0 and 100 is told').to.be.greaterThan(2);
  });

  it('of which one crashes the component loses that one, and costs no other an attempt', async () => {
    const id = await submit('TROUBLE PIPELINE', { TROUBLE: 'exit' });
    expect((await service.terminal(id, 120_000)).jobStatus).to.equal('ERROR');
    const document = await service.document(id);
    const bad = document.media[BAD]!;
    expect(document.media.filter(({ status }) => status !== 'COMPLETE')).to.deep.equal([bad]);
    expect(errorCodes(document, bad.mediaId)).to.deep.equal(['DEAD_LETTER']);
    expect(document.media.flatMap((medium) => tracksOf(medium, 'TROUBLE'))).to.have.length(IMAGES - 1);
    const [ofBad, ofOthers] = [true, false].map((is) =>
      attempts(id).flatMap(({ subJob, attempt }) => (isDetection(BAD).test(subJob) === is ? [attempt] : [])),
    );
    // The first failure happened together with others, so its cause was unknown.
    expect([...new Set(ofBad)]).to.deep.equal([1, 2, 3]);
    expect(new Set(ofOthers)).to.deep.equal(new Set([1]));
    expect(new Set(countAnswers(id)).size, 'answered once each').to.equal(countAnswers(id).length);
  });

  it('is cancelled in the middle: the document has what was found, and nothing still runs', async () => {
    // One image blocks the component until the job is cancelled.
    const gate = join(service.folder, 'gate');
    const id = await submit('TROUBLE PIPELINE', { TROUBLE: 'wait', TROUBLE_FILE: gate });
    await until('some are done', () => countAnswers(id).some((subJob) => isDetection('\\d+').test(subJob)));
    expect((await service.cancel(id)).status).to.equal(200);
    await writeFile(gate, '');
    expect((await service.terminal(id)).jobStatus).to.equal('CANCELLED');
    const { media } = await service.document(id);
    const found = media.flatMap((medium) => tracksOf(medium, 'TROUBLE')).length;
    expect(found).to.be.within(1, IMAGES - 1);
    expect(media.filter(({ status }) => status === 'COMPLETE')).to.have.length(found);
  });
});
