/** All tests of speech models, including repetitions with other models and files. */
import { whisperTests } from './whisper-suite.ts';

whisperTests({ isLong: true });
