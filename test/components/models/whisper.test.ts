import { whisperTests } from './whisper-suite.ts';

whisperTests({ isLong: false });
