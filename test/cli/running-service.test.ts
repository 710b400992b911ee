import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { Browser } from '../support/browser/browser.ts';
import { until } from '../support/until.ts';
import { SlowMedium } from './support/slow-medium.ts';
import { documentOf, Place, sample, tracksOf, type Outcome, type Running } from './support/support.ts';

/** The detector that starts fastest. */
const PICTURES = ['--pipeline', 'IMAGE PROPERTIES DETECTION PIPELINE'];

describe('troupe, where a service runs', () => {
  let place: Place;
  let media: string;
  let server: Running & { readonly url: string };
  before(async () => {
    place = new Place({ warm: true });
    media = path.join(place.folder, 'media');
    mkdirSync(media);
    copyFileSync(sample('astronaut.png'), path.join(media, 'astronaut.png'));
    server = await place.serve({ MEDIA_ROOTS: media });
  });
  after(() => place.leave());

  it('prints a token and nothing else with "troupe token", and the service takes it', async () => {
    const { code, stdout, stderr } = await place.troupe(['token']);
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.match(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const status = async (headers: Record<string, string>) =>
      (await fetch(`${server.url}/rest/info`, { headers })).status;
    expect(await status({ authorization: `Bearer ${stdout.trim()}` })).to.equal(200);
    expect(await status({})).to.equal(401);
  });

  it('prints a link and nothing else with "troupe login", which lets a browser in', async () => {
    const { code, stdout, stderr } = await place.troupe(['login']);
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.match(/^http:\/\/127\.0\.0\.1:\d+\/login\?code=[\w.-]+\n$/);
    const browser = new Browser();
    await browser.submit(await browser.go(stdout.trim()), 'Log in');
    expect((await browser.ask(`${server.url}/rest/actors`)).status).to.equal(200);
    const { stdout: limited } = await place.troupe(['login', '--role', 'USER']);
    const user = new Browser();
    await user.submit(await user.go(limited.trim()), 'Log in');
    const { text } = await user.ask(`${server.url}/rest/session`, { from: `${server.url}/`, mode: 'cors' });
    expect((JSON.parse(text) as { readonly roles: unknown }).roles).to.deep.equal(['USER']);
    const { code: refused, stderr: why } = await place.troupe(['login', '--role', 'GUEST']);
    expect(refused, why).to.equal(2);
    expect(why).to.include('ADMIN, USER');
    const nobody = await place.troupe(['login'], { DATA_DIR: path.join(place.folder, 'nobody') });
    expect([nobody.code, nobody.stdout]).to.deep.equal([2, '']);
    expect(nobody.stderr).to.include('No service runs in');
  });

  it('analyzes with that service, which goes on running', async () => {
    const { code, stdout, stderr } = await place.troupe(['analyze', 'media/astronaut.png', ...PICTURES]);
    expect(code, stderr).to.equal(0);
    expect(stderr).to.include(`Using the service at ${server.url}`);
    expect(stdout)
      .to.match(/^media\/astronaut\.png {2}image\/png, 512x512$/m)
      .and.to.match(/^ {2}PICTURE +1 +WIDTH=512 /m);
    expect(stdout).to.include(`${server.url}/rest/jobs/`);
    expect((await fetch(`${server.url}/healthz`)).status).to.equal(200);
  });

  it('analyzes with the service at --url or TROUPE_URL by TROUPE_TOKEN', async () => {
    const token = (await place.troupe(['token'])).stdout.trim();
    const elsewhere = { DATA_DIR: path.join(place.folder, 'other'), TROUPE_TOKEN: token };
    const job = ['analyze', 'media/astronaut.png', ...PICTURES, '--json', '--priority', '9'];
    const documentIn = ({ code, stdout, stderr }: Outcome) => {
      expect(code, stderr).to.equal(0);
      return JSON.parse(stdout) as object;
    };
    const asked = documentIn(await place.troupe([...job, '--url', server.url], elsewhere));
    // Requests the details of the document by default.
    expect(asked).to.deep.include({
      status: 'COMPLETE',
      priority: 9,
      jobProperties: { OUTPUT_DETAILS: 'TRUE' },
    });
    expect(asked).to.have.property('effectiveProperties').with.lengthOf(1);
    const plainly = [...job, '--property', 'OUTPUT_DETAILS=FALSE'];
    const plain = documentIn(await place.troupe(plainly, { ...elsewhere, TROUPE_URL: server.url }));
    expect(plain).to.deep.include({ status: 'COMPLETE', jobProperties: { OUTPUT_DETAILS: 'FALSE' } });
    expect(plain).to.not.have.property('effectiveProperties');
  });

  it('uploads a file that the service may not read, and names it as it is called here', async () => {
    const { code, stdout, stderr } = await place.troupe(['analyze', sample('gen_text.png'), ...PICTURES]);
    expect(code, stderr).to.equal(0);
    expect(stderr).to.match(/^Uploading \S+gen_text\.png \(\d+ kB\)$/m);
    expect(stdout)
      .to.include('WIDTH=')
      .and.to.match(/gen_text\.png {2}image\/png/);
    expect(stdout.slice(0, stdout.indexOf('Document:'))).to.not.include('uploads');
  });

  it('uploads only the files that the service may not read, when it may read others', async () => {
    const job = ['analyze', 'media/astronaut.png', sample('gen_text.png'), ...PICTURES];
    const { code, stdout, stderr } = await place.troupe(job);
    expect(code, stderr).to.equal(0);
    expect(
      stderr.match(/^Uploading .*$/gm)?.map((line) => path.basename(line).replace(/ .*/, '')),
    ).to.deep.equal(['gen_text.png']);
    expect(stdout.match(/^ {2}PICTURE /gm)).to.have.length(2);
    expect(stdout).to.not.include('MEDIA_ROOTS');
  });

  it('uploads without asking with --upload, and keeps nothing there when the job is refused', async () => {
    const uploads = () => readdirSync(path.join(place.dataDir, 'uploads')).toSorted();
    const before = uploads();
    const job = ['analyze', '--upload', 'media/astronaut.png', 'media/astronaut.png'];
    const unknown = await place.troupe([...job, '--pipeline', 'NONE']);
    expect(unknown.code, unknown.stderr).to.equal(2);
    expect(unknown.stderr)
      .to.match(/No pipeline named: NONE\nThe pipelines are:\n/)
      .and.to.not.include('Uploading');
    const refused = await place.troupe([...job, ...PICTURES, '--property', 'ARCHIVE_URL=ftp://archive']);
    expect(refused.code, refused.stderr).to.equal(2);
    expect(refused.stderr)
      .to.include('Property validation failed')
      .and.to.include('Uploading media/astronaut.png');
    expect(uploads()).to.deep.equal(before);
    const { code, stdout, stderr } = await place.troupe([...job, ...PICTURES]);
    expect(code, stderr).to.equal(0);
    expect(stdout.match(/^media\/astronaut\.png {2}image\/png/gm)).to.have.length(2);
    expect(stderr.match(/Uploading/g), 'a file that is named twice is sent once').to.have.length(1);
    expect(uploads()).to.have.length(before.length + 1);
  });

  it('says what to do about a token that the service does not accept, or that there is none', async () => {
    const refused = await place.troupe(['analyze', 'media/astronaut.png', ...PICTURES], {
      TROUPE_TOKEN: 'a.b.c',
    });
    expect([refused.code, refused.stdout]).to.deep.equal([2, '']);
    expect(refused.stderr).to.include(
      'does not accept the token. The token in TROUPE_TOKEN is not valid for this service',
    );
    const none = await place.troupe([
      'analyze',
      'media/astronaut.png',
      ...PICTURES,
      '--url',
      'http://127.0.0.1:9',
    ]);
    expect(none.code).to.equal(2);
    expect(none.stderr).to.include('needs a token: set TROUPE_TOKEN');
  });

  it('refuses to serve on the same port, or in the same data folder', async () => {
    const port = new URL(server.url).port;
    const elsewhere = { PORT: port, DATA_DIR: path.join(place.folder, 'other') };
    const onPort = await place.troupe(['serve'], elsewhere);
    expect(onPort.code).to.equal(2);
    expect(onPort.stderr).to.include(`Port ${port} of 127.0.0.1 is in use`);
    const inFolder = await place.troupe(['serve'], { PORT: '0' });
    expect(inFolder.code).to.equal(2);
    expect(inFolder.stderr).to.include(`Another service holds the data folder ${place.dataDir}`);
  });

  it('says what to do when the data folder cannot be used', async () => {
    const folder = path.join(place.folder, 'odd');
    mkdirSync(path.join(folder, 'troupe.db'), { recursive: true });
    const below = path.join(place.folder, 'media', 'astronaut.png', 'data');
    // Creating a folder in /proc fails with the error for a missing parent folder.
    for (const DATA_DIR of [folder, path.dirname(below), below, '/proc/foo', '/proc/foo/data']) {
      const { code, stderr } = await place.troupe(['serve'], { PORT: '0', DATA_DIR });
      expect([code, stderr], DATA_DIR).to.satisfy(
        () => code === 2 && stderr.startsWith(`The data folder ${DATA_DIR} cannot be written (`),
      );
      expect(stderr).to.include('set DATA_DIR to a folder of this user');
    }
  });

  it('says what to do when the database is damaged', async () => {
    const folder = path.join(place.folder, 'damaged');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'troupe.db'), 'Dear reader, this is no database. '.repeat(100));
    const { code, stderr } = await place.troupe(['serve'], { PORT: '0', DATA_DIR: folder });
    expect(code).to.equal(2);
    expect(stderr)
      .to.include(`The database of the data folder ${folder} is damaged (SQLITE_NOTADB)`)
      .and.to.include('put a backup in the place of its troupe.db');
  });
});

