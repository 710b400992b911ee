/** All that is asked of the models of speech, also what only repeats with other models and files. */
import { whisperTests } from './whisper-suite.ts';

whisperTests({ isLong: true });
