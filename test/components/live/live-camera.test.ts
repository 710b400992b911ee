import { liveCamera } from './live-camera-suite.ts';

liveCamera({ isLong: false });
