/**
 * The real server in its own process, for benchmarks of its interface. Prints its address; ends with its
 * parent.
 */
import { readSettings } from '../../../config/settings.ts';
import { startServer } from '../../../main.ts';
import { silent } from '../parts.ts';

const server = await startServer(readSettings(), { logger: silent });
console.log(server.url);
process.stdin.resume().on('end', () => void server.stop().then(() => process.exit(0)));
