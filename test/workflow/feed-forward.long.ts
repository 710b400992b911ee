/**
 * Further pipelines with triggers. `actors/batch-job/plan/track-inputs` tests the rules for the input of
 * tasks.
 */
import { expect } from 'chai';
import { sampleUri, Service } from '../support/processes/service.ts';
import { annotates, entriesOf, foundBy, looks, pipelineOf, runOne } from './support.ts';
import { four, fedTracks, takes, takesAll } from './triggers.ts';

describe('A TRIGGER', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  it('may take what an earlier triggered task has found', async () => {
    expect(await fedTracks(service, four, takes('A;B'), takes("A'"), takesAll())).to.deep.equal([
      "A'B'",
      "A'",
      "A'B'CD",
    ]);
  });

  it('that nothing meets leaves nothing to look at to a task that is not fed', async () => {
    const steps = pipelineOf(four, takes('Z'), looks());
    const medium = await runOne(service, sampleUri('hello-world.png'), steps);
    expect(entriesOf(medium)).to.deep.equal([
      'NO TRACKS | SECOND',
      'NO TRACKS | THIRD',
      'STAGED | FIRST | 4',
    ]);
  });

  it('does not reach behind a task that took everything', async () => {
    expect(await fedTracks(service, four, takes('A'), takesAll(), takesAll())).to.deep.equal([
      "A'",
      "A'BCD",
      '????',
    ]);
  });

  it('of an annotator takes nothing away', async () => {
    const note = annotates({ TRIGGER: 'NAME=A;B' });
    expect(await fedTracks(service, four, note, takes('A'), takesAll())).to.deep.equal(['', "A'", "A'BCD"]);
  });

  it('of an annotator that nothing meets leaves all as it was', async () => {
    const note = annotates({ TRIGGER: 'NAME=Z' });
    expect(await fedTracks(service, four, note, takes('A'))).to.deep.equal(['', "A'"]);
    const medium = await runOne(service, sampleUri('hello-world.png'), pipelineOf(four, note, looks()));
    expect(foundBy(medium, 'THIRD'), 'a task that is not fed looks at the picture').to.have.length(1);
  });

  it('may look at what an annotator has said', async () => {
    const note = annotates({ TRIGGER: 'NAME=A;B', NOTES: 'is $' });
    expect(await fedTracks(service, four, note, takesAll({ TRIGGER: 'NOTE=is B' }))).to.deep.equal(['', 'B']);
  });
});
