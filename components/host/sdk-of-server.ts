import type { ResolveHook } from 'node:module';

const SDK = new URL('../sdk/detector.js', import.meta.url).href;

/** By the package of the server, and by its own. */
const NAMES = ['troupe/sdk', '@troupe/sdk'];

/**
 * A detector outside of the package gets the SDK of the server that runs it, even if another version is installed
 * beside it.
 */
export const resolve: ResolveHook = (specifier, context, next) =>
  NAMES.includes(specifier) ? { url: SDK, format: 'module', shortCircuit: true } : next(specifier, context);
