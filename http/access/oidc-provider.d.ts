// oidc-provider ships no types: what this service and its tests use of version 9.
declare module 'oidc-provider' {
  import type Koa from 'koa';

  /** Keys as in the package's documentation; checked by the package when the provider is made. */
  export type Configuration = Readonly<Record<string, unknown>>;

  export class Provider extends Koa {
    constructor(issuer: string, configuration: Configuration);
  }

  export const errors: { readonly InvalidTarget: new (description?: string) => Error };
}

declare module 'oidc-provider/lib/helpers/als.js' {
  import type { AsyncLocalStorage } from 'node:async_hooks';

  const storage: AsyncLocalStorage<unknown>;
  export default storage;
}
