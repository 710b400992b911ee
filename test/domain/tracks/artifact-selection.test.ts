import { expect } from 'chai';
import { selectForArtifacts, wantsArtifacts } from '../../../domain/tracks/artifact-selection.ts';
import type { MediaType, Properties } from '../../../domain/types.ts';
import { track } from '../support.ts';

const short = (properties: Properties): Properties =>
  Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [
      name.replace(/^_/, 'ARTIFACT_EXTRACTION_POLICY_').replace(/^POLICY$/, 'ARTIFACT_EXTRACTION_POLICY'),
      value,
    ]),
  );

/** Seven detections. The exemplar is in the middle of the list but not of the frames. */
const seven = track([
  { frame: 0, confidence: 0.2 },
  { frame: 1, confidence: 0.9, properties: { PLATE: 'A' } },
  { frame: 2, confidence: 0.3 },
  { frame: 3, confidence: 0.95, properties: { SIZE: '7' } },
  { frame: 10, confidence: 0.5 },
  { frame: 11, confidence: 0.7, properties: { PLATE: '' } },
  { frame: 20, confidence: 0.1 },
]);

function select(
  properties: Properties,
  change: { type?: string; exemplar?: number } = {},
): readonly number[] {
  return selectForArtifacts({ ...seven, exemplar: 3, ...change }, short(properties));
}

describe('The selection of detections for artifacts', () => {
  const off = { _EXEMPLAR_FRAME_PLUS: '-1' };
  const cases: readonly (readonly [string, Properties, readonly number[]])[] = [
    ['is the exemplar unless something else is asked for', {}, [3]],
    ['takes the exemplar and its neighbours in the list', { _EXEMPLAR_FRAME_PLUS: '2' }, [1, 2, 3, 4, 5]],
    ['ends at the ends of the list', { _EXEMPLAR_FRAME_PLUS: '100' }, [0, 1, 2, 3, 4, 5, 6]],
    ['leaves out the exemplar below 0', off, []],
    ['takes the first detection', { ...off, _FIRST_FRAME: 'true' }, [0]],
    ['takes the last detection', { ...off, _LAST_FRAME: 'TRUE' }, [6]],
    ['takes the detection nearest to the middle frame', { ...off, _MIDDLE_FRAME: 'true' }, [4]],
    ['takes the best detections', { ...off, _TOP_QUALITY_COUNT: '2' }, [1, 3]],
    [
      'judges by the quality property',
      { ...off, _TOP_QUALITY_COUNT: '1', QUALITY_SELECTION_PROPERTY: 'SIZE' },
      [3],
    ],
    [
      'takes detections that carry a named property',
      { ...off, _BEST_DETECTION_PROP_NAMES_LIST: ' PLATE ;; SIZE' },
      [1, 3, 5],
    ],
    [
      'is the union of the rules, each detection once',
      { _FIRST_FRAME: 'true', _LAST_FRAME: 'true', _TOP_QUALITY_COUNT: '2', _MIDDLE_FRAME: 'true' },
      [0, 1, 3, 4, 6],
    ],
    ['is empty for NONE', { POLICY: 'none', _FIRST_FRAME: 'true' }, []],
    ['is everything for ALL_DETECTIONS', { ...off, POLICY: 'ALL_DETECTIONS' }, [0, 1, 2, 3, 4, 5, 6]],
    ['takes an unknown policy for the default one', { POLICY: 'SOME' }, [3]],
  ];
  for (const [name, properties, expected] of cases)
    it(name, () => expect(select(properties)).to.deep.equal(expected));

  it('takes the earlier of two detections that are equally near to the middle', () => {
    const even = { ...track([{ frame: 0 }, { frame: 4 }, { frame: 6 }, { frame: 10 }]), exemplar: -1 };
    expect(selectForArtifacts(even, short({ ...off, _MIDDLE_FRAME: 'true' }))).to.deep.equal([1]);
  });

  it('passes over types that show nothing in particular, unless all types are asked for', () => {
    for (const type of ['MOTION', 'SPEECH', 'SCENE', 'SOUND']) {
      expect(select({}, { type }), type).to.deep.equal([]);
      expect(select({ POLICY: 'ALL_TYPES' }, { type }), type).to.deep.equal([3]);
      expect(select({ POLICY: 'ALL_DETECTIONS' }, { type }), type).to.have.length(7);
    }
    expect(select({}, { type: 'TEXT' })).to.deep.equal([3]);
  });

  it('is not begun where nothing can be selected', () => {
    const wants = (
      properties: Properties,
      types: readonly string[],
      mediaType: MediaType = 'VIDEO',
    ): boolean => wantsArtifacts(short(properties), types, mediaType);
    expect(wants({}, ['FACE'])).to.equal(true);
    expect(wants({}, ['FACE'], 'IMAGE')).to.equal(true);
    expect(wants({}, ['FACE'], 'AUDIO')).to.equal(false);
    expect(wants({}, ['FACE'], 'UNKNOWN')).to.equal(false);
    expect(wants({}, [])).to.equal(false);
    expect(wants({}, ['MOTION', 'SCENE'])).to.equal(false);
    expect(wants({}, ['MOTION', 'FACE'])).to.equal(true);
    expect(wants({ POLICY: 'ALL_TYPES' }, ['MOTION'])).to.equal(true);
    expect(wants({ POLICY: 'NONE' }, ['FACE'])).to.equal(false);
    expect(wants(off, ['FACE'])).to.equal(false);
    expect(wants({ ...off, _LAST_FRAME: 'true' }, ['FACE'])).to.equal(true);
    expect(wants({ ...off, POLICY: 'ALL_DETECTIONS' }, ['FACE'])).to.equal(true);
  });
});
