import { kserve } from './kserve-suite.ts';

kserve({ isLong: true });
