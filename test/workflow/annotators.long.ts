/**
 * Further pipelines with annotators. `actors/batch-job/plan/track-inputs` tests the rules for their input.
 */
import { expect } from 'chai';
import { Service } from '../support/processes/service.ts';
import {
  annotates,
  entriesOf,
  finds,
  foundBy,
  looks,
  pipelineOf,
  runOne,
  valuesOf,
  video,
  type Step,
} from './support.ts';

describe('An annotator', () => {
  let service: Service;
  let film: string;

  before(async () => {
    service = await Service.openShared();
    film = video(service, 'film.avi', { frames: 30 });
  });
  after(() => service.close());

  const TRACKS = [
    { frames: [2, 5], properties: { TEXT: 'left' } },
    { frames: [10, 11, 12], properties: { TEXT: 'right' } },
    { frames: [20], properties: { NAME: 'mute' } },
  ];
  const onFilm = (...steps: readonly Step[]) => runOne(service, film, pipelineOf(...steps));

  it('that takes tracks of several tasks is named with each of them', async () => {
    const medium = await onFilm(
      finds(TRACKS),
      looks({ FEED_FORWARD_TYPE: 'FRAME', TRIGGER: 'NAME=mute' }),
      annotates(),
    );
    expect(entriesOf(medium)).to.deep.equal([
      'STAGED | FIRST | 3 | by THIRD',
      'STAGED | SECOND | 1 | by THIRD',
    ]);
    expect(valuesOf(medium, 'FIRST', 'NOTE')).to.deep.equal(['LEFT', 'RIGHT', undefined]);
  });

  it('that fails on all tracks leaves all as they were', async () => {
    const failing = { frames: [4], properties: { TEXT: 'no', FAIL: 'yes' } };
    const medium = await runOne(service, film, pipelineOf(finds([failing]), annotates()), 'ERROR');
    expect(valuesOf(medium, 'FIRST', 'TEXT')).to.deep.equal(['no']);
    expect(foundBy(medium, 'SECOND')).to.deep.equal([]);
  });

  it('leaves the frames to a task without feed forward that follows', async () => {
    const medium = await onFilm(finds(TRACKS.slice(0, 2)), annotates(), looks());
    expect(valuesOf(medium, 'THIRD', 'SHOWN')).to.deep.equal(['2,3,4,5,6,7,8,9,10,11,12']);
  });
});
