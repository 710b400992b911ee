/**
 * The measures of `troupe evaluate`, compared with other programs, with results by hand, and with brute
 * force.
 */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { heaviestPairs, type Edge } from '../../evaluate/measures/assignment.ts';
import { averagePrecision, meanPrecision } from '../../evaluate/measures/average-precision.ts';
import {
  countedIn,
  overlap,
  precisionOf,
  recallOf,
  surestFirst,
  type FoundBox,
  type PictureCase,
  type TrueBox,
} from '../../evaluate/measures/box-matching.ts';
import {
  asOneSpeaker,
  speechMeasures,
  speechTime,
  type Stretch,
} from '../../evaluate/measures/speech-time.ts';
import { Tracking, trackingMeasures, type NearPair } from '../../evaluate/measures/tracking.ts';
import { characterErrors, plainText, wordErrors } from '../../evaluate/measures/word-errors.ts';
import { runs, seeded } from '../support/seed.ts';

type Four = readonly [number, number, number, number];
const boxOf = ([x, y, width, height]: Four) => ({ x, y, width, height });
const truthOf = (bbox: Four, more: Partial<TrueBox> = {}): TrueBox => ({
  ...boxOf(bbox),
  area: bbox[2] * bbox[3],
  ignored: false,
  crowd: false,
  ...more,
});
const read = (name: string): unknown => JSON.parse(readFileSync(`test/fixtures/evaluate/${name}`, 'utf8'));

interface CocoFile {
  readonly truth: {
    readonly images: readonly { readonly id: number }[];
    readonly categories: readonly { readonly id: number; readonly name: string }[];
    readonly annotations: readonly {
      readonly image_id: number;
      readonly category_id: number;
      readonly bbox: Four;
      readonly area: number;
      readonly iscrowd: number;
    }[];
  };
  readonly found: readonly {
    readonly image_id: number;
    readonly category_id: number;
    readonly bbox: Four;
    readonly score: number;
  }[];
  readonly expected: {
    readonly overall: Readonly<Record<string, number>>;
    readonly classes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  };
}

function picturesOf({ truth, found }: CocoFile, category: number): readonly PictureCase[] {
  return truth.images.map(({ id }) => ({
    truths: truth.annotations
      .filter((one) => one.image_id === id && one.category_id === category)
      .map(({ bbox, area, iscrowd }) =>
        truthOf(bbox, { area, ignored: iscrowd === 1, crowd: iscrowd === 1 }),
      ),
    found: surestFirst(
      found
        .filter((one) => one.image_id === id && one.category_id === category)
        .map(({ bbox, score }) => ({ ...boxOf(bbox), score })),
    ),
  }));
}

function countedAt(pictures: readonly PictureCase[], rules: { threshold: number; iou: number }) {
  const sum = { truePositives: 0, falsePositives: 0, falseNegatives: 0 };
  for (const picture of pictures)
    for (const [name, count] of Object.entries(countedIn(picture, rules)))
      sum[name as keyof typeof sum] += count as number;
  return sum;
}

function expectNear(measured: object, expected: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(expected))
    expect((measured as Record<string, number | null>)[name], name).to.be.closeTo(value, 1e-6);
}

const some = fc.double({ min: 0, max: 100, noNaN: true });
const side = fc.double({ min: 1, max: 60, noNaN: true });
const someBox = fc.tuple(some, some, side, side);
const somePicture = fc.record({
  truths: fc.array(
    someBox.map((box) => truthOf(box)),
    { maxLength: 4 },
  ),
  found: fc.array(
    fc
      .tuple(someBox, fc.double({ min: 0, max: 1, noNaN: true }))
      .map(([box, score]) => ({ ...boxOf(box), score })),
    { maxLength: 5 },
  ),
});

