import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { prepare } from '../../../../components/builtin/media/prepare.ts';
import { SlowBuckets } from '../../../../components/builtin/media/slow-buckets.ts';
import { resultStore, upload, UPLOADS_AT_ONCE } from '../../../../components/builtin/media/upload.ts';
import type { UploadAnswer } from '../../../../protocol/bucket-work.ts';
import type { PreparedMedium, PrepareWork } from '../../../../protocol/media-work.ts';
import type { Properties } from '../../../../domain/types.ts';
import { temporaryFolder } from '../../../results/folder.ts';
import { ACCESS_KEY, answerError, BucketServer, SECRET_KEY } from '../../../support/servers/bucket-server.ts';
import { context, textOf } from './media-parts.ts';

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');
const keyOf = (content: string) =>
  [sha256(content).slice(0, 2), sha256(content).slice(2, 4), sha256(content)].join('/');
const signal = new AbortController().signal;
let server: BucketServer;
before(async () => {
  server = await BucketServer.start('results', 'media');
});
after(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
  server.gatekeeper = () => false;
});

const KEYS = { S3_ACCESS_KEY: ACCESS_KEY, S3_SECRET_KEY: SECRET_KEY };
const intoResults = (more: Properties = {}): Properties => ({
  ...KEYS,
  S3_RESULTS_BUCKET: `${server.url}/results`,
  ...more,
});

describe('Uploading the detection document', () => {
  const path = temporaryFolder();

  async function uploadMedium(
    content: string,
    properties: Properties,
    { privateBuckets = true, progress = (_: number) => {} } = {},
  ): Promise<UploadAnswer> {
    await writeFile(path('detection.json'), content);
    const work = { path: path('detection.json'), properties, privateBuckets };
    const text = await textOf(upload(work, context({ progress })));
    expect(text.match(/\n/g)).to.have.length(1);
    return JSON.parse(text) as UploadAnswer;
  }

  it('answers where it is to be found: below the prefix, by the hash of its content', async () => {
    const seen: number[] = [];
    const answer = await uploadMedium('{"a":1}', intoResults({ S3_UPLOAD_OBJECT_KEY_PREFIX: 'site 1/' }), {
      progress: (done) => void seen.push(done),
    });
    expect(answer).to.deep.equal({
      uri: `${server.url}/results/site%201/${keyOf('{"a":1}')}`,
      warnings: [],
    });
    expect((await server.content('results', `site 1/${keyOf('{"a":1}')}`)).toString()).to.equal('{"a":1}');
    expect(server.requests.at(-1)?.headers['content-type']).to.equal('application/json');
    expect(seen).to.deep.equal([7, 14]);
  });

  it('leaves it here with a warning when the bucket does not take it', async () => {
    const local = pathToFileURL(path('detection.json')).href;
    const cases: readonly (readonly [Properties, RegExp])[] = [
      [intoResults({ S3_SECRET_KEY: 'wrong' }), /S3_SECRET_KEY is not the secret/],
      [intoResults({ S3_RESULTS_BUCKET: `${server.url}/missing` }), /no bucket "missing"/],
      [intoResults({ S3_RESULTS_BUCKET: `${server.url}/results/folder` }), /S3_UPLOAD_OBJECT_KEY_PREFIX/],
    ];
    for (const [properties, message] of cases) {
      const { uri, warnings } = await uploadMedium('{}', properties);
      expect(uri).to.equal(local);
      expect(warnings).to.have.length(1);
      expect(warnings[0]).to.have.property('code', 'REMOTE_STORAGE_UPLOAD');
      expect(warnings[0]?.message)
        .to.match(message)
        .and.match(/file stays on the server\.$/);
      expect(warnings[0]?.message).not.to.include(SECRET_KEY).and.not.to.include(ACCESS_KEY);
    }
  });

  it('goes to this host only when that is allowed', async () => {
    const { warnings } = await uploadMedium('{}', intoResults(), { privateBuckets: false });
    expect(warnings[0]?.message).to.match(/private network, which the setting CALLBACK_PRIVATE can permit/);
    expect(server.requests).to.have.length(0);
  });

  it('is left where it is without a bucket', async () => {
    expect(await uploadMedium('{}', KEYS)).to.deep.equal({
      uri: pathToFileURL(path('detection.json')).href,
      warnings: [],
    });
  });

  it('ends with the work', async () => {
    const stop = new AbortController();
    server.gatekeeper = () => {
      stop.abort(new Error('cancelled'));
      return true;
    };
    await writeFile(path('long.json'), '{}');
    const work = { path: path('long.json'), properties: intoResults(), privateBuckets: true };
    const outcome = await textOf(upload(work, context({ signal: stop.signal }))).catch(
      (error: unknown) => error,
    );
    expect(outcome).to.have.property('message', 'cancelled');
  });
});

