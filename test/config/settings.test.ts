/** The settings of the server: invalid ones stop the start with a message. */
import { expect } from 'chai';
import { ConfigurationError } from '../../config/error.ts';
import { readNodeSettings } from '../../config/node.ts';
import { serverEnvironment } from '../../config/schema/server.ts';
import { readSettings } from '../../config/settings.ts';
import { TUNING } from '../../config/tuning.ts';
import { splitNames, onlySettings } from '../support/processes/environment.ts';

describe('The settings', () => {
  for (const name of ['COMPONENT_START_MS', 'SERVICE_STOP_MS', 'DELIVERY_TIMEOUT_MS', 'MEDIUM_FETCH_MS'])
    it(`take no ${name} that a timer cannot wait for: it would fire at once`, () => {
      expect(readSettings({ [name]: String(2 ** 31 - 1) })).to.include({ [name]: 2 ** 31 - 1 });
      expect(() => readSettings({ [name]: String(2 ** 31) })).to.throw(
        `${name} must be a whole number from `,
      );
    });

  for (const wrong of ['ftp://media.example', 'mailto:me', 'https://u:p@h', 'https://h/?a=b', 'https://h/#x'])
    it(`take no BASE_URL like ${wrong}`, () => {
      expect(() => readSettings({ BASE_URL: wrong })).to.throw(/BASE_URL must/);
    });

  it('have times and limits that the environment cannot change', () => {
    const names = Object.keys(TUNING);
    const settings = readSettings(Object.fromEntries(names.map((name) => [name, '7'])));
    expect(settings).to.include(TUNING);
    for (const name of names) expect(serverEnvironment.shape).not.to.have.property(name);
  });

  it('are the only names that a test may give to a server, besides those times and limits', () => {
    expect(splitNames({ LEASE_MS: '900', HEARTBEAT_MS: '20', TROUPE_PROP_X: 'y' })).to.deep.equal({
      env: { LEASE_MS: '900', TROUPE_PROP_X: 'y' },
      tuning: { HEARTBEAT_MS: 20 },
    });
    expect(() => splitNames({ MAX_SESSIONS: '5' })).to.throw('MAX_SESSIONS');
    expect(() => onlySettings({ HEARTBEAT_MS: '20' })).to.throw('HEARTBEAT_MS');
  });

  it('say what a host of job ids may have', () => {
    for (const JOB_ID_HOST of ['a b', '-a', '.a', 'ä', 'a'.repeat(65)])
      expect(() => readSettings({ JOB_ID_HOST }), JOB_ID_HOST).to.throw(
        'JOB_ID_HOST must have 1 to 64 letters',
      );
    expect(readSettings({ JOB_ID_HOST: '_a.b-C9' })).to.include({ JOB_ID_HOST: '_a.b-C9' });
  });

  it("tell component processes where the user's models are: below DATA_DIR by default", () => {
    const { MODEL_ROOTS, childEnvironment } = readSettings({ DATA_DIR: '/srv/troupe' });
    expect([MODEL_ROOTS, childEnvironment['MODEL_ROOTS']]).to.deep.equal([
      ['/srv/troupe/models'],
      '/srv/troupe/models',
    ]);
    const several = readSettings({ MODEL_ROOTS: '/a:/b/../c', MODELS_LOADED: '3' });
    expect(several.MODEL_ROOTS).to.deep.equal(['/a', '/c']);
    expect(several.childEnvironment).to.include({ MODEL_ROOTS: '/a:/c', MODELS_LOADED: '3' });
    expect(() => readSettings({ MODELS_LOADED: '0' })).to.throw(
      'MODELS_LOADED must be a whole number from 1',
    );
  });

  it('name the node as job ids do, unless it has a name of its own', () => {
    expect(readSettings({ JOB_ID_HOST: 'site' })).to.include({ NODE_NAME: 'site' });
    expect(readSettings({ JOB_ID_HOST: 'site', NODE_NAME: 'rack-7' })).to.include({
      JOB_ID_HOST: 'site',
      NODE_NAME: 'rack-7',
    });
    expect(() => readSettings({ NODE_NAME: 'a b' })).to.throw('NODE_NAME must have 1 to 64 letters');
  });

  it('take a BASE_URL with a path', () => {
    expect(readSettings({ BASE_URL: 'https://h/troupe/' }).BASE_URL).to.equal('https://h/troupe/');
  });

  const problemsOf = (env: Readonly<Record<string, string>>): readonly string[] => {
    try {
      readSettings(env);
    } catch (error) {
      if (error instanceof ConfigurationError) return error.problems;
      throw error;
    }
    return [];
  };

  describe('that are misspelt', () => {
    const notesOn = (env: Record<string, string>) => readSettings(env).nameNotes;

    for (const [name, meant] of [
      ['RETENTION_DAY', 'RETENTION_DAYS'],
      ['STOER', 'STORE'],
      ['retention-days', 'RETENTION_DAYS'],
      ['TROUPE_PORT', 'PORT'],
      ['TROUPE_TOKN', 'TROUPE_TOKEN'],
      ['MAX_UPLOAD_SIZE_BYTES', undefined],
      ['MAX_RESULTBYTE', 'MAX_RESULT_BYTES'],
    ] as const)
      it(`get ${meant === undefined ? 'no note' : `a note that names ${meant}`} as ${name}`, () => {
        const note = `${name} is not a setting and has no effect. Did you mean ${meant}?`;
        expect(notesOn({ [name]: '7' })).to.deep.equal(meant === undefined ? [] : [note]);
      });

    it('get a note without a suggestion when only the prefix is ours', () => {
      expect(notesOn({ TROUPE_FLAVOUR: 'mild' })).to.deep.equal([
        'TROUPE_FLAVOUR is not a setting and has no effect. See docs/reference/settings.md for all settings.',
      ]);
    });

    it('stop the start with STRICT_SETTINGS, beside all other problems', () => {
      const env = { STOER: 'redis', STRICT_SETTINGS: 'TRUE', PORT: 'http' };
      expect(problemsOf(env)).to.have.members([
        'STOER is not a setting. Set STORE instead, or set STRICT_SETTINGS=false.',
        'PORT must be a whole number from 0 to 65535, but is "http".',
      ]);
      expect(() =>
        readNodeSettings('http://127.0.0.1:1', { NODE_NAM: 'a', STRICT_SETTINGS: 'true' }),
      ).to.throw('NODE_NAM is not a setting. Set NODE_NAME instead');
    });

    it('are not seen in the variables of shells, systemd, CI, Kubernetes and components', () => {
      const names =
        'PATH HOME USER LOGNAME MAIL SHELL SHLVL TERM LANG LC_ALL LC_CTYPE LANGUAGE TZ PWD OLDPWD HOSTNAME HOSTTYPE OSTYPE ' +
        'EDITOR VISUAL PAGER DISPLAY TMPDIR TEMP COLUMNS LINES HISTSIZE HISTFILE PS1 PS2 IFS PPID UID GROUPS RANDOM ' +
        'SSH_CLIENT SSH_CONNECTION SSH_TTY SSH_AUTH_SOCK XDG_SESSION_ID XDG_RUNTIME_DIR XDG_DATA_DIRS DBUS_SESSION_BUS_ADDRESS ' +
        'http_proxy https_proxy no_proxy NO_COLOR FORCE_COLOR CI NODE_ENV NODE_OPTIONS NODE_PATH NODE_VERSION NODE_HOME ' +
        'YARN_VERSION npm_config_cache npm_lifecycle_event npm_package_name INIT_CWD NVM_DIR NVM_BIN ' +
        'INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET LISTEN_FDS MAINPID SYSTEMD_EXEC_PID STATE_DIRECTORY ' +
        'GITHUB_TOKEN RUNNER_TEMP KUBERNETES_SERVICE_HOST KUBERNETES_PORT KUBERNETES_PORT_443_TCP REDIS_SERVICE_HOST ' +
        'REDIS_SERVICE_PORT REDIS_PORT REDIS_PORT_6379_TCP REDIS_HOST REDIS_PASSWORD POD_NAME POD_IP HOST_IP ' +
        'TROUPE_SERVICE_HOST TROUPE_SERVICE_PORT TROUPE_SERVICE_PORT_HTTP TROUPE_PORT_8080_TCP TROUPE_PORT_8080_TCP_ADDR ' +
        'TROUPE_NODES_SERVICE_HOST TROUPE_CA_FILE TROUPE_WITHOUT TROUPE_WORKER_TOKEN TROUPE_PROP_COLOUR';
      const env = Object.fromEntries(names.split(' ').map((name) => [name, 'x']));
      expect(notesOn({ ...env, TROUPE_PORT: 'tcp://10.0.0.1:8080', STRICT_SETTINGS: 'true' })).to.deep.equal(
        [],
      );
    });

    it('do not count as long as they are blank', () => {
      expect(notesOn({ STOER: ' ' })).to.deep.equal([]);
    });
  });

  it('are refused all at once, a line each, that says what they must be and what they are', () => {
    const wrong = {
      LOG_LEVEL: 'x',
      SHUTDOWN_POLICY: 'wait',
      TRUST_PROXY: 'maybe',
      FETCH_PRIVATE: 'oui',
      PORT: 'http',
      DEFAULT_PRIORITY: '12',
      USER_SHARES: 'alice=0',
      COMPONENT_PROCESSES: '1.5',
      MAX_LIVE_JOBS: '0',
      MAX_WAITING_JOBS: '-1',
      MAX_MEDIA_PER_JOB: '1e400',
      RETENTION_DAYS: 'for ever',
      UPLOAD_KEEP_DAYS: '-1',
      CORS_ALLOWED_ORIGINS: '*,x',
      OIDC_ALLOW_HTTP: 'perhaps',
    };
    const problems = problemsOf(wrong);
    for (const line of [
      'LOG_LEVEL must be one of debug, info, warn, error, silent, but is "x".',
      'SHUTDOWN_POLICY must be resume or cancel, but is "wait".',
      'TRUST_PROXY must be true or false, but is "maybe".',
      'FETCH_PRIVATE must be true or false, but is "oui".',
      'PORT must be a whole number from 0 to 65535, but is "http".',
      'DEFAULT_PRIORITY must be a whole number from 0 to 9, but is "12".',
      'USER_SHARES must be a list of shares like alice=3,group:lab=2,*=1 (the share of "alice" is no whole number from 1 to 100), but is "alice=0".',
      'COMPONENT_PROCESSES must be a whole number from 1 to 1024, but is "1.5".',
      'MAX_LIVE_JOBS must be a whole number, 1 or more, but is "0".',
      'MAX_WAITING_JOBS must be a whole number, 0 or more, but is "-1".',
      'MAX_MEDIA_PER_JOB must be a whole number, 1 or more, but is "1e400".',
      'RETENTION_DAYS must be a number of days from 0 to 100000, but is "for ever".',
      'UPLOAD_KEEP_DAYS must be a number of days from 0 to 100000, but is "-1".',
      'CORS_ALLOWED_ORIGINS must be a comma-separated list of origins like https://ui.example, or *, but is "*,x".',
      'OIDC_ALLOW_HTTP must be true or false, but is "perhaps".',
    ])
      expect(problems).to.include(line);
    for (const name of Object.keys(wrong))
      expect(
        problems.filter((line) => line.startsWith(`${name} `)),
        name,
      ).to.have.length(1);
  });

  it('are quoted on one line, not at length, and no secret is', () => {
    const problems = problemsOf({
      METRICS_TOKEN: 'hush',
      BASE_URL: 'https://user:hush@host',
      LOG_LEVEL: `a\n${'b'.repeat(9_000)}`,
    });
    expect(problems).to.have.length(3);
    for (const line of problems)
      expect(line)
        .to.match(/^[^\n]{1,200}$/)
        .and.not.include('hush');
  });

  it('have no rule that speaks of them in the words of a library', () => {
    for (const name of Object.keys(serverEnvironment.shape))
      for (const value of ['', ' ', 'x', '-1', '1.5', '1e99', 'true', 'https://', '*', ','])
        for (const line of problemsOf({ [name]: value }))
          expect(line).to.not.match(/Invalid|expected|Too (big|small)|received|<|>/);
  });
});

describe('USER_LIMITS', () => {
  it('has each limit at most once, in any order', () => {
    expect(readSettings({ USER_LIMITS: ' requests = 600,jobs=1000, ' }).USER_LIMITS).to.deep.equal({
      requests: 600,
      jobs: 1000,
    });
    expect(readSettings({}).USER_LIMITS).to.deep.equal({});
  });

  for (const [wrong, says] of [
    ['job=3', 'has "job=3", but must be a list like jobs=1000,uploads=4'],
    ['jobs=0', 'has "jobs=0", but must be a list like'],
    ['jobs=1,jobs=2', 'has jobs twice'],
    ['jobs', 'has "jobs", but must be a list like'],
  ] as const)
    it(`cannot be ${wrong}`, () => {
      expect(() => readSettings({ USER_LIMITS: wrong })).to.throw(`USER_LIMITS ${says}`);
    });
});
