// A real OpenID provider on loopback with a login. Every visitor is logged in as `person` without a question.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { Provider } from 'oidc-provider';
import { Service } from '../../support/processes/service.ts';
import { AUDIENCE, newKey, TestProvider } from './provider.ts';
import { addressOf, closeServer } from './service.ts';

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  alice: ['staff', 'media-admins'],
  bob: ['media-users'],
  carol: ['staff'],
};
const CLIENT = { id: 'web', secret: 'secret of web' };
const firstKey = newKey('login');

export interface LoginProviderOptions {
  /** Allowed redirect URIs after login, and after logout. */
  readonly redirectUris: readonly string[];
  readonly afterLogout: readonly string[];
  /** Only the userinfo endpoint returns the claims. */
  readonly inUserinfo?: boolean;
}

export class LoginTestProvider {
  readonly issuer: string;
  person = 'alice';
  state: 'up' | 'failing' = 'up';
  /** Handles a request instead of the provider. True: it was handled. */
  instead: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  /** Paths of all requests. */
  readonly asked: string[] = [];
  #handle: RequestListener = () => undefined;
  readonly #server = createServer((request, response) => {
    this.asked.push(new URL(request.url ?? '/', 'http://provider').pathname);
    if (this.state === 'failing') return void response.writeHead(503).end('down');
    if (!this.instead(request, response)) this.#handle(request, response);
  });

  /** The provider of tokens for programs. */
  readonly tokens: TestProvider;

  private constructor(issuer: string, tokens: TestProvider) {
    this.issuer = issuer;
    this.tokens = tokens;
  }

  static async start(): Promise<LoginTestProvider> {
    const made = new LoginTestProvider('', await TestProvider.start());
    await new Promise<void>((resolve) => made.#server.listen(0, '127.0.0.1', resolve));
    return Object.assign(made, { issuer: addressOf(made.#server) });
  }

  /** Settings of a service with this provider. */
  get settings(): Readonly<Record<string, string>> {
    return {
      OIDC_ISSUER_URI: this.issuer,
      OIDC_JWT_ISSUER_URI: this.tokens.issuer,
      OIDC_AUDIENCE: AUDIENCE,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_SCOPES: 'profile',
      OIDC_ADMIN_CLAIM_NAME: 'groups',
      OIDC_ADMIN_CLAIM_VALUE: 'media-admins',
      OIDC_USER_CLAIM_NAME: 'groups',
      OIDC_USER_CLAIM_VALUE: 'media-users',
      OIDC_USER_NAME_ATTR: 'name',
    };
  }

  /** A service with browser login at this provider. */
  service(env: Readonly<Record<string, string>> = {}): Promise<Service> {
    return Service.here({ ...this.settings, ...env }, () => this.tokens.token('admin'));
  }

  /** Starts to answer, with the service as its client. */
  async serve({ redirectUris, afterLogout, inUserinfo = false }: LoginProviderOptions): Promise<void> {
    const provider = new Provider(this.issuer, {
      jwks: { keys: [await firstKey] },
      cookies: { keys: ['key of the cookies of the test'] },
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          grant_types: ['authorization_code'],
          response_types: ['code'],
          redirect_uris: redirectUris,
          post_logout_redirect_uris: afterLogout,
        },
      ],
      claims: { openid: ['sub'], profile: ['name', 'groups'] },
      conformIdTokenClaims: inUserinfo,
      pkce: { required: () => true },
      findAccount: (_ctx: unknown, id: string) => ({
        accountId: id,
        claims: () => ({ sub: id, name: `${id} of the test`, groups: GROUPS[id] }),
      }),
      interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      features: {
        devInteractions: { enabled: false },
        rpInitiatedLogout: {
          enabled: true,
          logoutSource: (ctx: { body: unknown }, form: string) => {
            ctx.body = form.replace('</form>', '<button name="logout" value="yes">Yes</button></form>');
          },
        },
      },
    });
    const handle = provider.callback();
    this.#handle = (request, response) => {
      if (request.url?.startsWith('/interaction/') !== true) return void handle(request, response);
      this.#interact(provider, request, response).catch((error: unknown) =>
        response.writeHead(500).end(String(error)),
      );
    };
  }

  async #interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login')
      return provider.interactionFinished(request, response, { login: { accountId: this.person } });
    const accountId = session?.accountId ?? this.person;
    const grant = new provider.Grant({ accountId, clientId: String(params['client_id']) });
    grant.addOIDCScope('openid profile');
    const consent = { grantId: await grant.save() };
    return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
  }

  async close(): Promise<void> {
    await this.tokens.close();
    await closeServer(this.#server);
  }
}
