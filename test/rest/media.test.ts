/** POST and DELETE /rest/media (extensions): uploads of clients that share no folder with the server. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, request, type ClientRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { errorMembers } from '../../http/routing/errors.ts';
import { sampleUri, Service, tracksOf, withoutRedis } from '../support/processes/service.ts';
import { until, within } from '../support/until.ts';

interface Uploaded {
  readonly id: string;
  readonly mediaUri: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly expires: string;
}
const LIMIT = 1_000_000;
const DAY_MS = 86_400_000;

/** Starts an upload whose body the test sends in parts. */
function begin(service: Service, headers: Readonly<Record<string, string>> = {}, query = '') {
  const sending: ClientRequest = request(`${service.url}/rest/media${query}`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${service.token}`, ...headers },
  });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sending.once('response', resolve).once('error', reject);
  });
  // Tests that abort the upload or kill the server ignore the response.
  answer.catch(() => undefined);
  return { sending, status: async () => (await within(20_000, 'the upload is answered', answer)).statusCode };
}

describe('POST /rest/media', () => {
  let service: Service;
  let picture: Buffer;
  before(async () => {
    service = new Service({ MAX_UPLOAD_BYTES: String(LIMIT), MAX_UPLOADS: '3' });
    const samples = fileURLToPath(sampleUri(''));
    const outputs = join(service.dataDir, 'output-objects');
    mkdirSync(join(outputs, '1'), { recursive: true });
    writeFileSync(join(outputs, '1', 'detection.json'), '{}');
    const roots = [samples, service.folder, outputs].join(':');
    // The folder must exist before the first start.
    await service.startHere({ MEDIA_ROOTS: roots, ALLOW_EMPTY_STORE: 'true' });
    picture = await readFile(fileURLToPath(sampleUri('hello-world.png')));
  });
  after(() => service.close());

  const send = async (body: NonNullable<RequestInit['body']>, query = '', type = 'image/png') => {
    const response = await fetch(`${service.url}/rest/media${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': type },
      body,
      ...(body instanceof ReadableStream ? { duplex: 'half' as const } : {}),
    });
    return { status: response.status, body: (await response.json()) as Uploaded & { message?: string } };
  };
  const remove = async (id: string) => (await service.ask('DELETE', `/rest/media/${id}`)).status;
  const uploads = () => service.files('uploads');
  const oneFile = async (id: string) => (await readdir(join(service.dataDir, 'uploads', id)))[0];

  it('tells beforehand which media a job could use, in the order of the request', async () => {
    const inside = sampleUri('hello-world.png');
    const outside = pathToFileURL('/etc/hostname').href;
    const check = (mediaUris: readonly string[]) => service.ask('POST', '/rest/media/check', { mediaUris });
    const { status, body } = await check([inside, outside, 'ftp://host/a', 'https://host.example/a.png']);
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      media: [
        { usable: true, message: null },
        {
          usable: false,
          message:
            'MEDIA_ROOTS does not contain the folder of this file. Add the folder to MEDIA_ROOTS, or upload the file',
        },
        { usable: false, message: 'Unsupported URI scheme' },
        { usable: true, message: null },
      ],
    });
    expect((await check([])).status).to.equal(400);
    const most = await check(Array.from({ length: 10_001 }, () => 'x:'));
    expect([most.status, most.body]).to.deep.equal([
      400,
      errorMembers(
        'too-many-media',
        'mediaUris has 10001 elements; a job may have 10000.',
        `${service.url}/docs`,
      ),
    ]);
  });

  it('stores the body and answers how a job finds it, with its hash, its size and its time', async () => {
    const { status, body } = await send(
      picture,
      `?name=${encodeURIComponent('holiday/Frau Müller (2).PNG')}`,
    );
    expect(status).to.equal(201);
    expect(body.bytes).to.equal(picture.length);
    expect(body.sha256).to.equal(createHash('sha256').update(picture).digest('hex'));
    expect(Date.parse(body.expires) - Date.now()).to.be.within(7 * DAY_MS - 60_000, 7 * DAY_MS);
    expect(await oneFile(body.id)).to.equal('Frau Müller (2).PNG');
    const document = await service.run({ media: [body.mediaUri], pipelineName: 'LIGHT PIPELINE' });
    expect(document.media[0]).to.include({ path: body.mediaUri, sha256: body.sha256, mimeType: 'image/png' });
    expect(tracksOf(document.media[0], 'LIGHT')).to.have.lengthOf(1);
    expect(await remove(body.id)).to.equal(204);
    expect(existsSync(fileURLToPath(body.mediaUri))).to.equal(false);
    expect(await remove(body.id)).to.equal(404);
  });

  it('takes a body of unknown length, and answers as it is declared', async () => {
    const pieces = new Blob(['a,b\n', '1,2\n']).stream();
    const { status, body } = await send(pieces, '?name=table.csv', 'text/csv');
    expect([status, body.bytes]).to.deep.equal([201, 8]);
    const document = await service.run({ media: [body.mediaUri], pipelineName: 'LIGHT PIPELINE' });
    expect(document.media[0]?.['mimeType']).to.equal('text/csv');
    await remove(body.id);
    const declared = await service.ask('POST', '/rest/media', 'some text', { 'content-type': 'text/plain' });
    expect(declared.status).to.equal(201);
    await remove((declared.body as Uploaded).id);
  });

  it('lets no name that a client gives become a path', async function () {
    withoutRedis.call(this);
    for (const [name, file] of [
      ['../../../etc/passwd', 'passwd'],
      ['/etc/x.sh/', 'medium'],
      ['a.b/../..', 'medium'],
      ['..', 'medium'],
      ['.hidden.png', 'hidden.png'],
      ['x.part', 'x'],
      ['x.part.PART', 'x'],
      ['.part', 'part'],
      ['a\0\n.png', 'a_.png'],
      ['%2e%2e%2f', '_2e_2e_2f'],
      ['C:\\photos\\me.png', 'me.png'],
      ['\u202egnp.exe', '_gnp.exe'],
      ['😀', 'medium'],
      ['', 'medium'],
    ] as const) {
      const { status, body } = await send('x', `?name=${encodeURIComponent(name)}`, 'text/plain');
      expect(status, name).to.equal(201);
      expect(await oneFile(body.id), name).to.equal(file);
      expect(fileURLToPath(body.mediaUri).startsWith(join(service.dataDir, 'uploads', body.id))).to.equal(
        true,
      );
      await remove(body.id);
    }
    for (const id of ['..', '%2e%2e', '..%2f..%2fsecrets', 'troupe.db'])
      expect(await remove(id), id).to.equal(404);
    expect(existsSync(join(service.dataDir, 'troupe.db'))).to.equal(true);
  });

  it('keeps the name by which its people know a medium, in lists and documents, too', async () => {
    const long = `${'ä'.repeat(300)}.png`;
    const sent: Uploaded[] = [];
    for (const [name, file] of [
      ['100 % #1?.png', '100 _ _1_.png'],
      ['写真.png', '写真.png'],
      [long, `${'ä'.repeat(58)}.png`],
    ] as const) {
      const { body } = await send(picture, `?name=${encodeURIComponent(name)}`);
      expect(await oneFile(body.id)).to.equal(file);
      expect(decodeURIComponent(body.mediaUri)).to.satisfy((uri: string) => uri.endsWith(`/${file}`));
      sent.push(body);
    }
    const media = sent.map(({ mediaUri }) => mediaUri);
    const document = await service.run({ media, pipelineName: 'LIGHT PIPELINE' });
    expect(document.status).to.equal('COMPLETE');
    expect(document.media.map(({ path }) => path)).to.deep.equal(media);
    for (const { id } of sent) await remove(id);
  });

  it('makes nothing else of the data folder readable as media', async function () {
    withoutRedis.call(this);
    for (const name of [
      'troupe.db',
      'lock',
      'secrets/development-signing-keys.json',
      'output-objects/1/detection.json',
      'uploads/../troupe.db',
      'uploads/..%2ftroupe.db',
    ]) {
      const { status, body } = await service.create({
        media: [`file://${service.dataDir}/${name}`],
        pipelineName: 'LIGHT PIPELINE',
      });
      expect(status, name).to.equal(400);
      expect(JSON.stringify(body), name).to.match(/in DATA_DIR|malformed/);
    }
  });

  it('answers 413 above MAX_UPLOAD_BYTES, announced or not, 400 for no body and 415 for a form', async () => {
    const large = Buffer.alloc(LIMIT + 1);
    for (const body of [large, new Blob([large]).stream()]) {
      const answer = await send(body);
      expect([answer.status, answer.body.message]).to.deep.equal([
        413,
        `The medium is larger than ${LIMIT} bytes (MAX_UPLOAD_BYTES).`,
      ]);
    }
    const exact = await send(Buffer.alloc(LIMIT));
    expect(exact.status).to.equal(201);
    await remove(exact.body.id);
    const nothing = await service.ask('POST', '/rest/media');
    expect([nothing.status, nothing.text]).to.deep.equal([
      400,
      JSON.stringify(
        errorMembers(
          'body-missing',
          'The request has no body; it must be the medium.',
          `${service.url}/docs`,
        ),
      ),
    ]);
    expect((await service.ask('POST', '/rest/media?nam=x', 'x')).status).to.equal(400);
    const form = new FormData();
    form.append('file', new Blob(['x']));
    const asForm = await fetch(`${service.url}/rest/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}` },
      body: form,
    });
    expect([asForm.status, await asForm.text()]).to.deep.equal([
      415,
      JSON.stringify(
        errorMembers(
          'upload-is-form',
          'The body is a form. Send the medium itself as the body, with its own Content-Type.',
          `${service.url}/docs`,
        ),
      ),
    ]);
    expect(await uploads()).to.deep.equal([]);
  });

  it('leaves nothing of an upload that breaks off, and does not let it count', async () => {
    for (const headers of [{ 'content-length': '900000' }, {}]) {
      const { sending } = begin(service, headers);
      sending.write('the beginning');
      const [id] = await until('the file is begun', uploads, (found) => found.length === 1);
      await until('it has a part', async () => (await oneFile(id!)) === 'medium.part');
      expect((await service.ask('DELETE', `/rest/media/${id}`)).status, 'not there yet').to.equal(404);
      sending.destroy();
      await until('nothing is left', uploads, (found) => found.length === 0);
    }
    const { status, body } = await send(Buffer.alloc(LIMIT));
    expect(status).to.equal(201);
    await remove(body.id);
  });

  it('takes two uploads at once', async () => {
    const [a, b] = [begin(service, {}, '?name=a.txt'), begin(service, {}, '?name=b.txt')];
    for (const part of ['one ', 'two ', 'three']) for (const { sending } of [a, b]) sending.write(part);
    await until('both are under way', uploads, (found) => found.length === 2);
    a.sending.end('A');
    expect(await a.status()).to.equal(201);
    b.sending.end('B');
    expect(await b.status()).to.equal(201);
    const ids = await uploads();
    const texts = await Promise.all(
      ids.map(async (id) => readFile(join(service.dataDir, 'uploads', id, (await oneFile(id))!), 'utf8')),
    );
    expect(texts.toSorted()).to.deep.equal(['one two threeA', 'one two threeB']);
    for (const id of ids) await remove(id);
  });

  it('answers 507 when there are MAX_UPLOADS, also counting those that are under way', async () => {
    const kept = [await send('1'), await send('2')];
    const third = begin(service);
    third.sending.write('3');
    await until('it is under way', uploads, (found) => found.length === 3);
    const full = await send('4');
    expect([full.status, full.body.message]).to.deep.equal([
      507,
      'There are 3 uploads (MAX_UPLOADS): delete some, or wait until they expire.',
    ]);
    third.sending.destroy();
    await until('there is room again', async () => (await uploads()).length === 2);
    for (const { body } of kept) expect(await remove(body.id)).to.equal(204);
  });

  it('keeps what a live job uses: DELETE answers 409 until the job has ended', async () => {
    const { body } = await send(picture);
    const job = await service.submit({
      media: [body.mediaUri.replace('/uploads/', '/%75ploads/')],
      pipelineName: 'ABSENT PIPELINE',
    });
    const refused = await service.ask('DELETE', `/rest/media/${body.id}`);
    expect([refused.status, refused.text]).to.deep.equal([
      409,
      JSON.stringify(
        errorMembers(
          'upload-in-use',
          'A job that has not ended uses this medium: cancel it, or wait for its end.',
          `${service.url}/docs`,
        ),
      ),
    ]);
    await service.cancel(job);
    await service.terminal(job);
    expect(await remove(body.id)).to.equal(204);
  });

  it('keeps what a request uses that becomes a job only later, because it asks an archive before', async () => {
    const asked: IncomingMessage[] = [];
    const archive = createServer((question) => {
      // The server asks again after the first connection breaks. Closing that connection at once saves the
      // wait.
      if (asked.push(question) > 1) question.socket.destroy();
    });
    await new Promise<void>((resolve) => archive.listen(0, '127.0.0.1', resolve));
    try {
      const { body } = await send(picture, '?name=a.png');
      const created = service.create({
        media: [{ mediaUri: body.mediaUri, metadata: { MEDIA_HASH: body.sha256, MIME_TYPE: 'image/png' } }],
        pipelineName: 'LIGHT PIPELINE',
        jobProperties: { ARCHIVE_URL: `http://127.0.0.1:${(archive.address() as AddressInfo).port}` },
      });
      await until('the archive is asked', () => asked.length > 0);
      expect(await remove(body.id)).to.equal(409);
      archive.closeAllConnections();
      const { jobId } = (await created).body as { jobId: string };
      expect((await service.terminal(jobId)).jobStatus).to.equal('COMPLETE_WITH_WARNINGS');
      expect(await remove(body.id)).to.equal(204);
    } finally {
      archive.closeAllConnections();
      archive.close();
    }
  });

  it('is taken by the mediaUri that was answered, not by a link that leads to it', async () => {
    const { body } = await send(picture);
    const link = join(service.folder, 'link.png');
    symlinkSync(fileURLToPath(body.mediaUri), link);
    const { status, text } = await service.create({
      media: [pathToFileURL(link).href],
      pipelineName: 'LIGHT PIPELINE',
    });
    expect([status, text]).to.satisfy(
      ([code, said]: [number, string]) => code === 400 && said.includes('use the mediaUri'),
    );
    expect(await remove(body.id)).to.equal(204);
  });
});

