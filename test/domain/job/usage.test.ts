import { expect } from 'chai';
import { usageCounters } from '../../../domain/users/usage.ts';

const RUN = {
  owner: { user: 'a/b', group: 'red' },
  pipeline: 'P',
  media: 3,
  bytes: 700,
  endedAt: Date.parse('2026-03-01T23:59:59.999Z'),
  algorithms: ['FACE', 'TEXT', 'FACE'],
  timing: [10, 5.4],
  cpu: [[31.2, 10] as const],
};

describe('The usage of a run', () => {
  it('is counted on the day of its end for owner, pipeline and each component once', () => {
    const start = '@usage:2026-03-01/';
    const job = { jobs: 1, media: 3, bytes: 700 };
    const all = { ...job, ms: 15, measuredMs: 10, cpuMs: 31 };
    const expected = Object.entries({
      'user/a%2Fb': all,
      'group/red': all,
      'pipeline/P': all,
      'component/FACE': { ...job, ms: 10, measuredMs: 10, cpuMs: 31 },
      'component/TEXT': { ...job, ms: 5 },
    }).flatMap(([name, figures]) =>
      Object.entries(figures).map(([figure, value]) => [`${start}${name}/${figure}`, value]),
    );
    expect(usageCounters(RUN)).to.deep.equal(Object.fromEntries(expected));
  });

  it('leaves out an owner that nobody knows and what is nothing', () => {
    const none = { ...RUN, owner: undefined, bytes: 0, algorithms: [], timing: [], cpu: [] };
    expect(Object.keys(usageCounters(none))).to.deep.equal([
      '@usage:2026-03-01/pipeline/P/jobs',
      '@usage:2026-03-01/pipeline/P/media',
    ]);
  });
});
