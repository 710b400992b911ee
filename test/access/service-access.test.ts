/** Access to the service (specification 5), with the whole server and a real provider. */
import { createPublicKey } from 'node:crypto';
import { expect } from 'chai';
import { errorMembers } from '../../http/routing/errors.ts';
import { SignJWT, UnsecuredJWT } from 'jose';
import { FIRST } from '../actors/node-gateway/rack.ts';
import type { OpenApiDocument } from '../support/openapi.ts';
import { answer, Receiver } from '../support/servers/receiver.ts';
import { sampleUri, Service, type Answer } from '../support/processes/service.ts';
import { settingsOf } from '../support/roles.ts';
import { story } from '../support/story.ts';
import { until } from '../support/until.ts';
import { newKey, TestProvider, type Forgery } from './support/provider.ts';

const atProvider = (provider: TestProvider) => ({
  ...settingsOf(provider),
  CORS_ALLOWED_ORIGINS: 'https://ui.example',
});
const INFO = '/rest/info';
const LIGHT = { media: [{ mediaUri: sampleUri('hello-world.png') }], pipelineName: 'LIGHT PIPELINE' };

function askWithRoles(service: Service) {
  return (token: string, method = 'GET', path = INFO, body?: unknown): Promise<Answer> =>
    service.ask(method, path, body, { authorization: token === '' ? '' : `Bearer ${token}` });
}

