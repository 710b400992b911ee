import { EVERY_COMMIT, operationKills } from './suite.ts';

operationKills('resubmit', EVERY_COMMIT);
