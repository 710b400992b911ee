import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { LoginProvider } from '../../egress/login-provider.ts';
import type { ServiceClient } from '../../egress/provider-client.ts';
import { NoToken, serviceToken } from '../../egress/service-token.ts';
import { Service } from '../support/processes/service.ts';

const SECRET = 's3cr3t:with/signs';

/** A minimal token provider over real HTTP with scripted behaviour. */
class Provider {
  readonly #server: Server;
  /** Content of the token requests. */
  readonly grants: { readonly authorization: string | undefined; readonly body: string }[] = [];
  discoveries = 0;
  issuer = '';
  metadata: Readonly<Record<string, unknown>> = {};
  token: (response: ServerResponse, n: number) => void = (response, n) =>
    json(response, 200, { access_token: `token-${n}`, token_type: 'Bearer', expires_in: 3_600 });

  constructor() {
    this.#server = createServer((request, response) => void this.#take(request, response));
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.issuer = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/realm`;
    return this;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (request.url === '/realm/.well-known/openid-configuration') {
      this.discoveries++;
      const { issuer } = this;
      return json(response, 200, { issuer, token_endpoint: `${issuer}/token`, ...this.metadata });
    }
    this.grants.push({ authorization: request.headers.authorization, body });
    this.token(response, this.grants.length);
  }
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

describe('The token of the service (specification 5)', () => {
  let provider: Provider;
  let now: number;
  const client = (more: Partial<ServiceClient> = {}): ServiceClient => ({
    issuer: provider.issuer,
    clientId: 'troupe',
    clientSecret: SECRET,
    allowHttp: true,
    ...more,
  });
  const token = (more: Partial<ServiceClient> = {}) => serviceToken(client(more), () => now);
  const reasonOf = async (work: Promise<string>): Promise<string> => {
    try {
      return `a token: ${await work}`;
    } catch (error) {
      expect(error).to.be.instanceOf(NoToken);
      return (error as Error).message;
    }
  };

  beforeEach(async () => {
    provider = await new Provider().start();
    now = 1_000_000;
  });
  afterEach(() => provider.close());

  it('comes by client credentials, and one request serves all who wait and all who come later', async () => {
    const mine = token();
    expect(await Promise.all(Array.from({ length: 20 }, () => mine.get()))).to.deep.equal(
      Array(20).fill('token-1'),
    );
    expect(await mine.get()).to.equal('token-1');
    expect(provider.discoveries).to.equal(1);
    expect(provider.grants).to.have.length(1);
    const [grant] = provider.grants;
    expect(new URLSearchParams(grant!.body).get('grant_type')).to.equal('client_credentials');
    const basic = Buffer.from(grant!.authorization!.replace('Basic ', ''), 'base64').toString();
    expect(decodeURIComponent(basic)).to.equal(`troupe:${SECRET}`);
  });

  it('sends the secret in the body to a provider that wants it there', async () => {
    provider.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
    expect(await token().get()).to.equal('token-1');
    const [grant] = provider.grants;
    expect(grant?.authorization).to.equal(undefined);
    expect(new URLSearchParams(grant!.body).get('client_secret')).to.equal(SECRET);
  });

  it('is asked for again shortly before it expires', async () => {
    const mine = token();
    await mine.get();
    now += 3_600_000 - 30_001;
    expect(await mine.get()).to.equal('token-1');
    now += 1;
    expect(await mine.get()).to.equal('token-2');
    expect(provider.discoveries, 'the provider is known by then').to.equal(1);
  });

  it('is asked for again when a receiver has refused it, once', async () => {
    const mine = token();
    const refused = await mine.get();
    mine.drop(refused);
    expect(await mine.get()).to.equal('token-2');
    mine.drop(refused);
    expect(await mine.get(), 'somebody else tells of the first one').to.equal('token-2');
  });

  it('that cannot be had is a reason without the secret, and is asked for again after a second', async () => {
    provider.token = (response) =>
      json(response, 401, { error: 'invalid_client', error_description: 'unknown client' });
    const mine = token();
    const reason = `the service got no token from the provider ${provider.issuer} for its client "troupe" (invalid_client: unknown client)`;
    expect(await reasonOf(mine.get())).to.equal(reason);
    expect(await reasonOf(mine.get())).to.equal(reason);
    expect(provider.grants, 'a provider that fails is left alone').to.have.length(1);
    provider.token = (response) => json(response, 200, { access_token: 'late', token_type: 'Bearer' });
    now += 1_000;
    expect(await mine.get()).to.equal('late');
    now += 60_000;
    await mine.get();
    expect(provider.grants, 'without expires_in it is kept for a while').to.have.length(3);
  });

  it('that cannot be had because the provider is down, lies or sends elsewhere is a reason, too', async () => {
    provider.token = (response) => void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end();
    expect(await reasonOf(token().get())).to.match(/got no token .*status code/);
    provider.token = (response) => json(response, 200, { hello: 'world' });
    expect(await reasonOf(token().get())).to.match(/got no token/);
    provider.metadata = { issuer: 'http://127.0.0.1:9/other' };
    expect(await reasonOf(token().get())).to.match(/got no token/);
    await provider.close();
    expect(await reasonOf(token().get())).to.match(/got no token .*\(fetch failed: /);
    await provider.start();
  });

  it('is obtained, and browsers log in, with and without a slash at the end of the issuer', async () => {
    const { issuer } = provider;
    for (const [setting, name] of [
      [`${issuer}/`, issuer],
      [issuer, `${issuer}/`],
      [`${issuer}/`, `${issuer}/`],
    ]) {
      const authorization_endpoint = `${issuer}/auth`;
      provider.metadata = { issuer: name, authorization_endpoint };
      expect(await reasonOf(token({ issuer: setting! }).get())).to.match(/^a token: token-/);
      const login = new LoginProvider({
        client: client({ issuer: setting! }),
        scopes: ['openid'],
        redirectUri: 'http://service.example/login',
        steady: () => now,
      });
      const checks = { state: 's', nonce: 'n', verifier: 'v'.repeat(43) };
      expect(await login.authorizationUrl(checks, false)).to.include(`${authorization_endpoint}?`);
    }
  });

  it('is not asked for over plain http unless that is allowed', async () => {
    expect(await reasonOf(token({ allowHttp: false }).get())).to.match(/only requests to HTTPS are allowed/);
    expect(provider.discoveries).to.equal(0);
  });
});

describe('The development provider', () => {
  it('gives the service a token that it accepts itself', async () => {
    const service = await Service.here();
    try {
      const { loadOrCreateDevelopmentSecrets } = await import('../../http/access/development-secrets.ts');
      const { clientSecret } = await loadOrCreateDevelopmentSecrets(service.dataDir);
      const issuer = `${service.url}/oidc`;
      const mine = serviceToken({ issuer, clientId: 'troupe-cli', clientSecret, allowHttp: true });
      const answer = await fetch(`${service.url}/rest/info`, {
        headers: { authorization: `Bearer ${await mine.get()}` },
      });
      expect(answer.status).to.equal(200);
    } finally {
      await service.close();
    }
  });
});
