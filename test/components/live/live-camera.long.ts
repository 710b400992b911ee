/** A camera whose whole recording is analysed, and one that disconnects. */
import { liveCamera } from './live-camera-suite.ts';

liveCamera({ isLong: true });
