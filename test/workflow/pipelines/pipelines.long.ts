import { builtInPipelines } from './suite.ts';

builtInPipelines({ isLong: true });