describe('The service behind an OpenID Connect provider (specification 5)', () => {
  let provider: TestProvider;
  let service: Service;
  let ask: ReturnType<typeof askWithRoles>;
  const statusOf = async (token: string) => (await ask(token)).status;
  /**
   * A provider that is down, its service, and the first response of the service. The service retries after
   * seconds, while other tests run.
   */
  let down: { readonly late: TestProvider; readonly waiting: Service; readonly refused: Answer };

  before(async () => {
    provider = await TestProvider.start();
    service = await Service.here(atProvider(provider), () => provider.token('admin'));
    ask = askWithRoles(service);
    const late = await TestProvider.start();
    late.state = 'failing';
    const waiting = await Service.here(atProvider(late), () => late.forge());
    down = { late, waiting, refused: await askWithRoles(waiting)(waiting.token) };
  });
  after(async () => {
    await service.close();
    await provider.close();
    await down.waiting.close();
    await down.late.close();
  });

  it('finds the keys by discovery, and takes tokens of clients of the provider', async () => {
    expect(await statusOf(await provider.token('admin'))).to.equal(200);
    expect(await statusOf(await provider.token('user'))).to.equal(200);
    expect(provider.keyRequests).to.equal(1);
    const own = service.log().filter(({ message }) => message.startsWith('DEVELOPMENT ACCESS'));
    expect(own, 'no provider of its own').to.deep.equal([]);
    expect((await fetch(`${service.url}/oidc/.well-known/openid-configuration`)).status).to.equal(404);
  });

  for (const [what, groups, statuses] of [
    ['a list with the value of ADMIN', ['x', 'media-admins'], [200, 400]],
    ['the value of ADMIN alone', 'media-admins', [200, 400]],
    ['a list with the value of USER', ['media-users', 'x'], [200, 403]],
    ['the value of USER alone', 'media-users', [200, 403]],
    ['both', ['media-users', 'media-admins'], [200, 400]],
    ['an empty list', [], [403, 403]],
    ['a text that only contains the value', 'media-admins,media-users', [403, 403]],
    ['the value in another case', 'MEDIA-ADMINS', [403, 403]],
    ['a list in a list', [['media-admins']], [403, 403]],
  ] as const)
    it(`answers a token whose claim is ${what} ${statuses[0]}, and on what needs ADMIN ${statuses[1]}`, async () => {
      const token = await provider.forge({ claims: { groups } });
      const seen = [await ask(token), await ask(token, 'POST', '/rest/nodes/config', {})];
      expect(seen.map(({ status }) => status)).to.deep.equal(statuses);
    });

  it('tells a good token without a role what it lacks, on every way in', async () => {
    const token = await provider.token('nobody');
    const message = 'The token\'s "groups" claim did not contain "media-admins" or "media-users".';
    for (const [method, path, body] of [
      ['GET', INFO],
      ['GET', '/rest/openapi.json'],
      ['GET', '/metrics'],
      ['POST', '/rest/jobs', LIGHT],
      ['POST', '/worker/v1/claim', { algorithms: ['LIGHT'] }],
    ] as const) {
      const refused = await ask(token, method, path, body);
      expect([path, refused.status, refused.body]).to.deep.equal([
        path,
        403,
        errorMembers('role-required', message, `${service.url}/docs`),
      ]);
    }
  });

  it('lets a USER do everything but what is declared for ADMIN', async () => {
    const token = await provider.token('user');
    const { body } = await ask(token, 'GET', '/rest/openapi.json');
    const operations = Object.entries((body as OpenApiDocument).paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, declared]) => ({ path, method, declared })),
    );
    const needsAdmin = ({ declared }: (typeof operations)[number]) =>
      (declared as { description?: string }).description?.includes('Needs the role ADMIN.') ?? false;
    const forAdmins = operations.filter(needsAdmin);
    expect(forAdmins.map(({ declared }) => declared.operationId).toSorted()).to.deep.equal([
      'deleteSystemMessage',
      'drainNode',
      'drainServer',
      'drainService',
      'getAudit',
      'getBackup',
      'getServiceLog',
      'listActors',
      'pauseQueue',
      'postSystemMessage',
      'rebuildSearch',
      'resumeQueue',
      'saveNodeClasses',
      'saveNodeConfiguration',
      'startService',
      'stopService',
      'undrainNode',
      'undrainServer',
      'undrainService',
    ]);
    for (const { path, method } of forAdmins) {
      const refused = await ask(token, method.toUpperCase(), path.replaceAll(/\{\w+\}/g, '1'));
      expect([path, refused.status]).to.deep.equal([path, 403]);
      expect(refused.body).to.have.property('message').that.match(/admin/i);
    }
  });

  describe('answers 401 to a token', () => {
    const now = Math.floor(Date.now() / 1000);
    const pem = () =>
      createPublicKey({ key: provider.key, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const forgeToken = (forgery: Forgery) => () => provider.forge(forgery);
    const refused: Readonly<Record<string, () => string | Promise<string>>> = {
      'that is none': () => '',
      'that has expired': forgeToken({ claims: { exp: now - 60 } }),
      'that never expires': forgeToken({ claims: { exp: undefined } }),
      'that is not valid yet': forgeToken({ claims: { nbf: now + 600 } }),
      'for another audience': forgeToken({ claims: { aud: 'urn:other' } }),
      'of another issuer': forgeToken({ claims: { iss: 'https://id.example' } }),
      'that nobody signed (none)': () => new UnsecuredJWT(provider.claims).encode(),
      'that was signed with the public key as a secret (HS256)': () =>
        new SignJWT(provider.claims)
          .setProtectedHeader({ alg: 'HS256', kid: provider.key.kid ?? '' })
          .sign(Buffer.from(pem().toString())),
      'whose claims were changed': async () => {
        const [header, , signature] = (await provider.forge()).split('.');
        const claims = JSON.stringify({ ...provider.claims, sub: 'root' });
        return [header, Buffer.from(claims).toString('base64url'), signature].join('.');
      },
      'that a stranger signed under a known key id': async () =>
        provider.forge({ key: await newKey('first') }),
      'that is an ID token by its typ': forgeToken({ claims: { typ: 'ID' } }),
      'that is an ID token by its at_hash': forgeToken({ claims: { at_hash: 'x' } }),
      'that is for the logout': forgeToken({ header: { typ: 'logout+jwt' } }),
    };
    for (const [what, token] of Object.entries(refused))
      it(what, async () => {
        const made = await token();
        for (const [method, path] of [
          ['GET', INFO],
          ['GET', '/rest/no/such/thing'],
          ['GET', '/metrics'],
          ['POST', '/worker/v1/claim'],
        ] as const) {
          const { status, text, headers } = await ask(made, method, path);
          expect([path, status, headers.get('www-authenticate')]).to.deep.equal([path, 401, 'Bearer']);
          expect(text).to.match(/^\{"message":"This needs a valid access token/);
        }
        expect(await statusOf(await provider.forge()), 'a good token').to.equal(200);
      });
  });

  it('needs no token for liveness checks and CORS preflight requests', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const { status, text } = await ask('', 'GET', path);
      expect([path, status, text]).to.deep.equal([path, 200, '']);
    }
    const preflight = { origin: 'https://ui.example', 'access-control-request-method': 'POST' };
    const asked = await fetch(`${service.url}/rest/jobs`, { method: 'OPTIONS', headers: preflight });
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).to.deep.equal([
      204,
      preflight.origin,
    ]);
    const { status, headers } = await service.ask('GET', INFO, undefined, {
      ...preflight,
      authorization: '',
    });
    expect([status, headers.get('access-control-allow-origin')]).to.deep.equal([401, preflight.origin]);
  });

  it('opens /metrics to no token but that of a user when METRICS_TOKEN is not set', async () => {
    for (const token of ['', 'undefined', 'null', 'a-token-for-prometheus'])
      expect([token, (await ask(token, 'GET', '/metrics')).status]).to.deep.equal([token, 401]);
    expect((await ask(await provider.token('user'), 'GET', '/metrics')).status).to.equal(200);
  });

  it('takes no node when no claim grants the role of one', async () => {
    const hello = { ...FIRST, version: '0.1.0' };
    const refused = await ask(await provider.token('rack'), 'POST', '/node/v1/rack-2/sync', hello);
    expect([refused.status, refused.body]).to.deep.equal([
      403,
      errorMembers(
        'node-refused',
        'This server does not accept nodes. Set OIDC_NODE_CLAIM_NAME and OIDC_NODE_CLAIM_VALUE to the claim that grants the role of a node.',
        `${service.url}/docs`,
      ),
    ]);
  });

  it('accepts tokens of a new key while it runs, and of the old key as long as it is published', async () => {
    const rotating = await TestProvider.start();
    const running = await Service.here(atProvider(rotating), () => rotating.token('admin'));
    try {
      const statusThere = async (token: string) => (await askWithRoles(running)(token)).status;
      const old = await rotating.forge();
      expect(await statusThere(old)).to.equal(200);
      await rotating.rotate('second');
      const rotated = await rotating.forge();
      await until(
        'the new key is known',
        () => statusThere(rotated),
        (status) => status === 200,
      );
      expect([await statusThere(old), running.log('Troupe is up').length]).to.deep.equal([200, 1]);
    } finally {
      await running.close();
      await rotating.close();
    }
  });

  story('that comes and goes', 'They follow one provider, which its server asks again after seconds.', () => {
    it('is down at the start of the server: gets 503 with Retry-After, then 200 once it is up', async () => {
      const { late, waiting, refused } = down;
      const info = () => askWithRoles(waiting)(waiting.token);
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '5']);
      expect(refused.body).to.include({
        message: 'The identity provider cannot be reached. Try again later.',
        code: 'provider-unavailable',
      });
      expect((await askWithRoles(waiting)('garbage')).status).to.equal(401);
      expect((await askWithRoles(waiting)('', 'GET', '/healthz')).status).to.equal(200);
      await waiting.waitForLog('The identity provider gave no signing keys');
      late.state = 'up';
      await until('the keys are known', info, ({ status }) => status === 200);
      const taken = await waiting.ask('POST', '/rest/jobs', { ...LIGHT, pipelineName: 'ABSENT PIPELINE' });
      expect([taken.status, waiting.log('Troupe is up').length]).to.deep.equal([201, 1]);
    });

    it('goes down later: goes on with the keys it knows', async () => {
      const { late, waiting } = down;
      expect((await askWithRoles(waiting)(waiting.token)).status).to.equal(200);
      await late.close();
      const fresh = await late.forge({ claims: { sub: 'somebody new' } });
      expect((await askWithRoles(waiting)(fresh)).status).to.equal(200);
      const stranger = await late.forge({ header: { kid: 'unknown' } });
      expect((await askWithRoles(waiting)(stranger)).status).to.equal(401);
    });
  });

  it('writes no token to its log', async () => {
    const token = await provider.token('nobody');
    await ask(token);
    const log = JSON.stringify(service.log());
    for (const secret of [token, service.token, 'secret of admin'])
      expect(log.includes(secret)).to.equal(false);
  });
});

