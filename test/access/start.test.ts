/** Access settings at the start of the server: an invalid one ends it before it changes anything. */
import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { accessEnvironment } from '../../config/access.ts';
import { Place } from '../cli/support/support.ts';

const COMPLETE = {
  OIDC_ISSUER_URI: 'https://id.example/realms/media',
  OIDC_CLIENT_ID: 'troupe',
  OIDC_CLIENT_SECRET: 'very secret',
  OIDC_ADMIN_CLAIM_NAME: 'groups',
  OIDC_ADMIN_CLAIM_VALUE: 'admins',
};
/** A value that is valid alone. */
const VALUES: Readonly<Record<string, string>> = {
  ...COMPLETE,
  OIDC_JWT_ISSUER_URI: 'https://tokens.example',
  OIDC_REDIRECT_URI: 'https://troupe.example/login/oauth2/code/provider',
  OIDC_ALLOW_HTTP: 'false',
};

describe('The start of the server (specification 5)', () => {
  // All errors are reported in the same way, so only one test uses its own process, to show that it ends.
  const places = { warm: new Place({ warm: true }), cold: new Place() };
  after(() => Promise.all(Object.values(places).map((place) => place.leave())));

  /** The error output of the server, which must have ended without creating files. */
  async function refusal(env: Readonly<Record<string, string>>, place = places.warm): Promise<string> {
    const { code, stdout, stderr } = await place.troupe(['serve'], { PORT: '0', ...env });
    expect([code, stdout], stderr).to.deep.equal([2, '']);
    expect(existsSync(place.dataDir), 'the data folder').to.equal(false);
    expect(stderr).not.to.match(/very secret|\n {4}at /);
    return stderr;
  }

  for (const name of Object.keys(accessEnvironment.shape))
    it(`is refused with ${name} alone: it is part of a provider that is not named`, async () => {
      const said = await refusal({ [name]: VALUES[name] ?? 'something' });
      const missing = ['OIDC_ISSUER_URI', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'].filter(
        (one) => one !== name,
      );
      expect(said).to.include(`${missing.join(' and ')} must be set too, because ${name} is set.`);
    });

  for (const [what, change, says] of [
    [
      'a client without its secret',
      { OIDC_CLIENT_SECRET: ' ' },
      'OIDC_CLIENT_SECRET must be set too, because OIDC_ISSUER_URI, OIDC_CLIENT_ID',
    ],
    [
      'no claim that grants a role',
      { OIDC_ADMIN_CLAIM_NAME: '', OIDC_ADMIN_CLAIM_VALUE: '' },
      'Set OIDC_ADMIN_CLAIM_NAME',
    ],
    [
      'a claim without its value',
      { OIDC_USER_CLAIM_NAME: 'groups' },
      'OIDC_USER_CLAIM_VALUE must be set too, because OIDC_USER_CLAIM_NAME is set.',
    ],
    [
      'a value without its claim',
      { OIDC_ADMIN_CLAIM_NAME: '' },
      'OIDC_ADMIN_CLAIM_NAME must be set too, because OIDC_ADMIN_CLAIM_VALUE is set.',
    ],
    ['an issuer that is no URL', { OIDC_ISSUER_URI: 'id.example' }, 'OIDC_ISSUER_URI must be an http(s) URL'],
    [
      'an issuer of tokens with a query',
      { OIDC_JWT_ISSUER_URI: 'https://a/?b' },
      'OIDC_JWT_ISSUER_URI must be an http(s) URL',
    ],
    ['plain http to another host', { OIDC_ISSUER_URI: 'http://id.example' }, 'OIDC_ISSUER_URI is plain http'],
    [
      'plain http for tokens',
      { OIDC_JWT_ISSUER_URI: 'http://id.example' },
      'OIDC_JWT_ISSUER_URI is plain http',
    ],
    [
      'a redirect to another path',
      { OIDC_REDIRECT_URI: 'https://troupe.example/' },
      'OIDC_REDIRECT_URI must end in /login/oauth2/code/provider',
    ],
    [
      'a switch that is neither on nor off',
      { OIDC_ALLOW_HTTP: 'perhaps' },
      'OIDC_ALLOW_HTTP must be true or false',
    ],
  ] as const)
    it(`is refused with ${what}, and names the variable`, async () => {
      expect(await refusal({ ...COMPLETE, ...change })).to.include(says);
    });

  it('is refused without a provider on an open address, and says what to set', async () => {
    for (const env of [{ HOST: '0.0.0.0' }, { HOST: '::' }])
      expect(await refusal(env)).to.include('set OIDC_ISSUER_URI, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET');
  });

  it('is refused with METRICS_TOKEN or CORS_ALLOWED_ORIGINS that protect nothing', async () => {
    expect(await refusal({ METRICS_TOKEN: 'short' }))
      .to.include('METRICS_TOKEN')
      .and.not.include('short');
    expect(await refusal({ CORS_ALLOWED_ORIGINS: '*,https://ui.example' })).to.include(
      'CORS_ALLOWED_ORIGINS',
    );
  });

  it('tells all problems at once', async () => {
    const env = { OIDC_ISSUER_URI: 'x', OIDC_ALLOW_HTTP: 'x', OIDC_USER_CLAIM_NAME: 'x' };
    const said = await refusal(env, places.cold);
    for (const name of ['OIDC_ISSUER_URI', 'OIDC_ALLOW_HTTP', 'OIDC_USER_CLAIM_VALUE', 'OIDC_CLIENT_ID'])
      expect(said).to.include(name);
  });
});
