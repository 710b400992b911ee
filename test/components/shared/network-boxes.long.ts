import { networkBoxes } from './network-boxes-suite.ts';

networkBoxes({ isLong: true });
