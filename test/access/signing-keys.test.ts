import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect } from 'chai';
import { errorMembers } from '../../http/routing/errors.ts';
import type { JWK } from 'jose';
import { discoverKeysUri } from '../../http/access/provider-document.ts';
import { fixedSigningKeys, MIN_GAP_MS } from '../../http/access/signing-keys.ts';
import { newKey, TestProvider } from './support/provider.ts';
import {
  addressOf,
  closeServer,
  providerSettings,
  startService,
  type TestService,
} from './support/service.ts';

const TEN_MINUTES = 10 * 60_000;
const DAY = 24 * 3_600_000;

/**
 * EC keys, because creating an RSA key takes a tenth of a second. bearer.test.ts and service-access.test.ts
 * use RSA keys.
 */
const keyNamed = (kid: string) => newKey(kid, 'ES256');

async function keyWithoutId(): Promise<JWK> {
  const { kid: _kid, ...key } = await keyNamed('none');
  return key;
}

describe("The identity provider's signing keys", () => {
  let provider: TestProvider;
  let service: TestService;

  beforeEach(async () => {
    provider = await TestProvider.start(await keyNamed('first'));
    service = await startService(providerSettings(provider.issuer));
  });
  afterEach(async () => {
    await Promise.all([service.close(), provider.close()]);
  });
  const statusOf = async (token: string): Promise<number> => (await service.ask(token)).status;

  it('are fetched once for many first requests at the same time', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 30 }, (_, n) => provider.forge({ claims: { sub: String(n) } })),
    );
    const statuses = await Promise.all(tokens.map(statusOf));
    expect([new Set(statuses), provider.keyRequests]).to.deep.equal([new Set([200]), 1]);
  });

  it('may rotate: a token of a new key is accepted, and so is one of the old', async () => {
    const old = await provider.token('admin');
    expect(await statusOf(old)).to.equal(200);
    await provider.rotate('second');
    service.advance(MIN_GAP_MS);
    expect(await statusOf(await provider.token('admin'))).to.equal(200);
    expect(await statusOf(await provider.forge({ header: { kid: 'first' } }))).to.equal(401);
    expect(await statusOf(old)).to.equal(200);
  });

  it('end ten minutes after they were withdrawn', async () => {
    const token = await provider.token('admin');
    expect(await statusOf(token)).to.equal(200);
    await provider.publish(await keyNamed('second'));
    service.advance(TEN_MINUTES + 1);
    expect(await statusOf(token)).to.equal(401);
  });

  it('are renewed, and end, also after a clock that was an hour ahead is set right', async () => {
    service.advance(60 * 60_000);
    const old = await provider.token('admin');
    expect(await statusOf(old)).to.equal(200);
    service.advance(-60 * 60_000);
    await provider.publish(await keyNamed('second'));
    expect(await statusOf(await provider.token('admin'))).to.equal(200);
    expect(await statusOf(old)).to.equal(401);
  });

  it('leave the cache of verified tokens within a minute after their withdrawal was seen', async () => {
    const old = await provider.token('admin');
    expect(await statusOf(old)).to.equal(200);
    await provider.publish(await keyNamed('second'));
    service.advance(MIN_GAP_MS);
    expect(
      await statusOf(await provider.token('admin')),
      'the new key makes the old known as withdrawn',
    ).to.equal(200);
    expect(await statusOf(old), 'from the cache').to.equal(200);
    service.advance(60_000);
    expect(await statusOf(old), 'after a minute').to.equal(401);
  });

  it('may come without key ids, and rotate within a minute', async () => {
    await provider.publish(await keyWithoutId());
    expect(await statusOf(await provider.forge())).to.equal(200);
    await provider.publish(await keyWithoutId());
    service.advance(60_000);
    expect(await statusOf(await provider.forge())).to.equal(200);
  });

  for (const state of ['failing', 'gone'] as const) {
    it(`go on serving new tokens while the provider is ${state}, long after they are due for renewal`, async () => {
      const [first, second, third] = [
        await provider.token('admin'),
        await provider.token('user'),
        await provider.token('admin'),
      ];
      expect(await statusOf(first)).to.equal(200);
      if (state === 'gone') await provider.close();
      else provider.state = 'failing';
      expect(await statusOf(second)).to.equal(200);
      service.advance(TEN_MINUTES * 6);
      expect(await statusOf(third)).to.equal(200);
      expect(service.log.at(-1)).to.include({
        level: 'warn',
        message: 'The identity provider gave no signing keys. The server uses the previous keys',
      });
    });
  }

  it('are not trusted for longer than a day without the provider', async () => {
    const token = await provider.token('admin');
    expect(await statusOf(token)).to.equal(200);
    provider.state = 'failing';
    service.advance(DAY + 1);
    expect(await statusOf(token)).to.equal(503);
  });

  it('are unknown when the provider is down at the start: 503 with Retry-After until it is up', async () => {
    const token = await provider.token('admin');
    provider.state = 'failing';
    const refused = await service.ask(token);
    expect([refused.status, refused.retryAfter]).to.deep.equal([503, '5']);
    expect(JSON.parse(refused.body)).to.deep.equal(
      errorMembers('provider-unavailable', 'The identity provider cannot be reached. Try again later.'),
    );
    expect(await statusOf('garbage'), 'a token that no provider could make good').to.equal(401);
    provider.state = 'up';
    service.advance(MIN_GAP_MS);
    expect(await statusOf(token)).to.equal(200);
  });

  it('are not waited for without end', async () => {
    const token = await provider.token('admin');
    provider.state = 'hanging';
    expect(await statusOf(token)).to.equal(503);
  }).timeout(20_000);

  it('cost a bounded number of requests under a flood of unknown ids; a rotation is seen soon', async () => {
    expect(await statusOf(await provider.token('admin'))).to.equal(200);
    service.advance(MIN_GAP_MS);
    const before = provider.keyRequests;
    const flood = await Promise.all(
      Array.from({ length: 100 }, (_, n) => provider.forge({ header: { kid: `junk-${String(n)}` } })),
    );
    expect(new Set(await Promise.all(flood.map(statusOf)))).to.deep.equal(new Set([401]));
    expect(provider.keyRequests - before).to.equal(1);

    await provider.rotate('second');
    const rotated = await provider.token('admin');
    expect(await statusOf(rotated), 'within the gap').to.equal(401);
    service.advance(MIN_GAP_MS);
    expect(await statusOf(rotated), 'after the gap').to.equal(200);
    expect(provider.keyRequests - before).to.equal(2);
  });

  it('cost no request for a token of another issuer or algorithm', async () => {
    await service.ask(await provider.forge({ claims: { iss: 'https://other.example' } }));
    await service.ask(await provider.forge({ key: await newKey('first', 'EdDSA') }));
    expect(provider.keyRequests).to.equal(0);
  });

  it('are not taken from a discovery document of another issuer', async () => {
    const twin = await startService(providerSettings(provider.issuer.replace('127.0.0.1', 'localhost')));
    try {
      const token = await provider.forge({
        claims: { iss: provider.issuer.replace('127.0.0.1', 'localhost') },
      });
      expect((await twin.ask(token)).status).to.equal(503);
      expect(JSON.stringify(twin.log)).to.include('names another issuer');
    } finally {
      await twin.close();
    }
  });

  it('are not used when they are weak', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const weak = { ...privateKey.export({ format: 'jwk' }), kid: 'weak', alg: 'RS256', use: 'sig' };
    expect(() => fixedSigningKeys({ keys: [weak] })).to.throw('no usable signing key');
    const token = await provider.token('admin');
    await provider.publish(weak);
    expect(await statusOf(token)).to.equal(503);
    expect(JSON.stringify(service.log)).to.include('no usable signing key');
  });

  it('are not fetched over plain http from another host, unless that is allowed', async () => {
    const keysUri = 'http://keys.example/jwks';
    const server = createServer((_request, response) => {
      response.end(JSON.stringify({ issuer: addressOf(server), jwks_uri: keysUri }));
    }).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const issuer = addressOf(server);
      const refused = await discoverKeysUri({ issuer, allowHttp: false }).catch((error: unknown) =>
        String(error),
      );
      expect(refused).to.include('a jwks_uri that is not https');
      expect(await discoverKeysUri({ issuer, allowHttp: true })).to.equal(keysUri);
    } finally {
      await closeServer(server);
    }
  });
});
