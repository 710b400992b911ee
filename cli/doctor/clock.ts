import { stat } from 'node:fs/promises';
import path from 'node:path';
import { findingsOn, type Finding } from './check-result.ts';

/** Maximum difference between clocks. Tokens are refused if clocks differ by more. */
const MOST_MS = 30_000;
const FIX = 'Synchronize the clock of this host, for example with chrony or systemd-timesyncd.';

const { ok, error, warning } = findingsOn('clock');

/** Compares the clock of this host with another one. `theirs`: milliseconds since the epoch. */
export function clockFinding(whose: string, theirs: number): Finding {
  const seconds = Math.round((Date.now() - theirs) / 1_000);
  if (Math.abs(seconds) * 1_000 <= MOST_MS) return ok(`The clock agrees with that of ${whose}.`);
  const way = seconds > 0 ? 'ahead of' : 'behind';
  return error(`The clock of this host is ${Math.abs(seconds)} s ${way} that of ${whose}.`, FIX);
}

/** Checks that the newest files of the server are not in the future. */
export async function checkClock(dataDir: string): Promise<readonly Finding[]> {
  const files = ['troupe.db', 'lock'].map((name) => path.join(dataDir, name));
  const times = await Promise.all(
    files.map(async (file) => (await stat(file).catch(() => undefined))?.mtimeMs ?? 0),
  );
  const newest = Math.max(...times);
  if (newest - Date.now() <= MOST_MS) return [];
  const text = `Files in ${dataDir} have times in the future (${new Date(newest).toISOString()}).`;
  return [warning(text, FIX)];
}
