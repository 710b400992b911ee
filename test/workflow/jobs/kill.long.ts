/**
 * A server that crashes while tracks are fed forward and annotated continues with the same sub-job, and ends
 * with the document of a run without a crash. One server dies right before a commit, another right after it.
 * In `npm test`, `actors/batch-job` simulates such jobs with restarts, and `failures/kill` kills servers.
 */
import { expect } from 'chai';
import type { DeathWish } from '../../support/processes/server-main.ts';
import { Service, type DetectionDocument, type JobRequest } from '../../support/processes/service.ts';
import { annotates, entriesOf, finds, looks, pipelineOf, video } from '../support.ts';

type When = DeathWish['when'];

const TRACKS = ['a', 'b', 'c'].map((TEXT, n) => ({
  frames: [n * 7, n * 7 + 2],
  properties: { TEXT, NAME: TEXT },
}));

/** Without the commit that marks the document as indexed. `rest/search` tests crashes there. */
const QUIET = { SEARCH: 'false' };

/** The commits of the job below after its medium was inspected, by the results that they accept. */
const COMMITS = [
  '0.0.0.0',
  '0.0.0.finish',
  '1.0.0.feed',
  '1.0.0.0',
  '1.0.0.1',
  '1.0.0.finish',
  '2.0.0.feed',
  '2.0.0.0',
  '2.0.0.1',
  '2.0.0.2',
  '2.0.0.finish',
] as const;
const FIRST = 3;
const BOTH: readonly When[] = ['before', 'after'];
describe('A job with fed and annotated tracks', () => {
  const services: Record<When, Service> = { before: new Service(QUIET), after: new Service(QUIET) };
  let reference: unknown;
  let film = '';

  const request = (service: Service): JobRequest => ({
    ...pipelineOf(finds(TRACKS), looks({ FEED_FORWARD_TYPE: 'REGION', TRIGGER: 'NAME=a;b' }), annotates()),
    media: [film.replace(services.before.folder, service.folder)],
  });
  const each = <T>(work: (service: Service, when: When) => Promise<T>): Promise<T[]> =>
    Promise.all(BOTH.map((when) => work(services[when], when)));

  /** The parts that must be equal in two runs. */
  function content(service: Service, document: DetectionDocument): unknown {
    const {
      jobId: _,
      objectId: __,
      timeStart: ___,
      timeStop: ____,
      timing: _____,
      media,
      ...rest
    } = document;
    const stripped = { ...rest, media: media.map(({ mediaId: ______, ...medium }) => medium) };
    return JSON.parse(JSON.stringify(stripped).replaceAll(service.folder, ''));
  }

  const commitsOf = (service: Service, id: string): string[] =>
    service
      .log('committed')
      .filter((line) => id.endsWith(`-${String(line['job'])}`))
      .flatMap((line) => line['done'] as string[])
      .map((subJob) => subJob.slice(`${id}.1.`.length));

  before(async () => {
    await each(async (service, when) => {
      const uri = video(service, 'film.avi', { frames: 20 });
      if (when === 'before') film = uri;
      await service.start();
    });
    reference = (await each(async (service) => content(service, await service.run(request(service)))))[0];
  });
  after(() => each((service) => service.close()));

  it('uses a commit for what is fed, one for each piece, and one for what is finished', async () => {
    const contents = await each(async (service) => {
      const id = await service.submit(request(service));
      expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
      const document = await service.document(id);
      expect(entriesOf(document.media[0]!)).to.deep.equal([
        'STAGED | FIRST | 3 | by THIRD',
        'STAGED | SECOND | 2 | by THIRD',
      ]);
      expect(commitsOf(service, id).slice(1)).to.deep.equal(COMMITS);
      return content(service, document);
    });
    for (const one of contents) expect(one).to.deep.equal(reference);
  });

  for (const [n, commit] of COMMITS.entries()) {
    it(`goes on when a server dies right before or right after the commit of ${commit}`, async () => {
      await each(async (service, when) => {
        await service.dieAt({ at: n + FIRST, when });
        const id = await service.submit(request(service));
        expect(await service.waitForExit()).to.equal('SIGKILL');
        const done = commitsOf(service, id);
        expect(done).to.have.length(when === 'before' ? n + 1 : n + 2);

        await service.start();
        expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
        expect(content(service, await service.document(id))).to.deep.equal(reference);
        const all = commitsOf(service, id);
        expect(new Set(all).size, 'nothing is taken twice').to.equal(all.length);
        expect(all.slice(0, done.length)).to.deep.equal(done);
      });
    });
  }
});
