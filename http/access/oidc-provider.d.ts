// oidc-provider has no types. This file declares the parts of version 9 that this service and its tests use.
declare module 'oidc-provider' {
  import type Koa from 'koa';

  /** Options as in the documentation of the package. The package checks them when the provider is created. */
  export type Configuration = Readonly<Record<string, unknown>>;

  type Request = import('node:http').IncomingMessage;
  type Response = import('node:http').ServerResponse;

  export class Provider extends Koa {
    constructor(issuer: string, configuration: Configuration);
    interactionDetails(
      request: Request,
      response: Response,
    ): Promise<{
      readonly prompt: { readonly name: string };
      readonly params: Readonly<Record<string, unknown>>;
      readonly session?: { readonly accountId: string };
    }>;
    interactionFinished(
      request: Request,
      response: Response,
      result: object,
      options?: { readonly mergeWithLastSubmission: boolean },
    ): Promise<void>;
    readonly Grant: new (of: { readonly accountId: string; readonly clientId: string }) => {
      addOIDCScope(scopes: string): void;
      save(): Promise<string>;
    };
  }

  export const errors: { readonly InvalidTarget: new (description?: string) => Error };
}

declare module 'oidc-provider/lib/helpers/als.js' {
  import type { AsyncLocalStorage } from 'node:async_hooks';

  const storage: AsyncLocalStorage<unknown>;
  export default storage;
}
