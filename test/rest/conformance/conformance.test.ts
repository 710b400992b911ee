/**
 * Conformance to the REST specification: every status of every row of chapter 4, every resource of chapter 2,
 * and the general rules of other chapters. Each row is requested at least once; other folders test the
 * details. All tests share one service.
 */
import { expect } from 'chai';
import { accessRows } from './access.ts';
import { batchJobs } from './batch-jobs.ts';
import { callbackRows } from './callbacks.ts';
import { catalogRows } from './catalog.ts';
import { clientHabits } from './support/clients.ts';
import { componentRows } from './components.ts';
import { jobCreation } from './job-creation.ts';
import { methodRows } from './methods.ts';
import { nodeRows } from './nodes.ts';
import { queueRows } from './queues.ts';
import { serviceInformation } from './service.ts';
import { streamingJobRows } from './streaming-jobs.ts';
import { Suite } from './suite.ts';
import { systemMessageRows } from './system-messages.ts';

describe('The REST service specification', () => {
  const suite = new Suite();
  before(() => suite.start());
  after(() => suite.close());

  serviceInformation(suite);
  batchJobs(suite);
  jobCreation(suite);
  streamingJobRows(suite);
  nodeRows(suite);
  systemMessageRows(suite);
  componentRows(suite);
  catalogRows(suite);
  queueRows(suite);
  accessRows(suite);
  callbackRows(suite);
  methodRows(suite);
  clientHabits(suite);

  it('is asked for every status of every row of chapter 4', () => {
    expect(suite.forgotten).to.deep.equal([]);
  });
});
