import { expect } from 'chai';
import { inBatches, type Frame, type LiveJob } from '../../../components/sdk/detector.ts';

/** Like the host, reuses the same buffer for all frames. */
function source(count: number) {
  const data = new Uint8Array(3);
  async function* frames(): AsyncGenerator<Frame> {
    for (let index = 0; index < count; index++) {
      data.fill(index);
      yield await Promise.resolve({
        index,
        time: index * 40,
        width: 1,
        height: 1,
        data,
        warmUp: index === 0,
      });
    }
  }
  return { frames };
}
const runInBatches = async (...given: Parameters<typeof inBatches>) => {
  const found: number[][] = [];
  for await (const batch of inBatches(...given)) {
    for (const { index, data } of batch) expect([...data]).to.deep.equal([index, index, index]);
    found.push(batch.map(({ index }) => index));
  }
  return found;
};

describe('Frames in batches', () => {
  it('are all there, in their order, each with pixels of its own', async () => {
    expect(await runInBatches(source(7), 3)).to.deep.equal([[0, 1, 2], [3, 4, 5], [6]]);
    expect(await runInBatches(source(6), 3)).to.deep.equal([
      [0, 1, 2],
      [3, 4, 5],
    ]);
    expect(await runInBatches(source(0), 3)).to.deep.equal([]);
  });

  it('come one by one when there is no such size, and of a live stream', async () => {
    expect(await runInBatches(source(2), 0)).to.deep.equal([[0], [1]]);
    expect(await runInBatches(source(2), 8, { live: {} as LiveJob })).to.deep.equal([[0], [1]]);
  });
});