describe('Uploads', () => {
  let service: Service;
  beforeEach(() => {
    service = new Service({ CLEANING_MS: '50', CANCEL_GRACE_MS: '200' });
  });
  afterEach(() => service.close());

  const send = async (text: string) => {
    const { status, body } = await service.ask('POST', '/rest/media', text, { 'content-type': 'text/plain' });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body as Uploaded;
  };
  const uploads = () => service.files('uploads');

  it('are refused with 507 when all together exceed MAX_UPLOADS_BYTES, also after a restart', async () => {
    await service.startHere({ MAX_UPLOADS_BYTES: '10' });
    const six = await send('123456');
    const full = async () => {
      const answer = await service.ask('POST', '/rest/media', '12345', { 'content-type': 'text/plain' });
      expect([answer.status, (answer.body as { message: string }).message]).to.deep.equal([
        507,
        'The uploads that are kept have 6 of 10 bytes (MAX_UPLOADS_BYTES): delete some, or wait until they expire.',
      ]);
    };
    await full();
    await service.stop();
    await service.startHere();
    await full();
    await send('1234');
    expect((await service.ask('DELETE', `/rest/media/${six.id}`)).status).to.equal(204);
    await send('123456');
  });

  it('that bring next to nothing are cut off, and the room that they asked for is free again', async () => {
    await service.startHere({ MAX_UPLOADS_BYTES: '1000000', UPLOAD_PACE_MS: '400' });
    const { sending } = begin(service, { 'content-length': '1000000' });
    let cut = false;
    sending.on('error', () => (cut = true));
    sending.write('x');
    await until('it is under way', uploads, (found) => found.length === 1);
    const full = await service.ask('POST', '/rest/media', 'y', { 'content-type': 'text/plain' });
    expect(full.status).to.equal(507);
    await until('it is cut off, although it goes on byte by byte', () => {
      if (!cut) sending.write('x');
      return cut;
    });
    await until('nothing is left', uploads, (found) => found.length === 0);
    await send('y');
  });

  it('are refused with 503 when the disk would have less than MIN_FREE_BYTES', async () => {
    await service.startHere({ MIN_FREE_BYTES: String(Number.MAX_SAFE_INTEGER) });
    const { status, headers, body } = await service.ask('POST', '/rest/media', 'x', {
      'content-type': 'text/plain',
    });
    expect([status, headers.get('retry-after')]).to.deep.equal([503, '2']);
    expect((body as { message: string }).message).to.include('disk of the server is nearly full');
    expect(await uploads()).to.deep.equal([]);
  });

  it('are removed after UPLOAD_KEEP_DAYS, but not before their last live job has ended', async () => {
    await service.startHere();
    const [unused, used] = [await send('unused'), await send('used')];
    const job = await service.submit({
      media: [used.mediaUri, sampleUri('hello-world.png')],
      pipelineName: 'ABSENT PIPELINE',
    });
    await service.stop();
    expect((await uploads()).length, 'a week is not over').to.equal(2);
    await service.startHere({ UPLOAD_KEEP_DAYS: '0.000001' });
    await until('the unused one is gone', uploads, (found) => !found.includes(unused.id));
    const looks = service.log('removed an expired upload').length;
    await until('the other was looked at again', async () => {
      const third = await send('third');
      await until('the third is gone', uploads, (found) => !found.includes(third.id));
      return service.log('removed an expired upload').length > looks;
    });
    expect(await uploads()).to.deep.equal([used.id]);
    await service.cancel(job);
    await service.terminal(job);
    await until('the used one is gone', uploads, (found) => found.length === 0);
  });
});