describe('troupe', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place({ warm: true });
  });
  afterEach(() => place.leave());

  it('serves until SIGTERM, ends with 0, and is not found any more', async () => {
    const server = await place.serve();
    server.signal('SIGTERM');
    expect((await server.ended).code).to.equal(0);
    expect(existsSync(place.lock)).to.equal(false);
    const { code, stdout, stderr } = await place.troupe(['token']);
    expect([code, stdout]).to.deep.equal([2, '']);
    expect(stderr).to.include(`No service runs in ${place.dataDir}`);
  });

  it('has no token for a service whose tokens come from an external provider', async () => {
    await place.serveHere({
      OIDC_ISSUER_URI: 'https://id.example',
      OIDC_CLIENT_ID: 'troupe',
      OIDC_CLIENT_SECRET: 'secret',
      OIDC_ADMIN_CLAIM_NAME: 'groups',
      OIDC_ADMIN_CLAIM_VALUE: 'admins',
    });
    const { code, stdout, stderr } = await place.troupe(['token']);
    expect([code, stdout]).to.deep.equal([2, '']);
    expect(stderr).to.include('accepts tokens of an external OpenID Connect provider');
  });

  it('finishes its job under a service of its own when the one it used is killed, and stops that', async () => {
    const text = await SlowMedium.listen('Where is the next railway station, please?');
    try {
      // After LEASE_MS, another component gets the unfinished work.
      const env = { FETCH_PRIVATE: 'true', LEASE_MS: '2000' };
      const server = await place.serve(env);
      const running = place.start(
        ['analyze', text.url, '--pipeline', 'keyword tagging detection pipeline'],
        env,
      );
      await running.says('stderr', 'IN_PROGRESS');
      await until('its medium is being fetched', () => text.asked > 0);
      server.signal('SIGKILL');
      await server.ended;
      text.give();
      const { code, stdout, stderr } = await running.ended;
      expect(code, stderr).to.equal(0);
      expect(stderr).to.include('That service has stopped.');
      expect(stdout).to.match(/^Job \S+ \(KEYWORD TAGGING DETECTION PIPELINE\): COMPLETE after [\d.]+ s$/m);
      expect(stdout).to.match(/^ {2}TRACK +DETECTIONS +WORDS AND PROPERTIES$/m);
      expect(stdout).to.match(/^ {2}TEXT +1 +"Where is the next railway station, please\?" .*TAGS=TRAVEL/m);
      const document = /^Document: (.*)$/m.exec(stdout)?.[1] ?? '';
      expect(tracksOf(documentOf(readFileSync(document, 'utf8')))).to.have.length(1);
      expect(existsSync(place.lock), 'the service is gone').to.equal(false);
      expect(readFileSync(path.join(place.dataDir, 'server.log'), 'utf8')).to.include('Troupe is down');
    } finally {
      text.close();
    }
  });

  it('finds the service of this machine where it listens, when others reach it over a proxy', async () => {
    const server = await place.serveHere({ BASE_URL: 'https://media.example/troupe' });
    const { code, stderr } = await place.troupe(['analyze', sample('astronaut.png')]);
    expect(code, stderr).to.equal(2);
    expect(stderr)
      .to.match(/^Using the service at http:\/\/127\.0\.0\.1:\d+$/m)
      .and.to.match(/^ {2}FACE DETECTION PIPELINE /m);
    expect(server.url).to.equal('https://media.example/troupe');
    const named = await place.troupe(['token'], { TROUPE_URL: server.url });
    expect([named.code, named.stderr]).to.deep.equal([0, '']);
  });

  it('does not start with settings that contradict each other, and says which', async () => {
    const { code, stderr } = await place.troupe(['serve'], { HOST: '0.0.0.0', PORT: '0' });
    expect(code).to.equal(2);
    expect(stderr).to.include('The server would listen on "0.0.0.0" without an OpenID Connect provider');
  });
});
