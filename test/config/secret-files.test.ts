/** NAME_FILE as an alternative to NAME, for secret settings. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { readCliSettings } from '../../config/cli.ts';
import { ConfigurationError } from '../../config/error.ts';
import { readNodeSettings } from '../../config/node.ts';
import { withSecretFiles } from '../../config/secret-files.ts';
import { readSettings } from '../../config/settings.ts';
import { temporaryFolder } from '../store/folder.ts';

const TOKEN = 'a-token-of-16-characters';

describe('A secret in a file', () => {
  const path = temporaryFolder();
  const file = (name: string, content: string) => {
    writeFileSync(path(name), content);
    return path(name);
  };
  const problemsOf = (env: Readonly<Record<string, string>>) => {
    try {
      readSettings(env);
      return [];
    } catch (error) {
      return error instanceof ConfigurationError ? error.problems : [String(error)];
    }
  };

  it('is the value of its setting, without the line break at its end', () => {
    expect(readSettings({ METRICS_TOKEN_FILE: file('a', `${TOKEN}\n`) }).METRICS_TOKEN).to.equal(TOKEN);
    expect(readSettings({ METRICS_TOKEN_FILE: file('b', TOKEN) }).METRICS_TOKEN).to.equal(TOKEN);
    expect(withSecretFiles({ REDIS_URL_FILE: file('c', ' redis://h \r\n') })).to.deep.equal({
      REDIS_URL: ' redis://h ',
    });
  });

  it('is read by the server, the tool and nodes, and its name is no unknown setting', () => {
    const secret = file('secret', 'of-the-client');
    const provider = {
      OIDC_ISSUER_URI: 'https://provider.example',
      OIDC_CLIENT_ID: 'troupe',
      OIDC_CLIENT_SECRET_FILE: secret,
      OIDC_ADMIN_CLAIM_NAME: 'groups',
      OIDC_ADMIN_CLAIM_VALUE: 'admins',
      STRICT_SETTINGS: 'true',
    };
    expect(readSettings(provider).access).to.include({ clientSecret: 'of-the-client' });
    const client = {
      TROUPE_ISSUER_URI: 'https://provider.example',
      TROUPE_CLIENT_ID: 'tool',
      TROUPE_CLIENT_SECRET_FILE: secret,
    };
    expect(readCliSettings(client).client).to.include({ clientSecret: 'of-the-client' });
    expect(readCliSettings({ TROUPE_TOKEN_FILE: file('token', TOKEN) }).token).to.equal(TOKEN);
    const node = readNodeSettings('http://server.example', { ...client, STRICT_SETTINGS: 'true' });
    expect(node.credentials).to.include({ clientSecret: 'of-the-client' });
  });

  it('is refused beside the value itself', () => {
    expect(problemsOf({ METRICS_TOKEN: TOKEN, METRICS_TOKEN_FILE: file('both', TOKEN) })).to.deep.equal([
      'METRICS_TOKEN and METRICS_TOKEN_FILE are both set. Remove one of them.',
    ]);
    expect(problemsOf({ METRICS_TOKEN: ' ', METRICS_TOKEN_FILE: file('blank', TOKEN) })).to.deep.equal([]);
  });

  it('is named when it cannot be read, with all other problems of files', () => {
    const folder = path('folder');
    mkdirSync(folder);
    const closed = file('closed', TOKEN);
    chmodSync(closed, 0);
    const missing = path('missing');
    expect(problemsOf({ METRICS_TOKEN_FILE: missing, REDIS_URL_FILE: folder })).to.deep.equal([
      `METRICS_TOKEN_FILE: the file ${missing} cannot be read (it does not exist).`,
      `REDIS_URL_FILE: the file ${folder} cannot be read (it is a folder).`,
    ]);
    const empty = file('empty', '\n');
    expect(problemsOf({ METRICS_TOKEN_FILE: empty })).to.deep.equal([
      `METRICS_TOKEN_FILE: the file ${empty} is empty. Write the secret into it.`,
    ]);
    // Root can read every file.
    if (process.getuid?.() !== 0)
      expect(problemsOf({ METRICS_TOKEN_FILE: closed })).to.deep.equal([
        `METRICS_TOKEN_FILE: the file ${closed} cannot be read (this user may not read it).`,
      ]);
  });

  it('is checked as the value would be, and is not shown', () => {
    const [problem] = problemsOf({ METRICS_TOKEN_FILE: file('short', 'short') });
    expect(problem).to.include('METRICS_TOKEN must have at least 16 characters');
    expect(problem).not.to.include('"short"');
  });
});
