/** A log of JSON lines for tests to read. */
import { openSync, writeSync } from 'node:fs';
import type { Logger } from '../../config/logger.ts';

/** The offset of the clock in a server with a changed clock. It is added to the steady clock of the machine. */
const ZERO = Number(process.env['TEST_CLOCK_ZERO']);
const now = (): number =>
  Number.isNaN(ZERO) ? Date.now() : Math.round(ZERO + Number(process.hrtime.bigint()) / 1e6);

/** Writes synchronously, so that lines survive a kill and have the order of events. */
export function lineLogger(file: string): Logger {
  const log = openSync(file, 'a');
  const at = (level: string) => (facts: object, message: string) => {
    const line = { level, time: now(), pid: process.pid, message, ...facts };
    writeSync(
      log,
      `${JSON.stringify(line, (_, value: unknown) => (value instanceof Error ? errorText(value) : value))}\n`,
    );
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function errorText(error: Error): string {
  return error.stack ?? error.message;
}
