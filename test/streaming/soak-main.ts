/** `npm run soak [minutes]`: an endurance run of live streams. SEED= repeats the faults of an earlier run. */
import { objections } from './soak-figures.ts';
import { soak, summary } from './soak.ts';
import { seed } from '../support/seed.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const minutes = Number(process.argv[2] ?? 15);
if (!(minutes > 0)) throw new Error('npm run soak -- MINUTES');
const figures = await soak({
  seconds: minutes * 60,
  seed,
  everyMs: 5_000,
  say,
});
const wrong = objections(figures);
say([...summary(figures), ...wrong.map((one) => `WRONG: ${one}`)].join('\n'));
say(wrong.length === 0 ? 'All is well.' : `${wrong.length} objections, SEED=${seed}`);
process.exit(wrong.length === 0 ? 0 : 1);
