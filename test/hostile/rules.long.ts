/** Rules for what strangers send, with each text that may make them work hard: `npm test` tries some of them. */
import { rulesTakeTimeInProportion } from './suite-of-rules.ts';

describe('Rules for what strangers send', () => rulesTakeTimeInProportion(1));
