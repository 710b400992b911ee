import { expect } from 'chai';
import { isLoopback, readAccess } from '../../config/access.ts';
import { ConfigurationError } from '../../config/error.ts';

const COMPLETE = {
  OIDC_ISSUER_URI: 'https://id.example/realms/media',
  OIDC_CLIENT_ID: 'troupe',
  OIDC_CLIENT_SECRET: 'very secret',
  OIDC_ADMIN_CLAIM_NAME: 'groups',
  OIDC_ADMIN_CLAIM_VALUE: 'admins',
};
type Environment = Record<string, string | undefined>;

function problemsOf(env: Environment, host = '127.0.0.1'): readonly string[] {
  try {
    readAccess(env, { host });
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

describe('The access settings (specification 5)', () => {
  it('are complete with a provider, a client and one claim pair', () => {
    expect(readAccess(COMPLETE, { host: '0.0.0.0' })).to.deep.equal({
      mode: 'provider',
      issuer: 'https://id.example/realms/media',
      tokenIssuer: 'https://id.example/realms/media',
      clientId: 'troupe',
      clientSecret: 'very secret',
      roles: { admin: { name: 'groups', value: 'admins' } },
      scopes: ['openid'],
      userNameClaim: 'sub',
      lenientTokens: false,
      allowHttp: false,
    });
  });

  it('take every optional variable', () => {
    const env = {
      ...COMPLETE,
      OIDC_JWT_ISSUER_URI: 'https://tokens.example',
      OIDC_USER_CLAIM_NAME: 'role',
      OIDC_USER_CLAIM_VALUE: 'viewer',
      OIDC_SCOPES: 'profile, email ,openid',
      OIDC_USER_NAME_ATTR: 'preferred_username',
      OIDC_GROUP_CLAIM_NAME: 'team',
      OIDC_REDIRECT_URI: '{baseUrl}/login/oauth2/code/provider',
      OIDC_AUDIENCE: 'troupe-rest',
      OIDC_LENIENT_TOKENS: 'TRUE',
    };
    expect(readAccess(env, { host: '0.0.0.0' })).to.deep.include({
      tokenIssuer: 'https://tokens.example',
      roles: { user: { name: 'role', value: 'viewer' }, admin: { name: 'groups', value: 'admins' } },
      scopes: ['openid', 'profile', 'email'],
      userNameClaim: 'preferred_username',
      groupClaim: 'team',
      redirectUri: '{baseUrl}/login/oauth2/code/provider',
      audience: 'troupe-rest',
      lenientTokens: true,
    });
  });

  it('are those of the development provider without any OIDC variable on a loopback host', () => {
    const env = { OIDC_ISSUER_URI: '', OIDC_CLIENT_ID: ' ', PATH: '/bin' };
    expect(readAccess(env, { host: 'localhost' })).to.deep.equal({ mode: 'development' });
  });

  const refused: [string, Environment, string, RegExp][] = [
    [
      'no provider on an open address',
      {},
      '0.0.0.0',
      /listen on "0\.0\.0\.0" without.*set OIDC_ISSUER_URI, OIDC_CLIENT_ID/,
    ],
    ['no provider on all addresses', {}, '', /HOST=127\.0\.0\.1 for development/],
    [
      'a provider without its client',
      { ...COMPLETE, OIDC_CLIENT_ID: undefined, OIDC_CLIENT_SECRET: '' },
      '127.0.0.1',
      /^OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set too/,
    ],
    [
      'a claim name without its value',
      { ...COMPLETE, OIDC_USER_CLAIM_NAME: 'g' },
      '::1',
      /^OIDC_USER_CLAIM_VALUE must be set too/,
    ],
    [
      'a claim value without its name',
      { ...COMPLETE, OIDC_USER_CLAIM_VALUE: 'v' },
      '::1',
      /^OIDC_USER_CLAIM_NAME must be set too/,
    ],
    [
      'no claim pair at all',
      { ...COMPLETE, OIDC_ADMIN_CLAIM_NAME: undefined, OIDC_ADMIN_CLAIM_VALUE: undefined },
      '::1',
      /^No user has a role. Set OIDC_ADMIN_CLAIM_NAME/,
    ],
    [
      'an issuer over plain http',
      { ...COMPLETE, OIDC_ISSUER_URI: 'http://id.example' },
      '::1',
      /^OIDC_ISSUER_URI is plain http/,
    ],
    [
      'a token issuer over plain http',
      { ...COMPLETE, OIDC_JWT_ISSUER_URI: 'http://id' },
      '::1',
      /^OIDC_JWT_ISSUER_URI is plain/,
    ],
    [
      'an issuer that is no URL',
      { ...COMPLETE, OIDC_ISSUER_URI: 'id.example' },
      '::1',
      /^OIDC_ISSUER_URI must be an http/,
    ],
    [
      'an issuer with a password',
      { ...COMPLETE, OIDC_ISSUER_URI: 'https://a:b@id.example' },
      '::1',
      /without user/,
    ],
    [
      'another redirect path',
      { ...COMPLETE, OIDC_REDIRECT_URI: 'https://t.example/login' },
      '::1',
      /^OIDC_REDIRECT_URI must end in \/login\/oauth2\/code\/provider, but is "https:\/\/t.example\/login"\.$/,
    ],
    [
      'a redirect URI that is no URL',
      { ...COMPLETE, OIDC_REDIRECT_URI: 't.example/login/oauth2/code/provider' },
      '::1',
      /^OIDC_REDIRECT_URI must be an http\(s\) URL that ends in .*, but is "t\.example/,
    ],
    [
      'an unknown template variable',
      { ...COMPLETE, OIDC_REDIRECT_URI: '{baseURL}/login/oauth2/code/provider' },
      '::1',
      /^OIDC_REDIRECT_URI may have only the template variables \{baseUrl\}, .*, but is "\{baseURL\}/,
    ],
    [
      'a flag that is neither',
      { ...COMPLETE, OIDC_ALLOW_HTTP: 'yes' },
      '::1',
      /^OIDC_ALLOW_HTTP must be true or false, but is "yes"\.$/,
    ],
  ];
  for (const [name, env, host, sentence] of refused) {
    it(`are refused with ${name}`, () => {
      const problems = problemsOf(env, host);
      expect(problems).to.have.length(1);
      expect(problems[0]).to.match(sentence).and.not.include('very secret');
    });
  }

  it('refuse an unknown OIDC_ name, alone and beside others', () => {
    const refusal = 'OIDC_AUDIANCE is not a setting of the service. Did you mean OIDC_AUDIENCE?';
    for (const env of [{ OIDC_AUDIANCE: 'troupe' }, { ...COMPLETE, OIDC_AUDIANCE: 'troupe' }])
      expect(problemsOf(env)).to.deep.equal([refusal]);
    expect(problemsOf({ OIDC_FLOW: 'x' })).to.deep.equal([
      'OIDC_FLOW is not a setting of the service. Correct its name or remove it.',
    ]);
    expect(problemsOf({ ...COMPLETE, OIDC_AUDIANCE: ' ' })).to.deep.equal([]);
  });

  it('tell all problems at once', () => {
    const env = { OIDC_ISSUER_URI: 'http://id.example', OIDC_REDIRECT_URI: 'x', OIDC_USER_CLAIM_NAME: 'g' };
    expect(problemsOf(env)).to.have.length(4);
  });

  it('allow plain http to this machine, and elsewhere when told so', () => {
    expect(problemsOf({ ...COMPLETE, OIDC_ISSUER_URI: 'http://localhost:8180/realms/x' })).to.deep.equal([]);
    expect(
      problemsOf({ ...COMPLETE, OIDC_ISSUER_URI: 'http://keycloak:8080', OIDC_ALLOW_HTTP: 'TRUE' }),
    ).to.deep.equal([]);
  });

  it('know which hosts are this machine only', () => {
    const own = ['localhost', 'LOCALHOST', '127.0.0.1', '127.8.9.1', '::1', '[::1]', '::ffff:127.0.0.1'];
    const others = [
      '',
      '0.0.0.0',
      '::',
      '10.0.0.1',
      '127.0.0.1.example.com',
      'localhost.example.com',
      '1127.0.0.1',
    ];
    expect(own.filter((host) => !isLoopback(host))).to.deep.equal([]);
    expect(others.filter(isLoopback)).to.deep.equal([]);
  });
});
