/** Components that exit, hang, flood or answer garbage, in every way each time and only once: `npm test` has some of these. */
import { Service } from '../support/service.ts';
import { componentsThatTrouble, SETTINGS, type Trouble } from './suite-of-troubles.ts';

const ALL: readonly Trouble[] = ['exit', 'leave', 'hang', 'hold', 'freeze', 'flood', 'garbage'];

describe('A component that', () => {
  let service: Service;
  before(async () => {
    service = await Service.started(SETTINGS);
  });
  after(() => service.close());

  componentsThatTrouble(() => service, { always: ALL, once: ALL });
});
