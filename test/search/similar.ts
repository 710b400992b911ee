/** Tests of similar tracks and near duplicates of pictures for every search index. */
import { expect } from 'chai';
import { searchTerms } from '../../domain/text/words.ts';
import type { DuplicateQuery, SimilarHits, SimilarQuery } from '../../store/search.ts';
import type { ConditionTools } from './conditions.ts';
import { askedOf } from './documents.ts';
import { featureOf, MODEL, trackLike } from './vectors.ts';

const EAST = [1, 0, 0];

export function similarContract({ index, put }: ConditionTools): void {
  const ask = (like: SimilarQuery['like'], more: Partial<SimilarQuery> = {}) => {
    const { cursor: _, ...query } = askedOf({});
    return index().similar({ ...query, ...more, like });
  };
  const similar = async (like: SimilarQuery['like'], more?: Partial<SimilarQuery>) => {
    const found = await ask(like, more);
    expect(found).to.have.property('hits');
    return found as SimilarHits;
  };
  const idsLike = async (like: SimilarQuery['like'], more?: Partial<SimilarQuery>) =>
    (await similar(like, more)).hits.map(({ trackId }) => trackId);
  const toEast = { vector: EAST, model: MODEL };
  const refusal = async (like: SimilarQuery['like'], more?: Partial<SimilarQuery>) =>
    (await ask(like, more)) as object;

  it('finds the tracks with the nearest vectors, most similar first, without the track itself', async () => {
    await put({
      number: 1,
      media: [[trackLike('east', [2, 0, 0]), trackLike('up', [0, 0, 5])], [trackLike('near', [3, 4, 0])]],
    });
    const found = await similar({ job: 1, mediaId: 100, trackId: 'east' });
    expect([found.model, found.searched, found.like?.trackId]).to.deep.equal([MODEL, 1, 'east']);
    expect(
      found.hits.map(({ trackId, similarity }) => [trackId, Number(similarity.toFixed(6))]),
    ).to.deep.equal([
      ['near', 0.6],
      ['up', 0],
    ]);
    expect(found.hits[0]).to.include({ jobId: 'host-1', mediaId: 101, vectorModel: MODEL });
  });

  it('finds tracks that are like a vector, given as numbers or as a component reports it', async () => {
    await put({ number: 1, tracks: [trackLike('east', EAST), trackLike('west', [-1, 0, 0])] });
    expect(await idsLike(toEast)).to.deep.equal(['east', 'west']);
    expect(await idsLike({ vector: featureOf([0.5, 0, 0]), model: MODEL })).to.deep.equal(['east', 'west']);
    expect(await idsLike(toEast, { minSimilarity: 0.9 })).to.deep.equal(['east']);
    expect(await idsLike(toEast, { limit: 1 })).to.deep.equal(['east']);
  });

  it('compares only vectors of one model, with as many numbers', async () => {
    const other = { properties: { FEATURE_MODEL: 'other' } };
    await put({
      number: 1,
      tracks: [trackLike('same', EAST), trackLike('other', EAST, other), trackLike('long', [1, 0, 0, 0])],
    });
    expect(await idsLike(toEast)).to.deep.equal(['same']);
    expect(await idsLike({ vector: EAST, model: 'other' })).to.deep.equal(['other']);
    expect(await idsLike({ vector: [1, 0, 0, 0], model: MODEL })).to.deep.equal(['long']);
  });

  it('takes the algorithm for the model where a component names none', async () => {
    await put({ number: 1, tracks: [{ id: 'one', properties: { FEATURE: featureOf(EAST) } }] });
    expect(await idsLike({ vector: EAST, model: 'TEXT ALGORITHM' })).to.deep.equal(['one']);
  });

  it('finds only tracks that meet all conditions of a search', async () => {
    await put(
      {
        number: 1,
        endedAt: 1_000,
        media: [
          [trackLike('car', EAST, { class: 'car; truck', type: 'CLASS' })],
          [trackLike('sign', EAST, { text: 'Stop here', properties: { DOMINANT_COLOR: '#ff0000' } })],
        ],
      },
      { number: 2, endedAt: 2_000, tracks: [trackLike('car', EAST, { class: 'car; truck', type: 'CLASS' })] },
    );
    const conditions: readonly (readonly [Partial<SimilarQuery>, readonly string[]])[] = [
      [{ class: 'truck' }, ['2 car', '1 car']],
      [{ type: 'class' }, ['2 car', '1 car']],
      [{ colour: 'red' }, ['1 sign']],
      [{ medium: '1-1.MP4' }, ['1 sign']],
      [{ minConfidence: 0.76 }, []],
      [{ terms: searchTerms('stop') }, ['1 sign']],
      [{ anything: searchTerms('red stop') }, ['1 sign']],
      [{ from: 1_500 }, ['2 car']],
      [{ to: 1_500, type: 'class' }, ['1 car']],
      [{ job: 2 }, ['2 car']],
      [{ distinct: true, type: 'class' }, ['2 car']],
    ];
    for (const [more, ids] of conditions) {
      const { hits } = await similar(toEast, more);
      expect(
        hits.map(({ number, trackId }) => `${number} ${trackId}`),
        JSON.stringify(more),
      ).to.deep.equal(ids);
    }
  });

  it('finds a track of a model once, though another model made a vector of it later', async () => {
    const other = { properties: { FEATURE_MODEL: 'other' } };
    await put(
      { number: 1, tracks: [trackLike('east', EAST)] },
      { number: 2, tracks: [trackLike('east', EAST)] },
      { number: 3, tracks: [trackLike('east', EAST, other)] },
      { number: 4, tracks: [{ id: 'east' }] },
    );
    const jobsOf = async (model: string) =>
      (await similar({ vector: EAST, model }, { distinct: true })).hits.map(({ number }) => number);
    expect(await jobsOf(MODEL)).to.deep.equal([2]);
    expect(await jobsOf('other')).to.deep.equal([3]);
  });

  it('shows nobody the tracks of another user, and compares with none of them', async () => {
    await put(
      { number: 1, owner: { user: 'anna', group: 'red' }, tracks: [trackLike('of anna', EAST)] },
      { number: 2, owner: { user: 'bob' }, tracks: [trackLike('of bob', EAST)] },
      { number: 3, tracks: [trackLike('of nobody', EAST)] },
    );
    expect(await idsLike(toEast)).to.have.length(3);
    expect(await idsLike(toEast, { sight: { user: 'anna' } })).to.deep.equal(['of anna']);
    expect(await idsLike(toEast, { sight: { user: 'carl', group: 'red' } })).to.deep.equal(['of anna']);
    expect(await refusal(toEast, { sight: {} })).to.deep.equal({ refusal: 'NO_MODEL' });
    expect(await refusal(toEast, { sight: { user: 'carl' } })).to.deep.equal({ refusal: 'NO_MODEL' });
    const short = { vector: [1, 2], model: MODEL };
    expect(await refusal(short, { sight: { user: 'carl' } })).to.deep.equal({ refusal: 'NO_MODEL' });
    expect(await refusal(short, { sight: { user: 'bob' } })).to.deep.equal({ refusal: 'DIMENSION', dimensions: [3] }); // oxfmt-ignore
    const track = { job: 2, mediaId: 200, trackId: 'of bob' };
    expect(await refusal(track, { sight: { user: 'anna' } })).to.deep.equal({ refusal: 'NO_JOB' });
  });

  it('says why there is nothing to compare with', async () => {
    expect(await refusal(toEast)).to.deep.equal({ refusal: 'NO_MODEL' });
    await put({ number: 1, tracks: [trackLike('east', EAST), { id: 'plain', text: 'x' }] });
    const like = { job: 1, mediaId: 100, trackId: 'east' };
    expect(await refusal({ ...like, job: 7 })).to.deep.equal({ refusal: 'NO_JOB' });
    expect(await refusal({ ...like, mediaId: 101 })).to.deep.equal({ refusal: 'NO_TRACK' });
    expect(await refusal({ ...like, trackId: 'plain' })).to.deep.equal({ refusal: 'NO_VECTOR' });
    expect(await refusal({ vector: EAST, model: 'unknown' })).to.deep.equal({ refusal: 'NO_MODEL' });
    expect(await refusal({ vector: [1, 2], model: MODEL })).to.deep.equal({
      refusal: 'DIMENSION',
      dimensions: [3],
    });
    for (const [vector, why] of [
      [[0, 0, 0], 'its length is 0'],
      [[1], 'it has 1 numbers instead of 2 to 4096'],
      [featureOf([NaN, 1, 2]), 'it contains NaN or infinity'],
      ['AAAA', 'its 3 bytes are not whole floats of 32 bits'],
      ['not base64!', 'it is not base64'],
    ] as const)
      expect(await refusal({ vector, model: MODEL })).to.deep.equal({ refusal: 'WRONG_VECTOR', why });
  });

  it('names the newest job that is seen and made vectors of a model', async () => {
    const source = async (more: { model?: string; sight?: SimilarQuery['sight'] } = {}) =>
      (await index().vectorSource({ sight: 'ALL', ...more }))?.number;
    expect(await index().vectorSource({ sight: 'ALL' })).to.equal(null);
    const other = { properties: { FEATURE_MODEL: 'other' } };
    await put(
      { number: 1, owner: { user: 'anna' }, tracks: [trackLike('east', EAST)] },
      { number: 2, owner: { user: 'bob' }, tracks: [trackLike('east', EAST, other), { id: 'none' }] },
      { number: 3, owner: { user: 'bob' }, tracks: [{ id: 'none' }] },
    );
    const { number, model, action } = (await index().vectorSource({ sight: 'ALL' }))!;
    expect([number, model]).to.deep.equal([2, 'other']);
    expect(action).to.equal((await index().find(askedOf({}))).hits[0]!.action);
    expect(await source({ model: MODEL })).to.equal(1);
    expect(await source({ model: 'unknown' })).to.equal(undefined);
    expect(await source({ sight: { user: 'anna' } })).to.equal(1);
    expect(await source({ sight: { user: 'anna' }, model: 'other' })).to.equal(undefined);
    expect(await source({ sight: {} })).to.equal(undefined);
    await index().remove(2, 1);
    expect(await source()).to.equal(1);
  });

  it('lists each model with vectors that the user sees, the one of the newest vectors first', async () => {
    const models = async (sight: SimilarQuery['sight'] = 'ALL') =>
      (await index().vectorModels(sight)).map(({ number, model }) => [number, model]);
    expect(await models()).to.deep.equal([]);
    const other = { properties: { FEATURE_MODEL: 'other' } };
    await put(
      {
        number: 1,
        owner: { user: 'anna' },
        tracks: [trackLike('east', EAST), trackLike('long', [1, 0, 0, 0])],
      },
      { number: 2, owner: { user: 'bob' }, tracks: [trackLike('east', EAST, other), { id: 'none' }] },
      { number: 3, owner: { user: 'anna' }, tracks: [trackLike('west', EAST)] },
    );
    expect(await models()).to.deep.equal([
      [3, MODEL],
      [2, 'other'],
    ]);
    expect(await models({ user: 'anna' })).to.deep.equal([[3, MODEL]]);
    expect(await models({})).to.deep.equal([]);
    await index().remove(3, 1);
    expect(await models()).to.deep.equal([
      [2, 'other'],
      [1, MODEL],
    ]);
    await index().remove(2, 1);
    expect(await models()).to.deep.equal([[1, MODEL]]);
    expect((await index().vectorModels('ALL'))[0]!.algorithm).to.equal('TEXT ALGORITHM');
  });

  it('takes in a document without its vectors that cannot be compared, and tells of them', async () => {
    const taken = await put({
      number: 1,
      tracks: [
        trackLike('good', EAST),
        trackLike('zero', [0, 0, 0]),
        trackLike('nan', [NaN, 0, 1]),
        trackLike('cut', EAST, { properties: { FEATURE: featureOf(EAST).slice(0, 8) } }),
        trackLike(
          'long',
          Array.from({ length: 5_000 }, () => 1),
        ),
      ],
    });
    expect(taken).to.deep.equal([{ withoutVectors: 4, trackId: 'zero', why: 'its length is 0' }]);
    expect(await idsLike(toEast)).to.deep.equal(['good']);
    expect(
      (await index().find(askedOf({}))).hits.map(({ trackId, vectorModel }) => [trackId, vectorModel]),
    ).to.deep.include(['zero', null]);
  });

  it('finds no vector of a job that was removed or ran again', async () => {
    await put(
      { number: 1, tracks: [trackLike('old', EAST)] },
      { number: 2, tracks: [trackLike('gone', EAST)] },
    );
    await put({ number: 1, run: 2, tracks: [trackLike('new', EAST)] });
    await index().remove(2, 1);
    expect(await idsLike(toEast)).to.deep.equal(['new']);
  });

  it('groups pictures of different media whose hashes differ in few bits', async () => {
    const picture = (hash: string) => [{ id: hash, properties: { PERCEPTUAL_HASH: hash } }];
    const groups = async (more: Partial<DuplicateQuery> = {}) => {
      const { cursor: _, ...query } = askedOf({});
      const found = await index().duplicates({ ...query, ...more });
      expect(found.isPart).to.equal(false);
      return found.groups.map((group) => group.map(({ mediaId, distance }) => [mediaId, distance]));
    };
    const near = ['00000000000000ff', '000000000000007f', '00000000000100ff', '0f000000000000f0'];
    await put(
      { number: 1, media: ['f0f0f0f0f0f0f0f0', ...near].map(picture) },
      { number: 2, owner: { user: 'anna' }, media: [picture('f0f0f0f0f0f0f0f1')] },
      { number: 3, media: [picture('0000000000000000'), picture('0000000000000000')] },
    );
    expect(await groups()).to.deep.equal([
      [
        [200, 0],
        [100, 1],
      ],
      [
        [103, 0],
        [102, 2],
        [101, 1],
      ],
    ]);
    expect(await groups({ sight: { user: 'anna' } })).to.deep.equal([]);
    expect(await groups({ limit: 1 })).to.have.length(1);
    await put({ number: 2, run: 2, media: [picture('ffffffffffffffff')] });
    expect(await groups({ medium: '2-0.mp4' })).to.deep.equal([]);
    expect(await groups()).to.have.length(1);
  });
}
