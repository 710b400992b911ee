import { liveDetectors } from './live-detectors-suite.ts';

liveDetectors({ isLong: false });