describe('The service with its development provider', () => {
  it('sends callbacks with a token of its own that opens nothing', async () => {
    const service = await Service.openShared();
    const receiver = await Receiver.start(answer(200));
    try {
      const jobProperties = { CALLBACK_ADD_TOKEN: 'TRUE' };
      const id = await service.submit({ ...LIGHT, callbackURL: receiver.url, jobProperties });
      await until('the callback has come', () => receiver.requests.length > 0);
      const [, token = ''] = receiver.requests[0]?.headers.authorization?.split(' ') ?? [];
      expect(token.split('.')).to.have.length(3);
      for (const [method, path, body] of [
        ['GET', INFO],
        ['GET', `/rest/jobs/${id}`],
        ['GET', '/metrics'],
        ['POST', '/rest/jobs', LIGHT],
        ['POST', '/rest/nodes/config', []],
        ['POST', '/worker/v1/claim', { algorithms: ['LIGHT'] }],
      ] as const) {
        const refused = await askWithRoles(service)(token, method, path, body);
        expect([path, refused.status]).to.deep.equal([path, 403]);
        expect(refused.body).to.include({
          code: 'role-required',
          message: 'The token did not contain a claim named "groups".',
        });
      }
    } finally {
      await service.close();
      await receiver.close();
    }
  });
});
