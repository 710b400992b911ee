import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openArchivedFiles, type ArchivedFiles } from '../../../media/fetch/archived-files.ts';
import { MediumError } from '../../../media/medium-error.ts';
import { openBucket } from '../../../egress/bucket.ts';
import { archivedObject } from '../../../domain/job/buckets.ts';
import { temporaryFolder } from '../../results/folder.ts';
import { ACCESS_KEY, answerError, BucketServer, SECRET_KEY } from '../../support/servers/bucket-server.ts';
import { answer, drop, inTurn, Receiver, type Manner } from '../../support/servers/receiver.ts';

const KEYS = { S3_ACCESS_KEY: ACCESS_KEY, S3_SECRET_KEY: SECRET_KEY };

describe('Files of an earlier job', () => {
  const path = temporaryFolder();
  const { signal } = new AbortController();
  const opened: { close(): unknown }[] = [];
  let bytes = 0;
  let number = 0;
  beforeEach(() => (bytes = 0));
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  const files = async (allowPrivate = true, allowedHosts: readonly string[] = []): Promise<ArchivedFiles> => {
    await mkdir(path('results'), { recursive: true });
    const options = {
      roots: [path('results')],
      excluded: [],
      allowPrivate,
      allowedHosts,
      version: '1.0',
      backOffMs: 1,
    };
    const one = await openArchivedFiles(options);
    opened.push(one);
    return one;
  };
  const bring = async (uri: string, properties: Readonly<Record<string, string>> = {}, maxBytes = 1_000) => {
    const wanted = {
      uri,
      object: archivedObject(uri, properties),
      into: path(`file-${++number}`),
      maxBytes,
      limit: 'MAX',
    };
    return (await files()).bring(wanted, signal, (more) => (bytes += more));
  };
  const refusal = async (...given: Parameters<typeof bring>): Promise<string> => {
    const failed = await bring(...given).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(MediumError).with.property('code', 'REMOTE_STORAGE_DOWNLOAD');
    return (failed as MediumError).message;
  };
  const receiver = async (manner: Manner) => {
    const one = await Receiver.start(manner);
    opened.push(one);
    return one;
  };
  const store = async (): Promise<{ server: BucketServer; uri: string }> => {
    const server = await BucketServer.start('old');
    opened.push(server);
    await writeFile(path('picture'), 'a picture');
    const sha256 = createHash('sha256').update('a picture').digest('hex');
    const uri = `${server.url}/old/a%20key`;
    const bucket = openBucket(archivedObject(uri, KEYS)!.bucket, { allowPrivate: true, settings: '' });
    await bucket.putFile({ path: path('picture'), key: 'a key', sha256, contentType: 'image/png' }, signal);
    bucket.close();
    return { server, uri };
  };

  it('are read where they lie when they lie below a folder of results, and nowhere else', async () => {
    const file = path('results/a b.png');
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, 'x');
    const uri = pathToFileURL(file).href;
    expect(await bring(uri)).to.deep.equal({ path: file, isCopy: false, contentType: undefined });
    await writeFile(path('secret'), 'x');
    await symlink(path('secret'), path('results/link'));
    for (const name of ['secret', 'results/link', 'results/../secret'])
      expect(await refusal(pathToFileURL(path(name)).href)).to.include('MEDIA_ROOTS does not contain');
  });

  it('are fetched from web servers, with the name and password of their address', async () => {
    const { url, requests } = await receiver(answer(200, 'content', { 'content-type': 'image/png' }));
    const brought = await bring(url.replace('//', '//user:word@'));
    expect(brought).to.include({ isCopy: true, contentType: 'image/png' });
    expect(await readFile(brought.path, 'utf8')).to.equal('content');
    expect(bytes).to.equal(7);
    expect(requests[0]!.headers.authorization).to.equal(
      `Basic ${Buffer.from('user:word').toString('base64')}`,
    );
  });

  it('are retried after a broken connection or a server error, and not after a refusal', async () => {
    const { url } = await receiver(inTurn(drop, answer(503), answer(200, 'content')));
    expect(await readFile((await bring(url)).path, 'utf8')).to.equal('content');
    const refuses = await receiver(answer(404));
    expect(await refusal(`${refuses.url}/x?token=hush`)).to.match(
      /\/x\?<hidden> could not be read: it was answered with status 404$/,
    );
    expect(refuses.requests).to.have.lengthOf(1);
  });

  it('are broken off when they are too large', async () => {
    const { url } = await receiver(answer(200, 'x'.repeat(2_000), { 'content-length': '2000' }));
    expect(await refusal(url)).to.include('it has 2000 bytes; at most 1000 are fetched (MAX)');
    const secretly = await receiver((_, response) => {
      response.write('x'.repeat(900));
      response.end('x'.repeat(900));
    });
    expect(await refusal(secretly.url)).to.include('more than 1000 bytes');
  });

  it('are fetched from private buckets with their keys', async () => {
    const { uri } = await store();
    const brought = await bring(uri, KEYS);
    expect(brought.contentType).to.equal('image/png');
    expect(await readFile(brought.path, 'utf8')).to.equal('a picture');
    expect(await refusal(uri, { ...KEYS, S3_SECRET_KEY: 'wrong' })).to.include(
      'S3_SECRET_KEY is not the secret',
    );
  });

  it('are asked for without keys where these are refused: the place may be a public one', async () => {
    const { server, uri } = await store();
    server.gatekeeper = ({ headers }, response) => {
      if (headers.authorization === undefined) response.end('a public picture');
      else answerError(response, 403, 'InvalidAccessKeyId');
      return true;
    };
    expect(await readFile((await bring(uri, KEYS)).path, 'utf8')).to.equal('a public picture');
  });

  it('are fetched from hosts of CALLBACK_ALLOWED_HOSTS wherever these are', async () => {
    const { uri } = await store();
    const { url } = await receiver(answer(200, 'content'));
    const allowed = await files(false, ['127.0.0.1']);
    for (const one of [uri, url]) {
      const wanted = {
        uri: one,
        object: archivedObject(one, KEYS),
        into: path('it'),
        maxBytes: 10,
        limit: 'MAX',
      };
      expect(await allowed.bring(wanted, signal, () => undefined)).to.include({ isCopy: true });
    }
  });

  it('are not asked for in private networks unless CALLBACK_PRIVATE permits it', async () => {
    const { url, requests } = await receiver(answer(200));
    const closed = await files(false);
    for (const object of [null, archivedObject(`${url}/b/k`, KEYS)]) {
      const wanted = { uri: `${url}/b/k`, object, into: path('none'), maxBytes: 10, limit: 'MAX' };
      const failed = await closed.bring(wanted, signal, () => undefined).catch((error: unknown) => error);
      expect((failed as Error).message).to.include('CALLBACK_PRIVATE');
    }
    expect(requests).to.deep.equal([]);
    expect(existsSync(path('none'))).to.equal(false);
  });
});
