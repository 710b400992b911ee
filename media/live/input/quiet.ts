/** Disables FFmpeg's log of damaged pictures on stderr. The reader counts them instead. */
import { Log } from 'node-av/lib';
import { AV_LOG_QUIET } from 'node-av/constants';
// Imported first, because it sets a less strict log level when it loads.
import '../../libav/container.ts';

Log.setLevel(AV_LOG_QUIET);
