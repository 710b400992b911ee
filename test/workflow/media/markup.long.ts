/**
 * Marked-up copies that are complete when the server crashes before it is notified. `actors/batch-job`
 * simulates random restarts.
 */
import { expect } from 'chai';
import { sampleUri, Service, type DocumentMedium } from '../../support/processes/service.ts';
import { filesOf } from '../results.ts';

describe('Markup of a server that dies before it hears that the copy is done', () => {
  let dying: Service;
  before(async () => {
    dying = await Service.start();
  });
  after(() => dying.close());

  const commits = (id: string) => dying.log('committed').filter(({ job }) => id.endsWith(`-${String(job)}`));
  const isMarkup = (name: string) => name.endsWith('.markup');

  /** Returns the job, and the copy that the server did not learn about. */
  async function killDuringMarkup(): Promise<{ id: string; first: string }> {
    const request = {
      media: [sampleUri('astronaut.png')],
      pipelineDefinition: { pipeline: ['LIGHT TASK', 'GENERIC MARKUP TASK'] },
    };
    const undisturbed = await dying.submit(request);
    await dying.terminal(undisturbed);
    const at = 1 + commits(undisturbed).findIndex(({ done }) => (done as string[]).some(isMarkup));
    expect(at).to.be.greaterThan(1);
    await dying.dieAt({ at, when: 'before' });
    const id = await dying.submit(request);
    expect(await dying.waitForExit()).to.equal('SIGKILL');
    const [first = ''] = await filesOf(dying, 'markup', id);
    expect(first).to.match(/\.png$/);
    return { id, first };
  }

  it('is made anew, and the first one goes', async () => {
    const { id, first } = await killDuringMarkup();
    await dying.start();
    expect((await dying.terminal(id)).jobStatus).to.equal('COMPLETE');
    const [medium] = (await dying.document(id)).media;
    const named = copyOf(medium!).split('/').slice(-2).join('/');
    expect(await filesOf(dying, 'markup', id))
      .to.deep.equal([named])
      .and.not.to.include(first);
  });

  it('goes when the job is cancelled instead', async () => {
    const { id } = await killDuringMarkup();
    await dying.startHere();
    expect((await dying.cancel(id)).status).to.equal(200);
    expect((await dying.terminal(id)).jobStatus).to.equal('CANCELLED');
    expect((await dying.document(id)).media[0]?.markupResult).to.equal(null);
    expect(await filesOf(dying, 'markup', id)).to.deep.equal([]);
  });
});

function copyOf({ markupResult }: DocumentMedium): string {
  expect(markupResult).to.deep.include({ status: 'COMPLETE', message: null });
  return markupResult!.path;
}
