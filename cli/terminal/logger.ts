import { pino } from 'pino';
import type { Logger } from '../../config/logger.ts';

/** Creates a logger that writes JSON lines to standard output or to a file. Tokens and secrets are never logged. */
export function createLogger(level: string, file?: string): Logger {
  const destination = pino.destination({ dest: file ?? 1, sync: false, mkdir: true });
  return pino(
    { level, redact: { paths: ['token', '*.token', '*.authorization', '*.secret'], censor: '<hidden>' } },
    destination,
  );
}
