/** The box cache of the viewer contains the boxes around the current frame, even if there are very many. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { BoxCache } from '../../../page/viewer/boxes/box-cache.ts';
import type { Box } from '../../../page/kit/findings/types.ts';
import { until } from '../../support/until.ts';

const box = (frame: number, track: number): Box => ({
  ...{
    frame,
    track,
    lane: 0,
    label: null,
    x: track,
    y: 0,
    width: 1,
    height: 1,
    confidence: 1,
    corners: null,
  },
});
const ofFrame = (frame: number, many: number) => Array.from({ length: many }, (_, n) => box(frame, n));

/**
 * Simulates the service with a given number of boxes per frame. Like the real one, it returns whole frames
 * with at most `limit` boxes.
 */
class Boxes {
  readonly #manyIn: (frame: number) => number;
  readonly #limit: number;
  readonly asked: (readonly [from: number, to: number])[] = [];
  underWay = 0;
  most = 0;
  fails = 0;
  constructor(manyIn: (frame: number) => number, limit = 20_000) {
    this.#manyIn = manyIn;
    this.#limit = limit;
  }

  readonly load = async (from: number, to: number, signal: AbortSignal) => {
    this.asked.push([from, to]);
    this.most = Math.max(this.most, ++this.underWay);
    signal.addEventListener('abort', () => this.underWay--);
    await new Promise((resolve) => setImmediate(resolve));
    if (signal.aborted) throw new DOMException('', 'AbortError');
    this.underWay--;
    if (this.fails-- > 0) throw new Error('busy');
    const boxes: Box[] = [];
    for (let frame = from; frame <= to; frame++) {
      const more = ofFrame(frame, this.#manyIn(frame));
      if (boxes.length > 0 && boxes.length + more.length > this.#limit) return { boxes, toFrame: frame - 1 };
      boxes.push(...more);
    }
    return { boxes, toFrame: to };
  };
}

/** Requests boxes like a viewer: at once, and again after each change. */
class Looker {
  frame = 0;
  seen: readonly Box[] | undefined;
  changes = 0;
  readonly cache: BoxCache;
  constructor(boxes: Boxes) {
    const onChange = () => {
      this.changes += 1;
      this.seen = this.cache.at(this.frame);
    };
    this.cache = new BoxCache({ load: boxes.load, onChange, againMs: 1, settledMs: 1 });
  }
  look(frame: number): void {
    this.frame = frame;
    this.seen = this.cache.at(frame);
  }
  waitUntilKnown = () => until(`the boxes of frame ${this.frame} are known`, () => this.seen !== undefined);
}

describe('The boxes that a viewer holds', () => {
  it('are those of the frame that it looks at, wherever it goes, with one question at a time', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 400 }), fc.boolean()), { maxLength: 40 }),
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 3 }),
        async (steps, most, fails) => {
          const manyIn = (frame: number) => (frame * 7) % (most + 1);
          const boxes = new Boxes(manyIn, 100);
          boxes.fails = fails;
          const looker = new Looker(boxes);
          for (const [frame, isWaiting] of steps) {
            looker.look(frame);
            if (!isWaiting) continue;
            await looker.waitUntilKnown();
            expect(looker.seen).to.deep.equal(ofFrame(frame, manyIn(frame)));
          }
          looker.cache.close();
          expect(boxes.most).to.be.at.most(1);
        },
      ),
      { numRuns: 50 },
    ));

  it('are few more than those around it, with ten thousand a frame, and then none are asked for', async () => {
    const boxes = new Boxes(() => 10_000);
    const looker = new Looker(boxes);
    for (const frame of [0, 1, 500, 501, 499, 498, 9_000, 3]) {
      looker.look(frame);
      await looker.waitUntilKnown();
      expect(looker.seen).to.have.length(10_000);
      expect(looker.cache.size).to.be.at.most(120_000);
    }
    // Requests boxes again after each change. Without a change, it sends no request.
    let last: number;
    do {
      last = looker.changes;
      await new Promise((resolve) => setTimeout(resolve, 50));
    } while (looker.changes > last);
    expect(boxes.asked.filter(([from]) => from >= 3 && from < 20).length).to.be.at.most(6);
    looker.cache.close();
  });

  it('are fetched ahead while it plays, and behind when it goes back', async () => {
    const boxes = new Boxes(() => 1);
    const looker = new Looker(boxes);
    looker.look(1_000);
    await looker.waitUntilKnown();
    await until('enough is known', () => boxes.asked.some(([, to]) => to >= 1_075) && boxes.underWay === 0);
    for (let frame = 1_000; frame < 1_075; frame++) looker.look(frame);
    expect(looker.seen).to.have.length(1);
    looker.look(999);
    expect(looker.seen).to.equal(undefined);
    await looker.waitUntilKnown();
    for (let frame = 998; frame > 955; frame--) looker.look(frame);
    expect(looker.seen, 'one question for all of them').to.have.length(1);
    looker.cache.close();
  });
});
