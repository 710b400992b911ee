import { textTests } from './text-suite.ts';

textTests({ isLong: false });
