import { EVERY_COMMIT, operationKills } from './suite.ts';

operationKills('cancel', EVERY_COMMIT);
