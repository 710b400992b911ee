/** A camera that is followed as long as its recording, and one that breaks off. */
import { liveCamera } from './live-camera-suite.ts';

liveCamera({ isLong: true });