describe('Pairs with the greatest weight', () => {
  const someEdges = fc.uniqueArray(
    fc.record({ row: fc.nat(4), column: fc.nat(5), weight: fc.integer({ min: 1, max: 20 }) }),
    { selector: ({ row, column }) => `${row} ${column}`, maxLength: 14 },
  );
  const best = (edges: readonly Edge[]): number => {
    const [first, ...rest] = edges;
    if (first === undefined) return 0;
    const others = rest.filter(({ row, column }) => row !== first.row && column !== first.column);
    return Math.max(best(rest), first.weight + best(others));
  };

  it(`weigh as much as those found by trying all ways, each row and column once ${seeded}`, () =>
    fc.assert(
      fc.property(someEdges, (edges) => {
        const pairs = heaviestPairs(edges);
        expect(pairs.reduce((sum, { weight }) => sum + weight, 0)).to.equal(best(edges));
        for (const name of ['row', 'column'] as const)
          expect(new Set(pairs.map((pair) => pair[name])).size).to.equal(pairs.length);
        for (const pair of pairs) expect(edges).to.include(pair);
      }),
      runs(500),
    ));
});

describe('Average precision', () => {
  it('is what pycocotools measures, with crowds, by sizes and by numbers of detections', () => {
    const file = read('coco.json') as CocoFile;
    const measured = file.truth.categories.map(({ id, name }) => {
      const result = averagePrecision(picturesOf(file, id));
      expectNear(result, file.expected.classes[name] ?? {});
      return result;
    });
    expect(measured).to.have.length(3);
    expectNear(meanPrecision(measured), file.expected.overall);
  });

  it(`is 1 where what is found is the truth ${seeded}`, () =>
    fc.assert(
      fc.property(fc.array(someBox, { minLength: 1, maxLength: 6 }), (boxes) => {
        const [truths, found] = [
          boxes.map((box) => truthOf(box)),
          boxes.map((box) => ({ ...boxOf(box), score: 0.5 })),
        ];
        const { ap, ap50, ar100 } = averagePrecision([{ truths, found }]);
        expect([ap, ap50, ar100].map((value) => value?.toFixed(9))).to.deep.equal(
          Array(3).fill('1.000000000'),
        );
      }),
      runs(100),
    ));

  it(`does not change with the order in which detections of different confidence stand ${seeded}`, () =>
    fc.assert(
      fc.property(
        fc.array(somePicture, { maxLength: 4 }).filter((all) => {
          const scores = all.flatMap(({ found }) => found.map(({ score }) => score));
          return new Set(scores).size === scores.length;
        }),
        (pictures) => {
          const turned = pictures.map(({ truths, found }) => ({
            truths,
            found: surestFirst(found.toReversed()),
          }));
          const straight = pictures.map(({ truths, found }) => ({ truths, found: surestFirst(found) }));
          expect(averagePrecision(turned)).to.deep.equal(averagePrecision(straight));
        },
      ),
      runs(200),
    ));

  it('is not there where the truth has no box to find', () => {
    const found = [{ ...boxOf([0, 0, 9, 9]), score: 0.5 }];
    const crowd = truthOf([0, 0, 90, 90], { ignored: true, crowd: true });
    expect(averagePrecision([{ truths: [crowd], found }]).ap).to.equal(null);
    expect(meanPrecision([averagePrecision([])]).ap).to.equal(null);
  });
});

