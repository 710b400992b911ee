import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { open, readFile, writeFile } from 'node:fs/promises';
import { openBucket, type Bucket, type BucketTuning } from '../../egress/bucket.ts';
import type { BucketAccess } from '../../domain/types.ts';
import { temporaryFolder } from '../results/folder.ts';
import {
  ACCESS_KEY,
  answerError,
  BucketServer,
  resolveBelowLocalhost,
  SECRET_KEY,
} from '../support/servers/bucket-server.ts';

const ANYWHERE = { allowPrivate: true, settings: 'the setting FETCH_PRIVATE' };
const TOKEN = 'never-shown-token';

describe('A bucket', () => {
  const path = temporaryFolder();
  const signal = new AbortController().signal;
  const opened: Bucket[] = [];
  let server: BucketServer;
  before(async () => {
    server = await BucketServer.start('results', 'other');
  });
  after(() => server.close());
  beforeEach(() => {
    server.requests.length = 0;
    server.gatekeeper = () => false;
  });
  afterEach(() => {
    for (const bucket of opened.splice(0)) bucket.close();
  });

  const access = (change: Partial<BucketAccess> = {}): BucketAccess => ({
    url: `${server.url}/results`,
    name: 'results',
    region: 'us-east-1',
    accessKey: ACCESS_KEY,
    secretKey: SECRET_KEY,
    sessionToken: TOKEN,
    ...change,
  });
  function bucket(
    change: Partial<BucketAccess> = {},
    tuning: BucketTuning & { readonly rule?: typeof ANYWHERE } = {},
  ): Bucket {
    const one = openBucket(access(change), tuning.rule ?? ANYWHERE, { backOffMs: 1, ...tuning });
    opened.push(one);
    return one;
  }
  async function put(to: Bucket, key: string, content: string | Buffer, aborted = signal): Promise<void> {
    await writeFile(path('source'), content);
    const sha256 = createHash('sha256').update(content).digest('hex');
    await to.putFile({ path: path('source'), key, sha256, contentType: 'image/png' }, aborted);
  }
  async function get(from: Bucket, key: string, maxBytes = 1e7, aborted = signal): Promise<Buffer> {
    const file = await open(path('target'), 'w+');
    try {
      await from.getFile({ key }, { file, maxBytes }, aborted);
      return await readFile(path('target'));
    } finally {
      await file.close();
    }
  }
  /** The message of the failure, which never contains secrets. */
  async function failureOf(step: Promise<unknown>): Promise<string> {
    const error = await step.then(
      () => expect.fail('nothing failed'),
      (reason: unknown) => reason as Error,
    );
    for (const secret of [ACCESS_KEY, SECRET_KEY, TOKEN, 'Signature='])
      expect(error.message).not.to.include(secret);
    expect(error.name).not.to.equal('AssertionError');
    return error.message;
  }

  it('gives back what was put there, whatever the key is made of', async () => {
    const large = Buffer.alloc(5_000_003, 'larger than any buffer on the way. ');
    for (const [key, content] of [
      ['plain', 'content'],
      ["folder/a b/ü+1 ?#%'()*!.txt", 'by another name'],
      ['empty', ''],
      ['large', large],
    ] as const) {
      await put(bucket(), key, content);
      expect(await get(bucket(), key), key).to.deep.equal(Buffer.from(content));
    }
    expect(server.requests.at(-1)?.headers['x-amz-security-token']).to.equal(TOKEN);
  });

  it('has the name of the bucket in the host when its address says so', async () => {
    const restore = resolveBelowLocalhost();
    try {
      const inHost = bucket({ url: `http://other.s3.localhost:${server.port}`, name: 'other' });
      await put(inHost, 'a b/c', 'by host');
      expect(await get(inHost, 'a b/c')).to.deep.equal(Buffer.from('by host'));
    } finally {
      restore();
    }
    expect(await server.keys('other')).to.deep.equal(['a b/c']);
    expect(server.requests.at(-1)?.path).to.match(/^\/a%20b\/c/);
  });

  it('is not sent again what it holds', async () => {
    for (let time = 0; time < 2; time++) await put(bucket(), 'once', 'the same');
    expect(server.count('PUT')).to.equal(1);
    await put(bucket(), 'once', 'of another size');
    expect(server.count('PUT')).to.equal(2);
  });

  it('takes a file by keys that may not look', async () => {
    server.gatekeeper = ({ method }, response) => {
      if (method === 'HEAD') response.writeHead(403).end();
      return method === 'HEAD';
    };
    await put(bucket(), 'unseen', 'content');
    expect((await server.content('results', 'unseen')).toString()).to.equal('content');
  });

  it('refuses content that is not what was announced', async () => {
    await writeFile(path('changed'), 'changed');
    const file = { path: path('changed'), key: 'changed', sha256: '0'.repeat(64) };
    expect(await failureOf(bucket().putFile(file, signal))).to.match(/status 403/);
    expect(await server.keys('results')).not.to.include('changed');
  });

  it('says which key is wrong, and shows none', async () => {
    await put(bucket(), 'there', 'content');
    const wrong = bucket({ secretKey: `${SECRET_KEY}x` });
    expect(await failureOf(get(wrong, 'there'))).to.match(/S3_SECRET_KEY is not the secret/);
    expect(await failureOf(put(wrong, 'new', 'content'))).to.match(/S3_SECRET_KEY is not the secret/);
    expect(await failureOf(get(bucket({ accessKey: 'UNKNOWN' }), 'there'))).to.match(/S3_ACCESS_KEY/);
  });

  it('says what is missing', async () => {
    const missing = bucket({ url: `${server.url}/missing`, name: 'missing' });
    expect(await failureOf(put(missing, 'key', 'x'))).to.equal('the object store has no bucket "missing"');
    expect(await failureOf(get(bucket(), 'no such'))).to.match(/the bucket "results" holds no such object/);
    expect(await failureOf(bucket().putFile({ path: path('gone'), key: 'k', sha256: '' }, signal))).to.equal(
      'the file could not be read (ENOENT)',
    );
    expect(await failureOf(put(bucket(), 'x', 'y').then(() => get(bucket(), 'x', 0)))).to.match(
      /larger than the 0 bytes/,
    );
  });

  it('ends a download at the limit, announced or not', async () => {
    await put(bucket(), 'long', 'x'.repeat(1000));
    expect((await get(bucket(), 'long', 1000)).length).to.equal(1000);
    expect(await failureOf(get(bucket(), 'long', 999))).to.match(/larger than the 999 bytes/);
    server.gatekeeper = (_, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
      return true;
    };
    expect(await failureOf(get(bucket(), 'endless', 100_000))).to.match(/larger than the 100000 bytes/);
  });

  it('is asked four times at the most when it is busy or breaks off', async () => {
    await put(bucket(), 'shaky', 'whole');
    let turn = 0;
    server.gatekeeper = (_, response) => {
      if (++turn === 1) answerError(response, 503, 'SlowDown');
      if (turn === 2) {
        response.writeHead(200, { 'content-length': 50 }).write('broken off, and longer than the whole');
        setImmediate(() => response.destroy());
      }
      return turn <= 2;
    };
    expect((await get(bucket(), 'shaky')).toString()).to.equal('whole');
    expect(turn).to.equal(3);
    server.gatekeeper = (_, response) => {
      turn++;
      answerError(response, 503, 'SlowDown');
      return true;
    };
    turn = 0;
    expect(await failureOf(get(bucket(), 'shaky'))).to.equal(
      'the object store answered with status 503 (SlowDown)',
    );
    expect(turn).to.equal(4);
  });

  it('sends a file again from its beginning', async () => {
    let turn = 0;
    server.gatekeeper = ({ method }, response) => {
      const busy = method === 'PUT' && ++turn < 3;
      if (busy) answerError(response, 500, 'InternalError');
      return busy;
    };
    await put(bucket(), 'again', 'from the beginning');
    expect(turn).to.equal(3);
    expect((await server.content('results', 'again')).toString()).to.equal('from the beginning');
  });

  it('is given up when it is silent, and at once when the work is stopped', async () => {
    server.gatekeeper = () => true;
    expect(await failureOf(get(bucket({}, { silenceMs: 50 }), 'key'))).to.match(/silent for too long/);
    const stop = new AbortController();
    server.gatekeeper = () => {
      stop.abort(new Error('stopped by the test'));
      return true;
    };
    expect(await failureOf(get(bucket(), 'key', 10, stop.signal))).to.equal('stopped by the test');
    expect(await failureOf(put(bucket(), 'key', 'x', stop.signal))).to.equal('stopped by the test');
  });

  it('is never where requests must not go', async () => {
    const rule = { allowPrivate: false, settings: 'the setting FETCH_PRIVATE' };
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433']) {
      const url = `http://${host}:${server.port}/results`;
      expect(await failureOf(get(bucket({ url }, { rule }), 'key')), host).to.match(/FETCH_PRIVATE/);
      expect(await failureOf(put(bucket({ url }, { rule }), 'key', 'x'.repeat(3e6))), host).to.match(
        /FETCH_PRIVATE/,
      );
    }
    for (const host of ['169.254.169.254', '[fd00:ec2::254]', '[fe80::1]', '100.100.100.200', '0xa9fea9fe'])
      expect(await failureOf(get(bucket({ url: `http://${host}/results` }), 'key')), host).to.match(
        /never connected to/,
      );
    expect(server.requests).to.have.length(0);
  });

  it('does not lead elsewhere', async () => {
    server.gatekeeper = (_, response) => {
      response
        .writeHead(307, { location: `${server.url}/other/key`, 'x-amz-bucket-region': 'eu-west-1' })
        .end();
      return true;
    };
    expect(await failureOf(get(bucket(), 'key'))).to.match(/status 307|region/);
    expect(server.requests).to.have.length(1);
  });

  it('is not listened to for ever when it refuses', async () => {
    let sent = 0;
    server.gatekeeper = ({ method }, response) => {
      if (method === 'HEAD') return false;
      response.writeHead(403, { 'content-type': 'application/xml' });
      const chunk = Buffer.alloc(65_536, 'x');
      const more = (): void => {
        if (response.destroyed || sent > 100_000_000) return void response.end();
        sent += chunk.length;
        if (response.write(chunk)) setImmediate(more);
        else response.once('drain', more);
      };
      more();
      return true;
    };
    const message = /the object store answered with status 403/;
    expect(await failureOf(get(bucket(), 'a'))).to.match(message);
    expect(await failureOf(put(bucket(), 'a', 'A'))).to.match(message);
    expect(sent).to.be.lessThan(50_000_000);
  });

  it('that nothing listens for says so', async () => {
    const gone = await BucketServer.start();
    const url = `${gone.url}/results`;
    await gone.close();
    expect(await failureOf(get(bucket({ url }), 'key'))).to.equal('the connection was refused');
  });
});