describe('A store of results', () => {
  const path = temporaryFolder();

  async function files(count: number, content: (index: number) => string): Promise<readonly string[]> {
    const paths = Array.from({ length: count }, (_, index) => path(`frame-${index}.png`));
    await Promise.all(paths.map((name, index) => writeFile(name, content(index))));
    return paths;
  }

  it('is none when no bucket is named', () => {
    expect(resultStore({})).to.equal(undefined);
    expect(resultStore(KEYS)).to.equal(undefined);
  });

  it('takes many files, a few at a time', async () => {
    const store = resultStore(intoResults(), { privateBuckets: true })!;
    const paths = await files(30, (index) => `picture ${index}`);
    let [open, most] = [0, 0];
    server.gatekeeper = (_, response) => {
      most = Math.max(most, ++open);
      response.once('close', () => open--);
      return false;
    };
    const uris = await Promise.all(paths.map((name) => store(name, signal)));
    expect(uris).to.deep.equal(paths.map((_, index) => `${server.url}/results/${keyOf(`picture ${index}`)}`));
    expect(most).to.be.within(2, UPLOADS_AT_ONCE);
    expect(await server.keys('results')).to.include.members(
      paths.map((_, index) => keyOf(`picture ${index}`)),
    );
  });

  it('keeps the same content once, and sends it once', async () => {
    const store = resultStore(intoResults(), { privateBuckets: true })!;
    const paths = await files(12, () => 'all the same');
    const uris = await Promise.all(paths.map((name) => store(name, signal)));
    expect(new Set(uris).size).to.equal(1);
    expect(await resultStore(intoResults(), { privateBuckets: true })!(paths[0]!, signal)).to.equal(uris[0]);
    expect(server.count('PUT')).to.equal(1);
  });

  it('is left alone after three files in a row that failed', async () => {
    const store = resultStore(intoResults(), { privateBuckets: true, backOffMs: 1 })!;
    const paths = await files(20, (index) => `for nothing ${index}`);
    server.gatekeeper = (_, response) => {
      answerError(response, 403, 'AccessDenied');
      return true;
    };
    const outcomes = await Promise.allSettled(paths.map((name) => store(name, signal)));
    for (const outcome of outcomes)
      expect(outcome).to.have.nested.property('reason.code', 'REMOTE_STORAGE_UPLOAD');
    expect(server.count('PUT')).to.be.within(3, 3 + UPLOADS_AT_ONCE - 1);
  });

  it('that kept three files waiting in vain is skipped by all work of the process for a minute', async () => {
    let now = 0;
    const slow = new SlowBuckets({ slowMs: 0, now: () => now });
    const paths = await files(6, (index) => `waits in vain ${index}`);
    server.gatekeeper = (_, response) => {
      answerError(response, 500, 'InternalError');
      return true;
    };
    const storeUpload = (index: number) =>
      resultStore(intoResults(), { privateBuckets: true, backOffMs: 1, slow })!(paths[index]!, signal)
        .then(() => 'stored')
        .catch(({ code }: { code: string }) => code);
    for (const index of [0, 1, 2]) expect(await storeUpload(index)).to.equal('REMOTE_STORAGE_UPLOAD');
    server.gatekeeper = () => false;
    server.requests.length = 0;
    now = 59_999;
    expect([await storeUpload(3), server.requests.length]).to.deep.equal(['REMOTE_STORAGE_UPLOAD', 0]);
    now = 60_000;
    expect([await storeUpload(4), await storeUpload(5)]).to.deep.equal(['stored', 'stored']);
  });

  it('that refuses at once is asked by all work: its keys may be mended meanwhile', async () => {
    const slow = new SlowBuckets();
    const paths = await files(4, (index) => `is refused ${index}`);
    const options = { privateBuckets: true, backOffMs: 1, slow };
    for (const name of paths) {
      server.requests.length = 0;
      const refused = resultStore(intoResults({ S3_SECRET_KEY: 'another' }), options)!(name, signal);
      expect(await refused.catch(() => 'refused')).to.equal('refused');
      expect(server.requests.length).to.be.greaterThan(0);
    }
  });

  it('tells on use what is wrong with its properties', async () => {
    const store = resultStore({ S3_RESULTS_BUCKET: 'results' })!;
    const outcome = await store(path('any'), signal).catch((error: unknown) => error);
    expect(outcome)
      .to.have.property('message')
      .that.matches(/S3_ACCESS_KEY and S3_SECRET_KEY properties were not/);
  });
});

