/** A data folder of the version whose media and results lay in folders of a job, not of one of its runs: made by its code, ended with kill -9. */
import { cp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../../config/info.ts';
import { RawComponent, trackNamed } from '../../support/processes/raw-component.ts';
import { Service, tracksOf, withoutRedis } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const FIXTURE = path.join(packageRoot, 'test', 'fixtures', 'folders-by-job');
const ENDED = 'test-host-1';
/** Of two media; the first one is done, the second one was in the hands of a component. */
const LIVE = 'test-host-2';

describe('A data folder with folders by job', () => {
  before(withoutRedis);
  let service: Service;
  let component: RawComponent;
  before(async () => {
    service = new Service();
    await cp(FIXTURE, service.dataDir, { recursive: true });
    await service.startHere();
    component = new RawComponent(service);
  });
  after(() => (service as Service | undefined)?.close());

  const outputOf = async (id: string) => (await service.job(id))?.outputObjectPath;
  const inData = (...names: readonly string[]) => path.join(service.dataDir, ...names);
  const artifactsOf = async (id: string) => {
    const { media } = await service.document(id);
    return media.flatMap((medium) =>
      tracksOf(medium, 'ABSENT').map(({ exemplar }) => String(exemplar.artifactPath)),
    );
  };

  /** Files go after the commit that says so. */
  const isLeft = (folder: string, names: readonly string[]) =>
    until(
      `${names.length} folders are left in ${folder}`,
      async () => (await service.files(folder)).toSorted().join(),
      (found) => found === names.toSorted().join(),
    );

  it('has the documents of its ended jobs served from where they lie', async () => {
    expect(await outputOf(ENDED)).to.equal(inData('output-objects', ENDED, 'detection.json'));
    const [medium] = (await service.document(ENDED)).media;
    expect(tracksOf(medium, 'ABSENT').map(({ trackProperties }) => trackProperties['LABEL'])).to.deep.equal([
      'ended',
    ]);
  });

  it('has its live jobs go on where they were, with what was fetched and made before', async () => {
    const work = await component.claimOf(LIVE, 'ABSENT');
    expect([work.id, work.work.medium.path]).to.deep.equal([
      `${LIVE}.1.0.0.1.0`,
      inData('media', LIVE, '1-1'),
    ]);
    await readFile(work.work.medium.path);
    expect((await component.result(work.token, [trackNamed('second')])).status).to.equal(200);
    expect((await service.terminal(LIVE)).jobStatus).to.equal('COMPLETE');
    expect(await outputOf(LIVE)).to.equal(inData('output-objects', LIVE, 'detection.json'));
    const artifacts = await artifactsOf(LIVE);
    expect(artifacts).to.have.length(2);
    for (const file of artifacts) {
      expect(file).to.include(`/artifacts/${LIVE}/`);
      await readFile(inData(file.slice(file.indexOf('artifacts/'))));
    }
    await isLeft('media', []);
  });

  it('has them resubmitted into folders of the new run, and nothing is left of the one before', async () => {
    // The server that the media came from is no more: the run ends, and has a document that says so.
    expect((await service.resubmit(ENDED)).status).to.equal(200);
    expect((await service.terminal(ENDED)).jobStatus).to.equal('ERROR');
    expect(await outputOf(ENDED)).to.equal(inData('output-objects', `${ENDED}.2`, 'detection.json'));
    expect((await service.document(ENDED)).status).to.equal('ERROR');
    await isLeft('output-objects', [LIVE, `${ENDED}.2`]);
    await isLeft('artifacts', [LIVE]);
  });

  it('has them removed with all their files', async () => {
    for (const id of [ENDED, LIVE])
      expect((await service.ask('DELETE', `/rest/jobs/${id}`)).status).to.equal(204);
    for (const folder of ['output-objects', 'artifacts', 'spool', 'media']) await isLeft(folder, []);
  });
});