describe('Precision and recall', () => {
  const at = { threshold: 0, iou: 0.5 };

  it('count what is found, what is wrong and what is missed at an overlap and a confidence', () => {
    const truths = [truthOf([0, 0, 10, 10]), truthOf([50, 50, 10, 10]), truthOf([90, 0, 10, 10])];
    const found: FoundBox[] = [
      { ...boxOf([0, 0, 10, 10]), score: 0.9 },
      { ...boxOf([0, 1, 10, 10]), score: 0.8 },
      { ...boxOf([50, 53, 10, 10]), score: 0.7 },
      { ...boxOf([90, 0, 10, 10]), score: -1 },
    ];
    const counts = countedAt([{ truths, found }], at);
    expect(counts).to.deep.equal({ truePositives: 3, falsePositives: 1, falseNegatives: 0 });
    const sure = countedAt([{ truths, found }], { threshold: 0.75, iou: 0.6 });
    expect(sure).to.deep.equal({ truePositives: 2, falsePositives: 1, falseNegatives: 1 });
    expect([precisionOf(sure), recallOf(sure)]).to.deep.equal([2 / 3, 2 / 3]);
  });

  it('do not count what lies in a crowd, nor what belongs to an ignored box', () => {
    const crowd = truthOf([0, 0, 100, 100], { ignored: true, crowd: true });
    const ignored = truthOf([200, 0, 10, 10], { ignored: true });
    const found = [[5, 5, 10, 10], [40, 40, 20, 20], [200, 1, 10, 10], [300, 0, 5, 5]].map((box) => ({ ...boxOf(box as unknown as Four), score: 1 })); // oxfmt-ignore
    expect(overlap(found[0]!, crowd)).to.equal(1);
    const counts = countedAt([{ truths: [crowd, ignored], found }], at);
    expect(counts).to.deep.equal({ truePositives: 0, falsePositives: 1, falseNegatives: 0 });
  });

  it(`never gain recall by the loss of a detection ${seeded}`, () =>
    fc.assert(
      fc.property(fc.array(somePicture, { minLength: 1, maxLength: 3 }), fc.nat(), (pictures, which) => {
        const sorted = pictures.map(({ truths, found }) => ({ truths, found: surestFirst(found) }));
        // A detection that overlaps only one box of the truth. Otherwise its removal may allow a better match
        // for another.
        const alone = sorted.flatMap(({ truths, found }, picture) =>
          found.flatMap((one, place) =>
            truths.filter((truth) => overlap(one, truth) > 0).length <= 1 ? [{ picture, place }] : [],
          ),
        );
        fc.pre(alone.length > 0);
        const lost = alone[which % alone.length]!;
        const fewer = sorted.map((picture, number) =>
          number === lost.picture
            ? { ...picture, found: picture.found.filter((_, place) => place !== lost.place) }
            : picture,
        );
        expect(countedAt(fewer, at).truePositives).to.be.at.most(countedAt(sorted, at).truePositives);
      }),
      runs(300),
    ));
});

describe('Measures of tracking', () => {
  const frame = (truths: number[], found: number[], distances: (number | null)[][]) => ({
    truths,
    found,
    pairs: distances.flatMap((row, i) =>
      row.flatMap((distance, j): NearPair[] =>
        distance === null ? [] : [{ truth: truths[i]!, found: found[j]!, distance }],
      ),
    ),
  });

  it('are those of the example that py-motmetrics publishes', () => {
    const tracking = new Tracking();
    tracking.add(frame([1, 2], [1, 2, 3], [[0.1, null, 0.3], [0.5, 0.2, 0.3]])); // oxfmt-ignore
    tracking.add(frame([1, 2], [1], [[0.2], [0.4]]));
    const part = trackingMeasures(tracking.result);
    expect([part.mota, 1 - part.motp!, part.idf1].map((value) => value?.toFixed(3))).to.deep.equal(['0.500', '0.167', '0.750']); // oxfmt-ignore
    tracking.add(frame([1, 2], [1, 3], [[0.6, 0.2], [0.1, 0.6]])); // oxfmt-ignore
    const all = trackingMeasures(tracking.result);
    expect(all).to.include({ misses: 1, falsePositives: 1, switches: 1, mota: 0.5 });
    expect([1 - all.motp!, all.idf1, all.idPrecision, all.idRecall].map((value) => value?.toFixed(3))).to.deep.equal(['0.340', '0.833', '0.833', '0.833']); // oxfmt-ignore
  });

  it('equal those of another implementation, for objects that cross, are lost and are confused', () => {
    type Row = readonly [frame: number, track: number, x: number, y: number, width: number, height: number];
    interface Run {
      readonly truth: readonly Row[];
      readonly found: readonly Row[];
      readonly expected: Readonly<Record<string, number>>;
    }
    const box = ([, , ...four]: Row) => truthOf(four);
    for (const { truth, found, expected } of read('tracks.json') as readonly Run[]) {
      const tracking = new Tracking();
      for (let number = 0; number < 60; number++) {
        const [truths, others] = [truth, found].map((rows) => rows.filter((row) => row[0] === number));
        const distances = truths!.map((a) =>
          others!.map((b) => (overlap(box(b), box(a)) >= 0.5 ? 1 - overlap(box(b), box(a)) : null)),
        );
        tracking.add(frame(truths!.map((row) => row[1]), others!.map((row) => row[1]), distances)); // oxfmt-ignore
      }
      expectNear(trackingMeasures(tracking.result), expected);
    }
  });

  it('are 1 where what is found is the truth, and tell nothing where there is no truth', () => {
    const tracking = new Tracking();
    for (let i = 0; i < 5; i++) tracking.add(frame([7, 8], [70, 80], [[0, null], [null, 0]])); // oxfmt-ignore
    expect(trackingMeasures(tracking.result)).to.include({ mota: 1, motp: 1, idf1: 1, switches: 0 });
    expect(trackingMeasures(new Tracking().result)).to.include({ mota: null, motp: null, idf1: null });
  });
});

