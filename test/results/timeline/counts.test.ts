/** Counts by time and place, compared with a direct count over the document. */
import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { MOST_INTERVALS, MOST_SERIES, roundInterval } from '../../../domain/tracks/track-counts.ts';
import { UNAVAILABLE, type ViewedBox } from '../../../domain/tracks/viewing.ts';
import { Timelines } from '../../../results/timeline/timelines.ts';
import { seed, seeded } from '../../support/seed.ts';
import { allFound } from '../exports/expected-exports.ts';
import { someDocument } from '../exports/generated-documents.ts';
import { temporaryFolder } from '../folder.ts';

const runs = { seed, numRuns: Number(process.env['RUNS'] ?? 15) };
const COLUMNS = 7;

describe('Counts of what was found in a medium', () => {
  const inFolder = temporaryFolder();
  let timelines: Timelines;
  before(() => {
    timelines = new Timelines({ mostWaiting: 100, waitMs: 60_000, idleMs: 300_000 });
  });
  after(() => timelines.close());

  let written = 0;
  const placeDocument = (document: object) => {
    const path = inFolder(`document-${++written}.json`);
    writeFileSync(path, JSON.stringify(document));
    return path;
  };

  it(`have each track once where it begins, and in each interval that it touches ${seeded}`, () =>
    fc.assert(
      fc.asyncProperty(someDocument, fc.integer({ min: 100, max: 5_000 }), async (document, step) => {
        const path = placeDocument(document);
        for (const medium of document.media) {
          const tracks = new Set(
            allFound(document)
              .filter(({ medium: of }) => of === medium)
              .map(({ track }) => track),
          );
          const times = [...tracks].map(
            ({ startOffsetTime: from, stopOffsetTime: to }) => [from, to] as const,
          );
          const length = Math.max(-1, ...times.map(([, to]) => to)) + 1;
          const intervalMs = Math.max(step, Math.ceil(length / 10_000));
          const counts = await timelines.ask(path, { kind: 'counts', medium: medium.mediaId, intervalMs });
          expect(counts).to.include({ intervalMs, intervals: Math.ceil(length / intervalMs) });
          if ('unavailable' in counts) return expect.fail();
          const { series, omitted, intervals } = counts;
          expect(series.length).to.be.at.most(MOST_SERIES);
          const whole = series.reduce((sum, { total }) => sum + total, 0);
          if (omitted === 0) expect(whole).to.equal(tracks.size);
          for (let n = 0; n < intervals && omitted === 0; n++) {
            const [from, to] = [n * intervalMs, (n + 1) * intervalMs];
            const begin = times.filter(([start]) => start >= from && start < to).length;
            const touch = times.filter(([start, stop]) => start < to && Math.max(start, stop) >= from).length;
            expect(
              sumAt(
                series.map(({ begins }) => begins),
                n,
              ),
              `begin in ${n}`,
            ).to.equal(begin);
            expect(
              sumAt(
                series.map(({ present }) => present),
                n,
              ),
              `present in ${n}`,
            ).to.equal(touch);
          }
        }
      }),
      runs,
    ));

  it(`have a heat map with the boxes on each cell ${seeded}`, () =>
    fc.assert(
      fc.asyncProperty(someDocument, async (document) => {
        const path = placeDocument(document);
        for (const { mediaId: medium, mediaMetadata } of document.media) {
          const map = await timelines.ask(path, { kind: 'heat', medium, columns: COLUMNS, lane: undefined });
          const [width, height] = [
            Number(mediaMetadata['FRAME_WIDTH']),
            Number(mediaMetadata['FRAME_HEIGHT']),
          ];
          if (!(width > 0 && height > 0)) {
            expect(map).to.deep.equal(UNAVAILABLE);
            continue;
          }
          const question = { medium, fromFrame: 0, toFrame: 2 ** 31 - 1, limit: 10_000 };
          const { boxes } = await timelines.ask(path, { kind: 'boxes', ...question });
          if ('unavailable' in map) return expect.fail();
          const { columns, rows, cells } = map;
          expect([map.width, map.height, columns, cells.length]).to.deep.equal([
            width,
            height,
            COLUMNS,
            columns * rows,
          ]);
          for (const [n, cell] of cells.entries()) {
            const left = ((n % columns) * width) / columns;
            const top = (Math.floor(n / columns) * height) / rows;
            const area = { left, top, right: left + width / columns, bottom: top + height / rows };
            expect(cell, `cell ${n}`).to.equal(boxes.filter((box) => isOver(box, area)).length);
          }
        }
      }),
      runs,
    ));

  it('have round intervals, at most 120 of them', () => {
    expect(roundInterval(0)).to.equal(1_000);
    expect(roundInterval(120_000)).to.equal(1_000);
    expect(roundInterval(121_000)).to.equal(2_000);
    expect(roundInterval(3_600_000)).to.equal(30_000);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (length) => length / roundInterval(length) <= 120),
      { seed },
    );
  });

  it('are refused with more than 10,000 intervals', async () => {
    const [document] = fc.sample(
      someDocument.filter((one) => allFound(one).length > 0),
      { seed, numRuns: 1 },
    );
    const [medium] = document!.media.filter((one) =>
      allFound(document!).some(({ medium: of }) => of === one),
    );
    const long = JSON.parse(JSON.stringify(document), (key, value: unknown) =>
      key === 'stopOffsetTime' ? MOST_INTERVALS + 1 : value,
    ) as object;
    const question = { kind: 'counts', medium: medium!.mediaId, intervalMs: 1 } as const;
    expect(await timelines.ask(placeDocument(long), question)).to.deep.equal(UNAVAILABLE);
  });
});

const sumAt = (lists: readonly (readonly number[])[], n: number) =>
  lists.reduce((sum, list) => sum + list[n]!, 0);

/** Touching a border does not count as overlap. */
function isOver(
  { x, y, width, height, corners }: ViewedBox,
  area: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number },
): boolean {
  const points = corners?.split(' ').map((corner) => corner.split(',').map(Number)) ?? [
    [x, y],
    [x + width, y + height],
  ];
  const [xs, ys] = [points.map(([across]) => across!), points.map(([, down]) => down!)];
  return (
    Math.min(...xs) < area.right &&
    Math.max(...xs) > area.left &&
    Math.min(...ys) < area.bottom &&
    Math.max(...ys) > area.top
  );
}
