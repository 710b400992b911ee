/** FFmpeg's complaints about damaged pictures are counted, and do not go to stderr. */
import { Log } from 'node-av/lib';
import { AV_LOG_QUIET } from 'node-av/constants';
// Lets some of them pass when it is loaded.
import '../../libav/container.ts';

Log.setLevel(AV_LOG_QUIET);