describe('Measures of speech', () => {
  const a = (start: number, stop: number, speaker = 'a'): Stretch => ({ start, stop, speaker });

  it('tell what is missed, told wrongly and given to another speaker', () => {
    const truth = [a(0, 1_000), a(1_000, 3_000, 'b')];
    const found = [a(0, 1_500, 'x'), a(1_500, 2_500, 'y'), a(3_000, 3_600, 'y')];
    const time = speechTime(truth, found, 0);
    expect(time).to.deep.equal({ spokenMs: 3_000, missedMs: 500, falseAlarmMs: 600, confusedMs: 500 });
    expect(speechMeasures(time).errorRate).to.be.closeTo(1_600 / 3_000, 1e-12);
    const detection = speechTime(asOneSpeaker(truth), asOneSpeaker(found), 0);
    expect(detection).to.deep.equal({ spokenMs: 3_000, missedMs: 500, falseAlarmMs: 600, confusedMs: 0 });
    expect(speechMeasures(speechTime([], found, 0)).errorRate).to.equal(null);
  });

  it('count two that speak at once twice, and nothing within the collar of a border of the truth', () => {
    const truth = [a(1_000, 3_000), a(2_000, 4_000, 'b')];
    expect(speechTime(truth, [a(1_000, 4_000, 'x')], 0)).to.deep.equal({ spokenMs: 4_000, missedMs: 1_000, falseAlarmMs: 0, confusedMs: 1_000 }); // oxfmt-ignore
    const near = speechTime([a(1_000, 2_000)], [a(800, 2_250, 'x')], 250);
    expect(near).to.deep.equal({ spokenMs: 500, missedMs: 0, falseAlarmMs: 0, confusedMs: 0 });
  });

  it(`are those of looking at each millisecond with each way to name the speakers ${seeded}`, () => {
    const stretches = (names: string) =>
      fc.array(
        fc
          .tuple(fc.nat(60), fc.nat(20), fc.constantFrom(...Array.from(names)))
          .map(([at, long, who]) => a(at, at + long, who)),
        { maxLength: 6 },
      );
    const nameErrors = (
      names: readonly string[],
      left: readonly string[],
    ): readonly ReadonlyMap<string, string>[] => {
      const [first, ...rest] = names;
      if (first === undefined) return [new Map()];
      return [undefined, ...left].flatMap((one) =>
        nameErrors(
          rest,
          left.filter((other) => other !== one),
        ).map((map) => new Map(one === undefined ? map : [...map, [first, one]])),
      );
    };
    const at = (all: readonly Stretch[], ms: number) =>
      new Set(all.filter(({ start, stop }) => start <= ms && ms < stop).map(({ speaker }) => speaker));
    fc.assert(
      fc.property(stretches('abc'), stretches('xyz'), fc.nat(3), (truth, found, collar) => {
        const borders = truth.filter(({ start, stop }) => stop > start);
        // Borders inside the speech of one speaker do not count.
        const edges = borders
          .flatMap(
            ({ start, stop, speaker }) =>
              [
                [start, speaker],
                [stop, speaker],
              ] as const,
          )
          .filter(([ms, who]) => !(at(borders, ms).has(who) && at(borders, ms - 1).has(who)))
          .map(([ms]) => ms);
        const judged = Array.from({ length: 90 }, (_, ms) => ms).filter(
          (ms) => !edges.some((edge) => ms >= edge - collar && ms < edge + collar),
        );
        const least = Math.min(
          ...nameErrors(['a', 'b', 'c'], ['x', 'y', 'z']).map((names) =>
            judged.reduce((sum, ms) => {
              const [wanted, seen] = [at(truth, ms), at(found, ms)];
              const right = [...wanted].filter((who) => seen.has(names.get(who) ?? '')).length;
              return sum + Math.max(wanted.size, seen.size) - right;
            }, 0),
          ),
        );
        const { missedMs, falseAlarmMs, confusedMs } = speechTime(truth, found, collar);
        expect(missedMs + falseAlarmMs + confusedMs).to.equal(least);
      }),
      runs(200),
    );
  });
});

