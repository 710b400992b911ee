// A real OpenID provider in this process, on loopback. It can go down and change its keys.
import { createServer, type RequestListener } from 'node:http';
import { exportJWK, generateKeyPair, importJWK, SignJWT, type JWK, type JWTHeaderParameters } from 'jose';
import { Provider } from 'oidc-provider';
import { requestToken } from '../../../components/sdk/connection/token-request.ts';
import { addressOf, closeServer } from './service.ts';

export const AUDIENCE = 'urn:test:rest';
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  admin: ['staff', 'media-admins'],
  user: ['media-users'],
  colleague: ['media-users'],
  nobody: ['staff'],
  rack: ['media-nodes'],
  shelf: ['media-nodes'],
};

export async function newKey(kid: string, alg = 'RS256'): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, use: 'sig', alg };
}

const firstKey = newKey('first'); // created once, because RSA keys are slow to create

/** JWT access tokens are not stored. */
class NothingStored {
  upsert(): Promise<void> {
    return Promise.resolve();
  }
}

export interface Forgery {
  readonly claims?: Record<string, unknown>;
  readonly header?: Partial<JWTHeaderParameters>;
  readonly key?: JWK;
}

export class TestProvider {
  readonly issuer: string;
  keyRequests = 0;
  tokenRequests = 0;
  /** Lifetimes of client tokens that differ from ten minutes. */
  readonly tokenSeconds = new Map<string, number>();
  state: 'up' | 'failing' | 'hanging' = 'up';
  #keys: JWK[] = [];
  #handle: RequestListener = () => undefined;
  readonly #server = createServer((request, response) => {
    if (request.url === '/jwks') this.keyRequests += 1;
    if (request.url === '/token') this.tokenRequests += 1;
    if (this.state === 'hanging') return;
    if (this.state === 'up') this.#handle(request, response);
    else response.writeHead(503).end('down');
  });

  private constructor(issuer: string) {
    this.issuer = issuer;
  }

  static async start(...keys: JWK[]): Promise<TestProvider> {
    const provider = await TestProvider.#listen();
    await provider.publish(...(keys.length > 0 ? keys : [await firstKey]));
    return provider;
  }

  static async #listen(): Promise<TestProvider> {
    const made = new TestProvider('http://127.0.0.1');
    await new Promise<void>((resolve) => made.#server.listen(0, '127.0.0.1', resolve));
    return Object.assign(made, { issuer: addressOf(made.#server) });
  }

  /** Publishes these keys instead of the current ones; the first one signs. */
  async publish(...keys: JWK[]): Promise<void> {
    this.#keys = keys;
    const alg = keys[0]?.alg;
    const client = (id: string): object => ({
      client_id: id,
      client_secret: `secret of ${id}`,
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      id_token_signed_response_alg: alg,
    });
    const provider = new Provider(this.issuer, {
      adapter: NothingStored,
      jwks: { keys },
      enabledJWA: { idTokenSigningAlgValues: ['RS256', 'PS256', 'ES256', 'ES384'] },
      ttl: {
        ClientCredentials: (_ctx: unknown, _token: unknown, { clientId }: { clientId: string }) =>
          this.tokenSeconds.get(clientId) ?? 600,
      },
      clients: Object.keys(GROUPS).map(client),
      extraTokenClaims: (_ctx: unknown, token: { clientId: string }) => ({ groups: GROUPS[token.clientId] }),
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => AUDIENCE,
          getResourceServerInfo: () => ({
            scope: '',
            audience: AUDIENCE,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg } },
          }),
        },
      },
    });
    const handle = provider.callback();
    this.#handle = (request, response) => void handle(request, response);
  }

  /** The old keys stay published. */
  async rotate(kid: string): Promise<void> {
    await this.publish(await newKey(kid, this.key.alg), ...this.#keys);
  }

  token(client: 'admin' | 'user' | 'colleague' | 'nobody' | 'rack' | 'shelf'): Promise<string> {
    return requestToken({ issuer: this.issuer, clientId: client, clientSecret: `secret of ${client}` });
  }

  get key(): JWK {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('no key is published');
    return key;
  }

  get claims(): Record<string, unknown> {
    const now = Math.floor(Date.now() / 1000);
    return {
      iss: this.issuer,
      aud: AUDIENCE,
      sub: 'forger',
      groups: ['media-admins'],
      iat: now,
      exp: now + 600,
    };
  }

  /** A valid ADMIN token, except for changes by `claims` and `header` (undefined removes a field). */
  async forge({ claims = {}, header = {}, key = this.key }: Forgery = {}): Promise<string> {
    const all = { alg: key.alg ?? 'RS256', kid: this.key.kid, ...header };
    const { kid, ...rest } = all;
    const present = Object.fromEntries(
      Object.entries({ ...this.claims, ...claims }).filter(([, value]) => value !== undefined),
    );
    return new SignJWT(present)
      .setProtectedHeader(kid === undefined ? rest : { ...rest, kid })
      .sign(await importJWK(key, all.alg));
  }

  close(): Promise<void> {
    return closeServer(this.#server);
  }
}
