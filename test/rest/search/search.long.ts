/** GET /rest/search after a crash before or after every commit between the end of a job and its indexing. */
import { Service } from '../../support/processes/service.ts';
import { findsEachOnce } from './search-suite.ts';

describe('GET /rest/search', function () {
  this.timeout(240_000);
  let service: Service;
  before(async () => {
    service = await Service.start({ CLEANING_MS: '50' });
  });
  after(() => service.close());

  findsEachOnce(
    [
      { at: 1_000, when: 'before' },
      { at: 1_000, when: 'after' },
      { at: 1_000, when: 'before', indexed: true },
      { at: 1_000, when: 'after', indexed: true },
    ],
    () => service,
  );
});