describe('Errors of words and characters', () => {
  it('are told apart: what is replaced, left out and put in', () => {
    expect(wordErrors('the cat sat on the mat', 'the cat sit on mat now')).to.deep.equal({
      ...{ wanted: 6, found: 6, substitutions: 1, deletions: 1, insertions: 1 },
      errorRate: 0.5,
    });
    expect(characterErrors('kitten', 'sitting')?.errorRate).to.equal(3 / 6);
    expect(wordErrors('', 'a b')).to.include({ insertions: 2, errorRate: null });
    expect(wordErrors('a b', '')).to.include({ deletions: 2, errorRate: 1 });
    expect([wordErrors('a b c', 'x', 2), wordErrors('a b c', 'x y', 2)]).to.deep.equal([
      undefined,
      undefined,
    ]);
  });

  it('do not count case, punctuation and forms of characters', () => {
    expect(plainText('“Don’t,” she said — it’s 3 o’clock… ﬁne!')).to.equal(
      "don't she said it's 3 o'clock fine",
    );
    expect(plainText("the dogs' Über-\n\tSTRASSE")).to.equal('the dogs über strasse');
    expect(plainText(' ... ')).to.equal('');
  });

  it(`equal those of the plain table, also for long texts and texts of different length ${seeded}`, () => {
    const fewest = (one: readonly string[], other: readonly string[]): number => {
      let row = Array.from({ length: other.length + 1 }, (_, j) => j);
      for (const [i, word] of one.entries()) {
        const next = [i + 1];
        for (let j = 1; j <= other.length; j++)
          next.push(Math.min(row[j - 1]! + (word === other[j - 1] ? 0 : 1), row[j]! + 1, next[j - 1]! + 1));
        row = next;
      }
      return row[other.length]!;
    };
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), { maxLength: 300 });
    fc.assert(
      fc.property(text, text, (one, other) => {
        const { substitutions, deletions, insertions } = wordErrors(one.join(' '), other.join(' '))!;
        for (const count of [substitutions, deletions, insertions]) expect(count).to.be.at.least(0);
        expect(substitutions + deletions + insertions).to.equal(fewest(one, other));
        expect(one.length - deletions + insertions).to.equal(other.length);
      }),
      runs(100),
    );
  });
});
