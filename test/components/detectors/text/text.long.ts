/** Text at many angles, and many pictures without text. */
import { textTests } from './text-suite.ts';

textTests({ isLong: true });
