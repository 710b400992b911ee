/** The router, which finds the endpoint of a path. */
import { createRequire } from 'node:module';
import type KoaRouter from '@koa/router';

export type Router = KoaRouter;
// Loaded by `require`, because the package's build for `import` takes twice as long to load.
export const Router = createRequire(import.meta.url)('@koa/router') as typeof KoaRouter;
