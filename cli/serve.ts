import { ConfigurationError } from '../config/error.ts';
import { readSettings } from '../config/settings.ts';
import { startServer } from '../main.ts';
import { createLogger } from './logger.ts';

/** Runs the server until SIGINT or SIGTERM; the exit code tells whether it came up. */
export async function serve(): Promise<void> {
  const settings = readSettings();
  const server = await startServer(settings, { logger: createLogger(settings.LOG_LEVEL) });
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  await server.stop();
}

/** Problems of the configuration as sentences, anything else with its stack. */
export function explain(error: unknown): string {
  if (error instanceof ConfigurationError) return error.problems.map((problem) => `* ${problem}`).join('\n');
  return error instanceof Error ? error.message : String(error);
}
