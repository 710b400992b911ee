/** What detectors find in frames and regions that they are fed, turned in every way. */
import { feedForward } from './feed-forward-suite.ts';

feedForward({ isLong: true });
