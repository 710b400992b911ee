import { EVERY_COMMIT, operationKills } from './suite.ts';

operationKills('retry', EVERY_COMMIT);
