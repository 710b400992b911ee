/** `npm run chaos`: faults under load, for SECONDS (60). SEED= runs the faults of an earlier run again; SERVERS= (3). */
import { seed } from '../support/seed.ts';
import { chaos } from './chaos.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const seconds = Number(process.env['SECONDS'] ?? 60);
const servers = Number(process.env['SERVERS'] ?? 3);
if (!(seconds > 0) || !(servers > 0)) throw new Error('SECONDS and SERVERS must be more than 0.');
say(`${servers} servers, ${seconds} s of faults, SEED=${seed}`);
const { violations, lines } = await chaos({ seed, seconds, servers, say });
say(lines.join('\n'));
process.exit(violations.length === 0 ? 0 : 1);
