/** A service with an OpenID Connect provider, and clients with different roles. */
import { AUDIENCE, TestProvider } from '../access/support/provider.ts';
import { Service, type Answer } from './processes/service.ts';

/** Settings of a service that uses this provider. */
export const settingsOf = ({ issuer }: TestProvider) => ({
  OIDC_ISSUER_URI: issuer,
  OIDC_CLIENT_ID: 'admin',
  OIDC_CLIENT_SECRET: 'secret of admin',
  OIDC_AUDIENCE: AUDIENCE,
  OIDC_ADMIN_CLAIM_NAME: 'groups',
  OIDC_ADMIN_CLAIM_VALUE: 'media-admins',
  OIDC_USER_CLAIM_NAME: 'groups',
  OIDC_USER_CLAIM_VALUE: 'media-users',
});

export type Client = Parameters<TestProvider['token']>[0];

export class ServiceWithRoles {
  readonly service: Service;
  readonly provider: TestProvider;
  /** One token for each client. Tokens are valid for longer than a test file runs. */
  readonly #tokens = new Map<Client, Promise<string>>();

  private constructor(service: Service, provider: TestProvider) {
    this.service = service;
    this.provider = provider;
  }

  static async start(env: Readonly<Record<string, string>> = {}): Promise<ServiceWithRoles> {
    const provider = await TestProvider.start();
    const service = await Service.start({ ...settingsOf(provider), ...env }, () => provider.token('admin'));
    return new ServiceWithRoles(service, provider);
  }

  /** The same in the process of the test; see `Service`. */
  static async here(env: Readonly<Record<string, string>> = {}): Promise<ServiceWithRoles> {
    const provider = await TestProvider.start();
    const service = await Service.here({ ...settingsOf(provider), ...env }, () => provider.token('admin'));
    return new ServiceWithRoles(service, provider);
  }

  /** A new token. */
  token(client: Client): Promise<string> {
    return this.provider.token(client);
  }

  /** Sends a request of this client. `nobody` has a valid token without a role. */
  async as(client: Client, method: string, path: string, body?: unknown): Promise<Answer> {
    const token = this.#tokens.get(client) ?? this.token(client);
    this.#tokens.set(client, token);
    return this.service.ask(method, path, body, { authorization: `Bearer ${await token}` });
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.provider.close();
  }
}
