/** Reads IP addresses in all notations. */
import { createRequire } from 'node:module';
import type ipaddrJs from 'ipaddr.js';

// `require` is used because `import` first searches the package's text for export names, which takes longer than loading it.
export const ipaddr = createRequire(import.meta.url)('ipaddr.js') as typeof ipaddrJs;
