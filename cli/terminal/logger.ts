import { pino } from 'pino';
import type { Logger } from '../../config/logger.ts';

/** JSON lines, to standard output or to a file; tokens and secrets never get into them. */
export function createLogger(level: string, file?: string): Logger {
  const destination = pino.destination({ dest: file ?? 1, sync: false, mkdir: true });
  return pino(
    { level, redact: { paths: ['token', '*.token', '*.authorization', '*.secret'], censor: '<hidden>' } },
    destination,
  );
}
