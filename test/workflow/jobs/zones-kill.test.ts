/** Properties that zones give to tracks of several actions, also when the job resumes after a crash. */
import { expect } from 'chai';
import type { DeathWish } from '../../support/processes/server-main.ts';
import type { StagedTrack } from '../../support/components/staged/detector.ts';
import { Service, type DetectionDocument, type JobRequest } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import type { SearchPage } from '../../rest/search/search-suite.ts';
import { finds, pipelineOf, video } from '../support.ts';

// The picture has 160 x 96 pixels.
const LEFT = { name: 'left', points: [[0, 0], [0.5, 0], [0.5, 1], [0, 1]] }; // oxfmt-ignore
const ABOVE = { name: 'above', points: [[0, 0], [1, 0], [1, 0.5], [0, 0.5]] }; // oxfmt-ignore
const MIDDLE = { name: 'middle', points: [[0.5, 0], [0.5, 1]] }; // oxfmt-ignore
const PLAN = { zones: [ABOVE, LEFT], lines: [MIDDLE], anchor: 'CENTER' };

const boxAt = (x: number, y: number) => [x - 5, y - 5, 10, 10] as const;
const trackOf = (NAME: string, frames: number[], ...at: (readonly [number, number])[]): StagedTrack => ({
  ...{ frames, boxes: at.map((one) => boxAt(...one)), properties: { NAME } },
});
const FIRST = [
  trackOf('turns', [0, 1, 2, 3], [20, 70], [20, 70], [20, 20], [20, 20]),
  trackOf('outside', [1, 2], [120, 70], [121, 70]),
  trackOf('crosses', [12, 14, 16], [120, 70], [20, 70], [120, 70]),
];
const SECOND = [
  trackOf('outside', [0, 3], [120, 70], [120, 71]),
  trackOf('above', [13, 18], [120, 20], [121, 20]),
];

/** By track, in the order of the document. */
const EXPECTED = [
  ['turns', { ZONES: 'left;above', ZONE_DWELL_MS: 'left=120;above=40' }],
  ['outside', {}],
  ['crosses', { ZONES: 'left', ZONE_DWELL_MS: 'left=0', LINES_CROSSED: 'middle:TO_RIGHT;middle:TO_LEFT' }],
  ['outside', {}],
  ['above', { ZONES: 'above', ZONE_DWELL_MS: 'above=200' }],
] as const;

const tracksOf = ({ media }: DetectionDocument) =>
  Object.values(media[0]!.output)
    .flat()
    .flatMap(({ tracks = [] }) => tracks)
    .map(({ trackProperties: { NAME, ...rest } }) => [NAME, rest]);

describe('Zones of a batch job with several actions', function () {
  this.timeout(240_000);
  // Without the commit that marks the document as indexed.
  const service = new Service({ SEARCH: 'false' });
  let uri = '';
  before(async () => {
    uri = video(service, 'film.avi', { frames: 20 });
    await service.start();
  });
  after(() => service.close());

  const request = (): JobRequest => ({
    ...pipelineOf([finds(FIRST), finds(SECOND)]),
    ...{ media: [uri], ...PLAN },
    jobProperties: { TARGET_SEGMENT_LENGTH: '10', MIN_SEGMENT_LENGTH: '5' },
  });
  const committed = (id: string) =>
    service.log('committed').filter((line) => id.endsWith(`-${String(line['job'])}`));
  const terminated = async (id: string) => {
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    return tracksOf(await service.document(id));
  };

  it('give properties to the tracks that touched them, in the order of their first visits', async () => {
    const id = await service.submit(request());
    expect(await terminated(id)).to.deep.equal(EXPECTED);
  });

  it('give the same properties when only exemplars are kept', async () => {
    const jobProperties = {
      ...(request()['jobProperties'] as object),
      OUTPUT_ARTIFACTS_AND_EXEMPLARS_ONLY: 'TRUE',
    };
    expect(await terminated(await service.submit({ ...request(), jobProperties }))).to.deep.equal(EXPECTED);
  });

  it('give the same properties when the server dies in the middle or before the end', async () => {
    const whole = await service.submit(request());
    await terminated(whole);
    const commits = committed(whole).length;
    const wishes: DeathWish[] = [{ at: 3, when: 'after' }, { at: commits, when: 'before' }]; // oxfmt-ignore
    for (const wish of wishes) {
      await service.dieAt(wish);
      const id = await service.submit(request());
      expect(await service.waitForExit()).to.equal('SIGKILL');
      await service.start();
      expect(await terminated(id)).to.deep.equal(EXPECTED);
    }
  });

  it('are found by a search for their names that includes ZONES', async () => {
    await service.stop();
    await service.start({ SEARCH: 'true', SEARCH_TEXT_PROPERTIES: 'ZONES' });
    const id = await service.submit(request());
    await service.terminal(id);
    const found = async (text: string) => {
      const { body } = await service.ask('GET', `/rest/search?job=${id}&text=${text}`);
      return (body as SearchPage).hits.map(({ snippet }) => snippet.text).toSorted();
    };
    await until(
      'the tracks are found',
      () => found('above'),
      (texts) => texts.length === 2,
    );
    expect(await found('above')).to.deep.equal(['above', 'left;above']);
    expect(await found('left')).to.deep.equal(['left', 'left;above']);
  });
});
