import { builtInPipelines } from './suite.ts';

builtInPipelines({ isLong: false });
