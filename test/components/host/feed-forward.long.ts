/** Results of detectors for fed frames and regions at every rotation. */
import { feedForward } from './feed-forward-suite.ts';

feedForward({ isLong: true });
