// oidc-provider ships no types: what this service and its tests use of version 9.
declare module 'oidc-provider' {
  import type Koa from 'koa';

  /** Keys as in the package's documentation; checked by the package when the provider is made. */
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
