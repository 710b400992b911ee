/** Text in pictures that are turned by many degrees, and many pictures without text. */
import { textTests } from './text-suite.ts';

textTests({ isLong: true });