describe('Preparing a medium from elsewhere', () => {
  const path = temporaryFolder();
  const metadata = { MEDIA_HASH: 'h', MIME_TYPE: 'text/plain' };
  const work = (change: Partial<PrepareWork>): PrepareWork => ({
    uri: '',
    fetchTo: path('media/1/1'),
    metadata,
    properties: KEYS,
    frameRanges: [],
    timeRanges: [],
    limits: { mediaRoots: [], excluded: [], maxBytes: 1000, timeoutMs: 10_000, allowPrivate: true },
    ...change,
  });
  const prepareMedium = async (change: Partial<PrepareWork>): Promise<PreparedMedium> =>
    JSON.parse(await textOf(prepare(work(change), context()))) as PreparedMedium;

  it('opens a bucket with its keys', async () => {
    await writeFile(path('source'), 'a text in a bucket');
    const storeUpload = resultStore(
      intoResults({ S3_RESULTS_BUCKET: `${server.url}/media`, S3_UPLOAD_OBJECT_KEY_PREFIX: 'ä b/' }),
      { privateBuckets: true },
    )!;
    const uri = await storeUpload(path('source'), signal);
    const { facts, path: fetched } = await prepareMedium({ uri, metadata: {} });
    expect(fetched).to.equal(path('media/1/1'));
    expect(facts.sha256).to.equal(sha256('a text in a bucket'));
    const refused = await prepareMedium({ uri, properties: { ...KEYS, S3_SECRET_KEY: 'wrong' } }).catch(
      (error: unknown) => error,
    );
    expect(refused).to.have.property('code', 'REMOTE_STORAGE_DOWNLOAD');
    expect(refused)
      .to.have.property('message')
      .that.matches(/^Error retrieving media and saving it to temp file: http.*S3_SECRET_KEY/);
  });

  it('opens it without them when they are for uploads only', async () => {
    const properties = { ...KEYS, S3_UPLOAD_ONLY: 'TRUE' };
    server.gatekeeper = (_, response) => {
      response.end('in the open');
      return true;
    };
    await prepareMedium({ uri: `${server.url}/media/open`, properties });
    expect(server.requests.map(({ headers }) => headers.authorization)).to.deep.equal([undefined]);
    await prepareMedium({ uri: `${server.url}/media/open` });
    expect(server.requests.at(-1)?.headers.authorization).to.match(/^AWS4-HMAC-SHA256/);
  });

  it('keeps to the limits of fetches', async () => {
    const { limits } = work({});
    const uri = `${server.url}/media/key`;
    const message = async (change: object) =>
      (
        (await prepareMedium({ uri, limits: { ...limits, ...change } }).catch(
          (error: unknown) => error,
        )) as Error
      ).message;
    expect(await message({ allowPrivate: false })).to.match(/the setting FETCH_PRIVATE/);
    server.gatekeeper = (_, response) => {
      response.end('x'.repeat(1001));
      return true;
    };
    expect(await message({})).to.match(/larger than the 1000 bytes/);
    server.gatekeeper = () => true;
    expect(await message({ timeoutMs: 100 })).to.match(/took longer than 0.1 s/);
  });

  it('sends a token of the service along, and not with what is signed', async () => {
    server.gatekeeper = (_, response) => {
      response.end('for those who know');
      return true;
    };
    await prepareMedium({ uri: `${server.url}/media/x`, properties: {}, bearer: 'a.b.c' });
    expect(server.requests.at(-1)?.headers.authorization).to.equal('Bearer a.b.c');
    await prepareMedium({ uri: `${server.url}/media/x`, bearer: 'a.b.c' });
    expect(server.requests.at(-1)?.headers.authorization).to.match(/^AWS4-HMAC-SHA256/);
  });

  it('takes a derivative medium from where it lies', async () => {
    await writeFile(path('derived.txt'), 'made by a component');
    const uri = 'https://host.invalid/results/ab/cd/abcd';
    const { facts, path: found } = await prepareMedium({
      uri,
      fetchTo: path('derived.txt'),
      stored: true,
      metadata: {},
    });
    expect(found).to.equal(path('derived.txt'));
    expect(facts.sha256).to.equal(sha256('made by a component'));
    const missing = await prepareMedium({ uri, fetchTo: path('no.txt'), stored: true }).catch(
      (error: unknown) => error,
    );
    expect(missing).to.have.property('code', 'LOCAL_STORAGE');
  });
});
