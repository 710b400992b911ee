/** Live streams in every container and coding. */
import { liveFrames } from './live-frames-suite.ts';

liveFrames({ isLong: true });
