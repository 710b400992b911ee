/**
 * `npm run chaos [-- --seeds N]`: faults under load for SECONDS (60) with SERVERS= (3). SEED= repeats the
 * faults of an earlier run; with --seeds it is the first of N consecutive seeds.
 * FAULTS=killServer,freezeRedis allows only these faults. OTHER_VERSION= is the folder of another version,
 * built with its tests; the first server runs that version.
 */
import { seed as first } from '../../support/seed.ts';
import { chaos } from './chaos.ts';
import { FAULT_KINDS, USUAL_FAULTS } from './chaos-plan.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const seconds = Number(process.env['SECONDS'] ?? 60);
const servers = Number(process.env['SERVERS'] ?? 3);
const kinds = (process.env['FAULTS']?.split(',') ?? USUAL_FAULTS) as typeof FAULT_KINDS;
const unknown = kinds.filter((kind) => !FAULT_KINDS.includes(kind));
if (unknown.length > 0)
  throw new Error(`Unknown faults: ${unknown.join()}. There are ${FAULT_KINDS.join()}.`);
const at = process.argv.indexOf('--seeds');
const seeds = at < 0 ? 1 : Number(process.argv[at + 1]);
if (!(seconds > 0) || !(servers > 0) || !(seeds > 0))
  throw new Error('SECONDS, SERVERS and --seeds must be more than 0.');
const failed: number[] = [];
for (let seed = first; seed < first + seeds; seed++) {
  say(`${servers} servers, ${seconds} s of faults, SEED=${seed}`);
  const { violations, lines } = await chaos({ seed, seconds, servers, kinds, say });
  say(lines.join('\n'));
  if (violations.length > 0) failed.push(seed);
}
if (seeds > 1)
  say(
    `${seeds - failed.length} of ${seeds} seeds passed${failed.length > 0 ? `, not ${failed.join(', ')}` : ''}`,
  );
process.exit(failed.length === 0 ? 0 : 1);
