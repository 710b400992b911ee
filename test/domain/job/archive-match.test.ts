import { expect } from 'chai';
import * as fc from 'fast-check';
import { bestMatch } from '../../../domain/job/archive-match.ts';
import '../support.ts';

const HASH = 'cc';
const entry = (
  data: Readonly<Record<string, unknown>> = {},
  more: Readonly<Record<string, unknown>> = {},
) => ({
  system: 'Troupe',
  dataObject: {
    jobId: 'host-1',
    jobStatus: 'COMPLETE',
    outputUri: 'file:///a.json',
    processDate: '2026-01-01T00:00:00Z',
    jobConfigHash: HASH,
    ...data,
  },
  ...more,
});
const findMatch = (...entries: readonly unknown[]) => bestMatch(entries, HASH)?.jobId ?? null;

describe('The best match in the archive', () => {
  it('is an entry with the same configuration', () => {
    expect(findMatch()).to.equal(null);
    expect(findMatch(entry({ jobConfigHash: 'dd' }))).to.equal(null);
    expect(bestMatch([entry()], HASH)).to.deep.equal({
      jobId: 'host-1',
      jobStatus: 'COMPLETE',
      outputUri: 'file:///a.json',
      processedAt: Date.UTC(2026, 0, 1),
    });
  });

  it('prefers COMPLETE, then COMPLETE_WITH_WARNINGS, then any other, however late they are', () => {
    const complete = entry({ jobId: 'c', processDate: '2020-01-01T00:00:00Z' });
    const warned = entry({
      jobId: 'w',
      jobStatus: 'COMPLETE_WITH_WARNINGS',
      processDate: '2021-01-01T00:00:00Z',
    });
    const failed = entry({ jobId: 'e', jobStatus: 'ERROR', processDate: '2022-01-01T00:00:00Z' });
    expect(findMatch(failed, warned, complete)).to.equal('c');
    expect(findMatch(complete, warned, failed)).to.equal('c');
    expect(findMatch(failed, warned)).to.equal('w');
    expect(findMatch(failed)).to.equal('e');
  });

  it('is the latest of equal ones, whatever zone the dates are given in', () => {
    const early = entry({ jobId: 'early', processDate: '2026-01-01T12:00:00+09:00' });
    const late = entry({ jobId: 'late', processDate: '2026-01-01T04:00:00Z' });
    expect(findMatch(early, late)).to.equal('late');
    expect(findMatch(late, early)).to.equal('late');
  });

  it('is what was known before, unless something better comes', () => {
    const known = bestMatch([entry({ jobId: 'known' })], HASH);
    expect(bestMatch([], HASH, known)).to.equal(known);
    expect(
      bestMatch([entry({ jobStatus: 'ERROR', processDate: '2030-01-01T00:00:00Z' })], HASH, known),
    ).to.equal(known);
    expect(
      bestMatch([entry({ jobId: 'newer', processDate: '2030-01-01T00:00:00Z' })], HASH, known)?.jobId,
    ).to.equal('newer');
  });

  it('is never a job that was cancelled, whose results are a part only', () => {
    for (const jobStatus of ['CANCELLED', 'CANCELLED_BY_SHUTDOWN'])
      expect(findMatch(entry({ jobStatus }))).to.equal(null);
  });

  it('is never an entry of another system', () => {
    expect(findMatch(entry({}, { system: 'Other' }))).to.equal(null);
  });

  it('passes over entries that are broken, of other types, or huge', () => {
    const hostile: readonly unknown[] = [
      ...[
        null,
        undefined,
        1,
        true,
        'text',
        [],
        {},
        [[]],
        { dataObject: null },
        { dataObject: 'x' },
        { dataObject: [] },
      ],
      ...['jobId', 'jobStatus', 'outputUri', 'processDate'].flatMap((name) =>
        [undefined, null, 7, {}, [], '', '  ', 'x'.repeat(10_000), 'a\nb', 'a\u0000b'].map((value) =>
          entry({ jobId: 'hostile', [name]: value }),
        ),
      ),
      entry({ jobId: 'hostile', processDate: 'yesterday' }),
      entry({ jobId: 'hostile', jobConfigHash: [HASH] }),
    ];
    for (const each of hostile) expect(findMatch(each), JSON.stringify(each)?.slice(0, 200)).to.equal(null);
    expect(findMatch(...hostile, entry())).to.equal('host-1');
  });

  it('is found whatever else stands in the archive, and in any order', () => {
    const noise = fc.array(
      fc.oneof(
        fc.anything(),
        fc.dictionary(fc.string(), fc.anything()).map((data) => entry({ jobConfigHash: 'x', ...data })),
      ),
    );
    fc.assert(
      fc.property(noise, noise, (before, after) => findMatch(...before, entry(), ...after) === 'host-1'),
    );
  });
});
