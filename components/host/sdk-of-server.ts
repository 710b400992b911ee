import type { ResolveHook } from 'node:module';

const SDK = new URL('../sdk/detector.js', import.meta.url).href;

/** Names of the SDK: in the server's package, and in its own package. */
const NAMES = ['troupe/sdk', '@troupe/sdk'];

/** Resolves the SDK to that of the running server for external detectors, even if another version is installed beside them. */
export const resolve: ResolveHook = (specifier, context, next) =>
  NAMES.includes(specifier) ? { url: SDK, format: 'module', shortCircuit: true } : next(specifier, context);
