/** Completion callbacks survive the death of the server on both sides of the last commit of their job. */
import { Service } from '../support/service.ts';
import { callsOnce } from './callbacks-suite.ts';

describe('Completion callbacks survive kill -9', function () {
  this.timeout(240_000);
  let service: Service;
  beforeEach(async () => {
    service = await Service.started({ DELIVERY_FIRST_DELAY_MS: '50', DELIVERY_MAX_DELAY_MS: '200' });
  });
  afterEach(() => service.close());

  for (const when of ['before', 'after'] as const) callsOnce(when, () => service);
});
