/** Live streams in every container and codec. */
import { liveFrames } from './live-frames-suite.ts';

liveFrames({ isLong: true });
