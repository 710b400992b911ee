import { feedForward } from './feed-forward-suite.ts';

feedForward({ isLong: false });
