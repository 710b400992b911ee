import { BETWEEN_COMMITS, EVERY_COMMIT, operationKills } from './suite.ts';

operationKills('delete', [...EVERY_COMMIT, ...BETWEEN_COMMITS]);
