/** Every detector that supports streams. */
import { liveDetectors } from './live-detectors-suite.ts';

liveDetectors({ isLong: true });
