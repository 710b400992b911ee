/**
 * Rules for untrusted input, with every text that may make them slow. `npm test` uses some of these texts.
 */
import { rulesTakeTimeInProportion } from './suite-of-rules.ts';

describe('Rules for what strangers send', () => rulesTakeTimeInProportion(1));
