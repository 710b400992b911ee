/** A process that indexes documents and builds vector files until it is killed: FILE DOCUMENT... */
import type { SearchedJob } from '../../../store/search.ts';
import { openAt } from '../open.ts';

const [file, ...jobs] = process.argv.slice(2);
const index = openAt(file!);
for (const job of jobs) await index.put([JSON.parse(job) as SearchedJob]);
process.stdout.write('put\n');
setInterval(() => undefined, 60_000);
