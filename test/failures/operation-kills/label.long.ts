import { EVERY_COMMIT, operationKills } from './suite.ts';

operationKills('label', EVERY_COMMIT);
