/** Reads IP addresses in all notations. */
import { createRequire } from 'node:module';
import type ipaddrJs from 'ipaddr.js';

// By `require`: an `import` searches its text for names first, which takes longer than to load it.
export const ipaddr = createRequire(import.meta.url)('ipaddr.js') as typeof ipaddrJs;
