import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { requestToken } from '../../components/sdk/connection/token-request.ts';
import { loadOrCreateDevelopmentSecrets } from '../../http/access/development-secrets.ts';
import { ownToken } from '../support/tokens.ts';
import { startService, type TestService } from './support/service.ts';

async function refusal(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return 'no refusal';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const mode = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

describe('The embedded development provider', () => {
  let dataDir: string;
  let service: TestService;

  const start = (port = 0): Promise<TestService> => startService({ mode: 'development' }, { dataDir, port });
  const credentials = async (): Promise<Parameters<typeof requestToken>[0]> => ({
    issuer: `${service.baseUrl}/oidc`,
    clientId: 'troupe-cli',
    clientSecret: (await loadOrCreateDevelopmentSecrets(dataDir)).clientSecret,
  });
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'troupe-access-'));
    service = await start();
  });
  afterEach(async () => {
    await service.close();
    await rm(dataDir, { recursive: true });
  });

  it('gives the command-line client a JWT for ADMIN that lasts an hour', async () => {
    const token = await requestToken(await credentials());
    const { iss, aud, exp = 0, iat = 0, groups } = decodeJwt(token);
    expect({ iss, aud, lasts: exp - iat, groups }).to.deep.equal({
      iss: `${service.baseUrl}/oidc`,
      aud: 'urn:troupe:rest',
      lasts: 3600,
      groups: ['troupe-admin'],
    });
    expect(decodeProtectedHeader(token)).to.include({ alg: 'ES256', typ: 'at+jwt' });
    const { status, body } = await service.ask(token, '/admin');
    expect([status, body]).to.deep.equal([
      200,
      '{"name":"troupe-cli","subject":"troupe-cli","client":"troupe-cli","group":null,"roles":["ADMIN"]}',
    ]);
  });

  it('is what the tokens that tests make for themselves are like', async () => {
    const [own, given] = await Promise.all([
      ownToken(service.baseUrl, dataDir),
      requestToken(await credentials()),
    ]);
    expect(decodeProtectedHeader(own)).to.deep.equal(decodeProtectedHeader(given));
    const { jti: _, iat: __, exp: ___, ...claims } = decodeJwt(given);
    expect(decodeJwt(own)).to.include.keys('jti', 'iat', 'exp').and.to.deep.include(claims);
    expect((await service.ask(own, '/admin')).status).to.equal(200);
  });

  it('gives no token for a wrong secret, and says so without the secret', async () => {
    const attempt = requestToken({ ...(await credentials()), clientSecret: 'a wrong secret' });
    expect(await refusal(attempt))
      .to.include('gave no token to client "troupe-cli": invalid_client')
      .and.not.include('a wrong secret');
  });

  it('needs a token for everything else', async () => {
    const { status, body, challenge, retryAfter } = await service.ask();
    expect({ status, challenge, retryAfter }).to.deep.equal({
      status: 401,
      challenge: 'Bearer',
      retryAfter: null,
    });
    expect(JSON.parse(body)).to.include({ code: 'unauthorized' });
  });

  it('publishes discovery below its path, and public keys only', async () => {
    const discovery = await fetch(`${service.baseUrl}/oidc/.well-known/openid-configuration`);
    const document = (await discovery.json()) as Record<string, string>;
    expect(document).to.include({
      issuer: `${service.baseUrl}/oidc`,
      token_endpoint: `${service.baseUrl}/oidc/token`,
      jwks_uri: `${service.baseUrl}/oidc/jwks`,
    });
    const { keys } = (await (await fetch(document['jwks_uri'] ?? '')).json()) as { keys: object[] };
    expect(keys).to.have.length(1);
    expect(keys[0])
      .to.include({ alg: 'ES256', use: 'sig' })
      .and.not.have.any.keys('d', 'p', 'q', 'dp', 'dq', 'qi');
  });

  it('offers nothing but the client credentials grant', async () => {
    for (const path of [
      '/oidc',
      '/oidc/auth',
      '/oidc/reg',
      '/oidc/session/end',
      '/oidc/me',
      '/oidc/request',
    ]) {
      const response = await fetch(`${service.baseUrl}${path}`);
      expect([path, response.status, await response.text()]).to.deep.equal([path, 404, '']);
    }
    const { clientSecret } = await credentials();
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: 'x',
      redirect_uri: 'http://x',
    });
    const headers = { authorization: `Basic ${btoa(`troupe-cli:${clientSecret}`)}` };
    const response = await fetch(`${service.baseUrl}/oidc/token`, { method: 'POST', headers, body });
    expect(response.status).to.equal(400);
  });

  it('issues nothing for a foreign resource', async () => {
    const { clientSecret } = await credentials();
    const body = new URLSearchParams({ grant_type: 'client_credentials', resource: 'urn:other' });
    const headers = { authorization: `Basic ${btoa(`troupe-cli:${clientSecret}`)}` };
    const response = await fetch(`${service.baseUrl}/oidc/token`, { method: 'POST', headers, body });
    expect([response.status, await response.json()]).to.deep.equal([
      400,
      { error: 'invalid_target', error_description: 'the only resource is urn:troupe:rest' },
    ]);
  });

  it('keeps its secrets where only this user reads them', async () => {
    const folder = join(dataDir, 'secrets');
    const files = (await readdir(folder)).toSorted();
    expect(files).to.deep.equal(['development-signing-keys.json', 'nodes.secret', 'troupe-cli.secret']);
    expect(await mode(folder)).to.equal('700');
    for (const file of files) expect(await mode(join(folder, file)), file).to.equal('600');
  });

  it('takes back permissions that were opened', async () => {
    const file = join(dataDir, 'secrets', 'troupe-cli.secret');
    await chmod(file, 0o644);
    await chmod(join(dataDir, 'secrets'), 0o755);
    await loadOrCreateDevelopmentSecrets(dataDir);
    expect([await mode(file), await mode(join(dataDir, 'secrets'))]).to.deep.equal(['600', '700']);
  });

  it('has the same secrets after a restart, and its tokens go on', async () => {
    const files = ['development-signing-keys.json', 'nodes.secret', 'troupe-cli.secret'].map((name) =>
      join(dataDir, 'secrets', name),
    );
    const contents = (): Promise<string[]> => Promise.all(files.map((file) => readFile(file, 'utf8')));
    const before = await contents();
    const token = await requestToken(await credentials());
    await service.close();
    service = await start(Number(new URL(service.baseUrl).port));
    expect(await contents()).to.deep.equal(before);
    expect((await service.ask(token)).status).to.equal(200);
  });

  it("refuses another data directory's tokens", async () => {
    const token = await requestToken(await credentials());
    await service.close();
    await rm(join(dataDir, 'secrets'), { recursive: true });
    service = await start(Number(new URL(service.baseUrl).port));
    expect((await service.ask(token)).status).to.equal(401);
  });

  it('says which file is damaged, without its content', async () => {
    const file = join(dataDir, 'secrets', 'development-signing-keys.json');
    await writeFile(file, '{"keys":["half a private');
    expect(await refusal(loadOrCreateDevelopmentSecrets(dataDir)))
      .to.include(`${file} is damaged. Delete it`)
      .and.not.include('private');
  });

  it('says loudly that it runs, and never logs the secret', async () => {
    const { clientSecret } = await credentials();
    expect(service.log.filter(({ level }) => level === 'warn').map(({ message }) => message))
      .to.have.length(1)
      .and.satisfy(([message = '']: string[]) => message.startsWith('DEVELOPMENT ACCESS'));
    expect(JSON.stringify(service.log)).not.to.include(clientSecret);
  });

  it('is reported by the client in a sentence when it is not there', async () => {
    const request = { ...(await credentials()), issuer: 'http://127.0.0.1:9/oidc' };
    expect(await refusal(requestToken(request))).to.include('cannot be reached. Is the server running');
    expect(await refusal(requestToken({ ...request, issuer: service.baseUrl }))).to.include(
      'Check the issuer',
    );
  });
});
