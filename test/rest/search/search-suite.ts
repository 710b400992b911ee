/**
 * Shared by tests of GET /rest/search: jobs with text results, and servers that die before the text is
 * indexed.
 */
import { expect } from 'chai';
import type { DeathWish } from '../../support/processes/server-main.ts';
import { sampleUri, type Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

interface Hit {
  readonly jobId: string;
  readonly externalId: string | null;
  readonly snippet: { readonly text: string; readonly marks: readonly { start: number; end: number }[] };
  readonly [name: string]: unknown;
}
export interface SearchPage {
  readonly hits: readonly Hit[];
  readonly next: string | null;
  readonly complete: boolean;
}

export const sayCaption = (caption: string, more: Readonly<Record<string, unknown>> = {}) => ({
  media: [sampleUri('digital-clock.jpg')],
  pipelineName: 'LIGHT PIPELINE',
  jobProperties: { CAPTION: caption },
  ...more,
});

/** The server of `service` is started in its own process if needed. */
export function findsEachOnce(deaths: readonly DeathWish[], service: () => Service): void {
  it('finds each document once, wherever the server is killed between job end and indexing', async () => {
    if (service().pid === process.pid) {
      await service().stop();
      await service().start();
    }
    const ids: string[] = [];
    const findJobs = async () => {
      const { status, body, text } = await service().ask('GET', '/rest/search?text=killed');
      expect(status, text).to.equal(200);
      return (body as SearchPage).hits.map(({ jobId }) => jobId);
    };
    for (const wish of deaths) {
      await service().dieAt(wish);
      ids.push(await service().submit(sayCaption('killed')));
      expect(await service().waitForExit()).to.equal('SIGKILL');
      await (wish === deaths.at(-1) ? service().startHere() : service().start());
      await service().terminal(ids.at(-1)!);
      await until(
        `${ids.length} documents are found`,
        findJobs,
        (seen) => JSON.stringify(seen.toSorted()) === JSON.stringify(ids.toSorted()),
      );
    }
  });
}
