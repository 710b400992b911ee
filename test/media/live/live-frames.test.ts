import { liveFrames } from './live-frames-suite.ts';

liveFrames({ isLong: false });
