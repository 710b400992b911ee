import { builtInPipelines } from './pipelines/suite.ts';

builtInPipelines({ isLong: true });
