import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { expect } from 'chai';
import { SignJWT, UnsecuredJWT } from 'jose';
import Koa from 'koa';
import { errorMembers } from '../../http/routing/errors.ts';
import { requireRole } from '../../http/access/bearer.ts';
import { AUDIENCE, newKey, TestProvider } from './support/provider.ts';
import {
  addressOf,
  closeServer,
  providerSettings,
  startService,
  type TestService,
} from './support/service.ts';

const UNAUTHORIZED = {
  status: 401,
  body: JSON.stringify(
    errorMembers('unauthorized', 'This needs a valid access token: Authorization: Bearer <token>.'),
  ),
  challenge: 'Bearer',
  retryAfter: null,
};
const INSUFFICIENT = 'Bearer error="insufficient_scope"';

function publicPem({ key }: TestProvider): Uint8Array {
  const pem = createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  return Buffer.from(pem.toString());
}

describe('A request with a bearer token (specification 5)', () => {
  let provider: TestProvider;
  let service: TestService;
  const services: TestService[] = [];

  const serviceWith = async (...args: Parameters<typeof providerSettings>): Promise<TestService> => {
    const started = await startService(providerSettings(...args));
    services.push(started);
    return started;
  };

  before(async () => {
    provider = await TestProvider.start();
    service = await serviceWith(provider.issuer, { audience: AUDIENCE });
  });
  after(async () => {
    await Promise.all([...services.map((one) => one.close()), provider.close()]);
  });

  describe('passes', () => {
    it('with the role ADMIN when the admin claim is a list that contains the value', async () => {
      const { status, body } = await service.ask(await provider.token('admin'));
      expect([status, JSON.parse(body)]).to.deep.equal([
        200,
        { name: 'admin', subject: 'admin', client: 'admin', group: null, roles: ['ADMIN'] },
      ]);
    });

    it('with the role USER, which does not open what needs ADMIN', async () => {
      const token = await provider.token('user');
      expect((await service.ask(token)).body).to.equal(
        '{"name":"user","subject":"user","client":"user","group":null,"roles":["USER"]}',
      );
      const { status, body, challenge } = await service.ask(token, '/admin');
      expect([status, body, challenge]).to.deep.equal([
        403,
        JSON.stringify(errorMembers('role-required', 'This needs the role ADMIN.')),
        INSUFFICIENT,
      ]);
      expect((await service.ask(await provider.token('admin'), '/admin')).status).to.equal(200);
    });

    it('again and again, with the same answer from the cache', async () => {
      const token = await provider.token('admin');
      const answers = await Promise.all(Array.from({ length: 20 }, () => service.ask(token)));
      expect(new Set(answers.map(({ status, body }) => `${String(status)} ${body}`))).to.have.property(
        'size',
        1,
      );
    });

    it('with the user name of the configured claim', async () => {
      const named = await serviceWith(provider.issuer, { userNameClaim: 'preferred_username' });
      const token = await provider.forge({ claims: { preferred_username: 'ada' } });
      expect((await named.ask(token)).body).to.equal(
        '{"name":"ada","subject":"forger","client":null,"group":null,"roles":["ADMIN"]}',
      );
    });

    it('when the claim is a single value instead of a list', async () => {
      const token = await provider.forge({ claims: { groups: 'media-users' } });
      expect((await service.ask(token)).body).to.equal(
        '{"name":"forger","subject":"forger","client":null,"group":null,"roles":["USER"]}',
      );
    });

    it('when the scheme is written in another case', async () => {
      const token = await provider.token('user');
      const headers = { authorization: `bearer ${token}` };
      expect((await fetch(`${service.baseUrl}/whoami`, { headers })).status).to.equal(200);
    });

    for (const alg of ['PS256', 'ES256', 'ES384']) {
      it(`when an issuer with a key for ${alg} has signed it`, async () => {
        const other = await TestProvider.start(await newKey('other', alg));
        try {
          const { status } = await (await serviceWith(other.issuer)).ask(await other.token('admin'));
          expect(status).to.equal(200);
        } finally {
          await other.close();
        }
      });
    }

    it('when it carries a nonce but says that it is a bearer token', async () => {
      const open = await serviceWith(provider.issuer);
      const token = await provider.forge({ claims: { nonce: 'n', typ: 'Bearer' } });
      expect((await open.ask(token)).status).to.equal(200);
    });

    it('when it has the form of Keycloak: header typ JWT, claim typ Bearer, no nonce', async () => {
      const token = await provider.forge({
        header: { typ: 'JWT' },
        claims: {
          ...{ typ: 'Bearer', azp: 'troupe-tool', jti: 'trrtcc:1', acr: '1', scope: 'profile email' },
          ...{ aud: [AUDIENCE, 'account'], preferred_username: 'service-account-troupe-tool' },
        },
      });
      expect((await service.ask(token)).status).to.equal(200);
    });

    for (const typ of ['JWT', 'at+jwt', 'application/at+jwt'])
      it(`when its header says typ ${typ}`, async () => {
        expect((await service.ask(await provider.forge({ header: { typ } }))).status).to.equal(200);
      });

    it('with a nonce when its header says that it is an access token', async () => {
      const token = await provider.forge({ header: { typ: 'at+jwt' }, claims: { nonce: 'n' } });
      expect((await service.ask(token)).status).to.equal(200);
    });

    for (const claims of [{ sub: undefined, client_id: 'machine' }, { nonce: 'n' }])
      it(`with lenient tokens and the claims ${JSON.stringify(claims)}`, async () => {
        const lenient = await serviceWith(provider.issuer, { audience: AUDIENCE, lenientTokens: true });
        expect((await lenient.ask(await provider.forge({ claims }))).status).to.equal(200);
      });

    it('when the issuer is configured with a slash at its end and the token names it without', async () => {
      const slashed = await serviceWith(`${provider.issuer}/`);
      expect((await slashed.ask(await provider.token('admin'))).status).to.equal(200);
    });
  });

  describe('without a role is answered 403 and the reason', () => {
    const roles = {
      both: { user: { name: 'groups', value: 'u' }, admin: { name: 'groups', value: 'a' } },
      apart: { user: { name: 'groups', value: 'u' }, admin: { name: 'realm', value: 'a' } },
    };
    const cases = [
      [
        'with neither value',
        roles.both,
        { groups: ['x'] },
        'The token\'s "groups" claim did not contain "a" or "u".',
      ],
      [
        'without the claim',
        roles.both,
        { groups: undefined },
        'The token did not contain a claim named "groups".',
      ],
      [
        'with another value than that of the only pair',
        { admin: roles.both.admin },
        { groups: 'x' },
        'The token\'s "groups" claim did not contain "a".',
      ],
      [
        'without the claim of the only pair',
        { user: roles.both.user },
        { groups: undefined },
        'The token did not contain a claim named "groups".',
      ],
      [
        'with the value of neither of two claims',
        roles.apart,
        { groups: ['x'] },
        'The token\'s "groups" claim did not contain "u" and the "realm" claim did not contain "a".',
      ],
      [
        'without both of two claims',
        roles.apart,
        { groups: undefined },
        'The token did not contain a claim named "groups" or "realm".',
      ],
      [
        'with the value inside an object',
        roles.both,
        { groups: { a: 'a' } },
        'The token\'s "groups" claim did not contain "a" or "u".',
      ],
    ] as const;
    for (const [name, wanted, claims, message] of cases) {
      it(name, async () => {
        const strict = await serviceWith(provider.issuer, { roles: wanted });
        const { status, body, challenge } = await strict.ask(await provider.forge({ claims }));
        expect([status, JSON.parse(body), challenge]).to.deep.equal([
          403,
          errorMembers('role-required', message),
          INSUFFICIENT,
        ]);
      });
    }

    it('also for a real token, first and from the cache', async () => {
      const token = await provider.token('nobody');
      const message = 'The token\'s "groups" claim did not contain "media-admins" or "media-users".';
      for (let time = 0; time < 2; time += 1) {
        expect((await service.ask(token)).body).to.equal(
          JSON.stringify(errorMembers('role-required', message)),
        );
      }
    });
  });

  describe('is answered 401 with a challenge', () => {
    const now = Math.floor(Date.now() / 1000);
    const refused: Record<string, () => Promise<string | undefined>> = {
      'when there is none': () => Promise.resolve(undefined),
      'when it is garbage': () => Promise.resolve('garbage'),
      'when it only looks like a token': () => Promise.resolve('a.b.c'),
      'when it is not signed (alg none)': () => Promise.resolve(new UnsecuredJWT(provider.claims).encode()),
      'when it is signed by HS256 with the public key as the secret': () =>
        new SignJWT(provider.claims)
          .setProtectedHeader({ alg: 'HS256', kid: 'first' })
          .sign(publicPem(provider)),
      'when it is from another issuer': () => provider.forge({ claims: { iss: 'http://127.0.0.1:9' } }),
      'when it is for another audience': () => provider.forge({ claims: { aud: 'urn:other' } }),
      'when it is for no audience': () => provider.forge({ claims: { aud: undefined } }),
      'when it never expires': () => provider.forge({ claims: { exp: undefined } }),
      'when it has expired': () => provider.forge({ claims: { exp: now - 60 } }),
      'when it is not valid yet': () => provider.forge({ claims: { nbf: now + 600 } }),
      'when a stranger signed it under a known key id': async () =>
        provider.forge({ key: await newKey('first') }),
      'when a stranger signed it by RS512': async () =>
        provider.forge({ key: await newKey('first', 'RS512') }),
      'when the key is published for another algorithm': () =>
        provider.forge({ header: { alg: 'RS512' }, key: { ...provider.key, alg: 'RS512' } }),
      'when its key is unknown': () => provider.forge({ header: { kid: 'unknown' } }),
      'when it is a logout token': () => provider.forge({ header: { typ: 'logout+jwt' } }),
      'when it is an ID token by its typ': () => provider.forge({ claims: { typ: 'ID' } }),
      'when it is an ID token by its at_hash': () => provider.forge({ claims: { at_hash: 'x' } }),
      'when it is an ID token by its nonce': () =>
        provider.forge({ header: { typ: 'JWT' }, claims: { nonce: 'n' } }),
      'when it is an ID token by its nonce, without a type': () => provider.forge({ claims: { nonce: 'n' } }),
      'when it has no sub': () => provider.forge({ claims: { sub: undefined, client_id: 'machine' } }),
      'when its sub is empty': () => provider.forge({ claims: { sub: '' } }),
      'when its sub is a number': () => provider.forge({ claims: { sub: 7 } }),
      'when its header has a critical extension': () =>
        provider.forge({ header: { crit: ['b64'], b64: true } }),
      'when its signature is cut off': async () => (await provider.forge()).replace(/[^.]*$/, ''),
      'when its claims were changed after signing': async () => {
        const [header = '', , signature = ''] = (await provider.forge()).split('.');
        const claims = Buffer.from(JSON.stringify({ ...provider.claims, sub: 'root' })).toString('base64url');
        return [header, claims, signature].join('.');
      },
    };
    for (const [when, make] of Object.entries(refused)) {
      it(when, async () => {
        expect((await service.ask(await provider.forge())).status, 'the unchanged token').to.equal(200);
        expect(await service.ask(await make())).to.deep.equal(UNAUTHORIZED);
      });
    }

    for (const claims of [{ nonce: 'n' }, { at_hash: 'x' }, { typ: 'ID' }, { token_use: 'id' }]) {
      it(`when no audience is configured and it is an ID token by ${JSON.stringify(claims)}`, async () => {
        const open = await serviceWith(provider.issuer);
        expect((await open.ask(await provider.forge({ claims: { aud: 'anything' } }))).status).to.equal(200);
        expect(await open.ask(await provider.forge({ claims }))).to.deep.equal(UNAUTHORIZED);
        const lenient = await serviceWith(provider.issuer, { lenientTokens: true });
        expect(await lenient.ask(await provider.forge({ claims }))).to.deep.equal(UNAUTHORIZED);
      });
    }

    it('with a reason in the log that names the setting for such tokens', async () => {
      await service.ask(await provider.forge({ claims: { sub: undefined } }));
      expect(JSON.stringify(service.log)).to.include(
        'The token has no sub claim. OIDC_LENIENT_TOKENS=true accepts such tokens.',
      );
    });

    it('when the credentials are of another scheme', async () => {
      const headers = { authorization: `Basic ${btoa('admin:admin')}` };
      const response = await fetch(`${service.baseUrl}/whoami`, { headers });
      expect([response.status, await response.text()]).to.deep.equal([401, UNAUTHORIZED.body]);
    });
  });

  it('is never written to the log', async () => {
    const token = await provider.forge({ header: { kid: 'unknown' } });
    await service.ask(token);
    expect(JSON.stringify(service.log)).not.to.include(token.slice(-20));
  });

  it('is needed by a step that asks for a role: without authenticate before it nothing passes', async () => {
    const app = new Koa();
    app.silent = true;
    app.use(requireRole('ADMIN'));
    const server = app.listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      expect((await fetch(addressOf(server))).status).to.equal(500);
    } finally {
      await closeServer(server);
    }
  });
});
