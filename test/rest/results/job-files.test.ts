/**
 * GET /rest/jobs/{id}/media/... and /artifacts/... (extensions): files for clients that share no folder with
 * the server.
 */
import { once } from 'node:events';
import { renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { copyFile, readFile, truncate, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { sampleUri, Service, tracksOf, type DetectionDocument } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const PICTURE = sampleUri('digital-clock.jpg');
const MOVIE = sampleUri('hello.avi');
const DRAWN = {
  pipeline: ['LIGHT TASK', 'DRAWING'],
  tasks: [{ name: 'DRAWING', actions: ['GENERIC MARKUP ACTION'] }],
};

describe('The files of a job over REST', () => {
  let service: Service;
  let picture: Buffer;
  /** Id of a job with one picture and no artifacts. */
  let plain: string;
  /** Document of a job with uploaded media, artifacts and media with drawn boxes. */
  let drawn: DetectionDocument;
  before(async () => {
    service = await Service.openShared();
    picture = await readFile(fileURLToPath(PICTURE));
    ({ jobId: plain } = await service.run({
      media: [PICTURE],
      pipelineName: 'LIGHT PIPELINE',
      jobProperties: { ARTIFACT_EXTRACTION_POLICY: 'NONE' },
    }));
    drawn = await service.run({
      media: [
        await upload(picture, 'me.jpg'),
        await upload(await readFile(fileURLToPath(MOVIE)), 'hello.avi'),
      ],
      pipelineDefinition: DRAWN,
      jobProperties: { ARTIFACT_EXTRACTION_POLICY: 'ALL_TYPES' },
    });
  });
  after(() => service.close());

  const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    fetch(`${service.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${service.token}`, ...headers },
    });
  const bytesOf = async (path: string) => {
    const response = await get(path);
    expect(response.status, path).to.equal(200);
    return Buffer.from(await response.arrayBuffer());
  };
  const messageOf = async (path: string) => {
    const { status, body } = await service.ask('GET', path);
    return [status, (body as { message: string }).message] as const;
  };
  const upload = async (body: Buffer | string, name: string) => {
    const response = await fetch(`${service.url}/rest/media?name=${encodeURIComponent(name)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/octet-stream' },
      body: new Uint8Array(Buffer.from(body)),
    });
    expect(response.status).to.equal(201);
    return ((await response.json()) as { mediaUri: string }).mediaUri;
  };
  /** Sends the path exactly as given, without normalisation. */
  const rawStatus = (path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: `Bearer ${service.token}` };
      request(`${service.url}/`, { path, headers, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .once('error', reject)
        .end();
    });
  /** Runs a job with files from a client folder below MEDIA_ROOTS. */
  const jobOver = async (...names: string[]) => {
    const media = names.map((name) => pathToFileURL(join(service.mediaDir, name)).href);
    return service.run({ media, pipelineName: 'LIGHT PIPELINE' });
  };
  const mediumOf = ({ jobId, media }: DetectionDocument, n = 0) =>
    `/rest/jobs/${jobId}/media/${media[n]!.mediaId}`;

  it('returns to a client all its uploaded media, with artifacts and copies, byte for byte', async () => {
    const movie = await readFile(fileURLToPath(MOVIE));
    const document = drawn;
    expect(document.status).to.equal('COMPLETE');
    expect((await bytesOf(mediumOf(document, 0))).equals(picture)).to.equal(true);
    expect((await bytesOf(mediumOf(document, 1))).equals(movie)).to.equal(true);
    for (const [n, medium] of document.media.entries()) {
      const copy = fileURLToPath(medium.markupResult!.path);
      expect((await bytesOf(`${mediumOf(document, n)}/markup`)).equals(await readFile(copy))).to.equal(true);
      const pictures = tracksOf(medium, 'LIGHT').flatMap(({ detections }) =>
        detections.flatMap(({ artifactPath }) => artifactPath ?? []),
      );
      expect(pictures).to.have.length.greaterThan(0);
      for (const uri of pictures) {
        const [, end] = /\/artifacts\/[^/]+\/(.*)$/.exec(uri)!;
        const sent = await bytesOf(`/rest/jobs/${document.jobId}/artifacts/${end}`);
        expect(sent.equals(await readFile(fileURLToPath(uri)))).to.equal(true);
      }
    }
  });

  it('names in a detailed document the request for each file of the server, and in no other', async () => {
    const document = await service.run({
      media: [PICTURE, sampleUri('hello-world.png')],
      pipelineDefinition: DRAWN,
      jobProperties: { ARTIFACT_EXTRACTION_POLICY: 'ALL_TYPES', OUTPUT_DETAILS: 'TRUE' },
    });
    const fetchFile = async (href: unknown, uri: string) => {
      const bytes = await bytesOf(`/rest/jobs/${document.jobId}/${String(href)}`);
      expect(bytes.equals(await readFile(fileURLToPath(uri))), uri).to.equal(true);
    };
    for (const medium of document.media) {
      await fetchFile(medium['href'], medium.path);
      await fetchFile((medium.markupResult as unknown as { href: string }).href, medium.markupResult!.path);
      for (const { exemplar, detections } of tracksOf(medium, 'LIGHT'))
        for (const detection of [exemplar, ...detections])
          await fetchFile(
            (detection as unknown as { artifactHref: string }).artifactHref,
            detection.artifactPath!,
          );
    }
    expect(JSON.stringify(drawn)).not.to.match(/href/i);
    const job = await service.detailedJob(document.jobId);
    expect(job?.mediaHrefs).to.deep.equal(document.media.map(({ mediaId }) => `media/${mediaId}`));
    expect(await service.job(document.jobId)).not.to.have.property('mediaHrefs');
  });

  it('answers 404 with the known mediaIds to any other mediaId', async () => {
    const { jobId, media } = drawn;
    const [first, last] = [media[0]!.mediaId, media.at(-1)!.mediaId];
    const sentence = (id: number) => `The job has no medium with mediaId ${id}. It has ${first} to ${last}.`;
    for (const id of [0, first - 1, last + 1])
      for (const end of ['', '/markup', '/frames', '/frames/0.jpg', '/lanes', '/tracks', '/boxes'])
        expect(await messageOf(`/rest/jobs/${jobId}/media/${id}${end}`), end).to.deep.equal([
          404,
          sentence(id),
        ]);
    expect(await messageOf(`/rest/jobs/${jobId}/media?mediaId=0`)).to.deep.equal([404, sentence(0)]);
  });

  it('gives the media of a job that is under way', async () => {
    const job = await service.submit({
      media: [PICTURE],
      pipelineName: 'ABSENT PIPELINE',
    });
    const medium = await service.placeOf(job);
    expect((await bytesOf(`/rest/jobs/${job}/${medium}`)).equals(picture)).to.equal(true);
    const id = medium.replace('media/', '');
    expect(await messageOf(`/rest/jobs/${job}/media/0`)).to.deep.equal([
      404,
      `The job has no medium with mediaId 0. It has ${id}. The job is still in progress.`,
    ]);
    await service.cancel(job);
    await service.terminal(job);
  });

  it('sends the headers that keep a browser from running anything', async () => {
    const { headers } = await get(`/rest/jobs/${plain}/${await service.placeOf(plain)}`);
    expect(Object.fromEntries(headers)).to.include({
      'content-type': 'image/jpeg',
      'content-length': String(picture.length),
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'content-disposition': 'inline; filename="digital-clock.jpg"',
    });
  });

  it('hands out what is no picture, sound or video as a file to be kept, whatever its name says', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    const page = '<!DOCTYPE html><html><body><script>alert(1)</script></body></html>';
    const media = [await upload(svg, 'a.png'), await upload(page, 'b.jpg')];
    // Only the job trusts the metadata that the client sends. The file endpoints do not.
    const said = media.map((mediaUri, n) => ({
      mediaUri,
      metadata: {
        MIME_TYPE: n === 0 ? 'image/svg+xml' : 'text/html',
        MEDIA_HASH: 'a'.repeat(64),
        FRAME_WIDTH: '10',
        FRAME_HEIGHT: '10',
      },
    }));
    const document = await service.run({ media: [...media, ...said], pipelineName: 'LIGHT PIPELINE' });
    for (const n of document.media.keys()) {
      const { headers } = await get(mediumOf(document, n));
      expect(headers.get('content-disposition')).to.match(/^attachment; /);
      expect(headers.get('content-security-policy')).to.match(/^sandbox/);
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
    }
    expect(document.media).to.have.length(4);
  });

  it('writes names with quotes, line breaks and other scripts so that no header breaks', async () => {
    const name = 'a"b\r\nSet-Cookie: x=1;ü 猫\\%.png';
    writeFileSync(join(service.mediaDir, name), picture);
    const { headers } = await get(mediumOf(await jobOver(name)));
    expect(headers.get('set-cookie')).to.equal(null);
    expect(headers.get('content-disposition')).to.equal(
      `inline; filename="a_b__Set-Cookie_ x_1__ ___.png"; filename*=UTF-8''a%22b%0D%0ASet-Cookie%3A%20x%3D1%3B%C3%BC%20%E7%8C%AB%5C%25.png`,
    );
  });

  it('sends one part of a file, says what is outside of it, and nothing that the client has', async () => {
    const path = `/rest/jobs/${plain}/${await service.placeOf(plain)}`;
    const size = picture.length;
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 0],
      ['bytes=100-199', 100, 199],
      [`bytes=${size - 5}-`, size - 5, size - 1],
      ['bytes=-7', size - 7, size - 1],
      [`bytes=10-${size * 2}`, 10, size - 1],
      [`bytes=-${size * 2}`, 0, size - 1],
    ] as const) {
      const part = await get(path, { range });
      expect([part.status, part.headers.get('content-range')], range).to.deep.equal([
        206,
        `bytes ${start}-${end}/${size}`,
      ]);
      expect(Buffer.from(await part.arrayBuffer()).equals(picture.subarray(start, end + 1))).to.equal(true);
    }
    for (const range of ['bytes=5-2', 'bytes=0-1,4-5', 'bytes=-', 'lines=1-2', 'bytes=a-b'])
      expect((await get(path, { range })).status, range).to.equal(200);
    for (const range of [`bytes=${size}-`, 'bytes=-0', `bytes=${size}-${size + 4}`]) {
      const { status, headers } = await get(path, { range });
      expect([status, headers.get('content-range')], range).to.deep.equal([416, `bytes */${size}`]);
    }
    const head = await get(path, {}, 'HEAD');
    const [etag, modified] = ['etag', 'last-modified'].map((one) => head.headers.get(one)!);
    expect([head.status, head.headers.get('content-length')]).to.deep.equal([200, String(size)]);
    expect(await head.text()).to.equal('');
    for (const headers of [
      { 'if-none-match': etag! },
      { 'if-none-match': `"x", W/${etag!}` },
      { 'if-modified-since': modified! },
    ])
      expect((await get(path, headers)).status).to.equal(304);
    expect((await get(path, { 'if-none-match': '"x"', 'if-modified-since': modified! })).status).to.equal(
      200,
    );
    const statusOf = async (validator: string) =>
      (await get(path, { range: 'bytes=0-0', 'if-range': validator })).status;
    expect(await statusOf(etag!)).to.equal(206);
    expect(await statusOf(modified!)).to.equal(206);
    expect(await statusOf('"x"')).to.equal(200);
    expect(await statusOf(`W/${etag!}`)).to.equal(200);
  });

  it('says what has become of a medium that was changed, moved, or led elsewhere', async () => {
    const path = (name: string) => join(service.mediaDir, name);
    const original = fileURLToPath(sampleUri('hello-world.png'));
    for (const name of ['grown.png', 'touched.png', 'gone.png', 'link.png', 'folder.png'])
      await copyFile(original, path(name));
    const document = await jobOver('grown.png', 'touched.png', 'gone.png', 'link.png', 'folder.png');
    await truncate(path('grown.png'), 10);
    utimesSync(path('touched.png'), 1, 1);
    rmSync(path('gone.png'));
    rmSync(path('link.png'));
    symlinkSync('/etc/hostname', path('link.png'));
    renameSync(path('folder.png'), path('moved.png'));
    symlinkSync('/etc', path('folder.png'));
    const changed =
      'The file has changed since the job analyzed it, so the results do not match it. Resubmit the job.';
    const outside =
      'The medium can no longer be read: MEDIA_ROOTS does not contain the folder of this file. Add the folder to MEDIA_ROOTS, or upload the file.';
    const messages = [];
    for (const n of [0, 1, 2, 3, 4]) messages.push(await messageOf(mediumOf(document, n)));
    expect(messages).to.deep.equal([
      [404, changed],
      [404, changed],
      [404, 'The medium can no longer be read: File does not exist.'],
      [404, outside],
      [404, outside],
    ]);
  });

  it('has media that it fetched until their job ends, and then says where they are', async () => {
    const web = createServer((_, response) => response.end(picture)).listen(0, '127.0.0.1');
    await once(web, 'listening');
    try {
      const { port } = web.address() as AddressInfo;
      const { jobId, media } = await service.run({
        media: [`http://127.0.0.1:${port}/a.png?token=secret`],
        pipelineName: 'LIGHT PIPELINE',
      });
      expect(media[0]!.status).to.equal('COMPLETE');
      // The job ends when its document is stored. The server deletes the downloaded copy shortly afterwards.
      const { text } = await until(
        'the copy is gone',
        () => service.ask('GET', `/rest/jobs/${jobId}/media/${media[0]!.mediaId}`),
        ({ status }) => status === 404,
      );
      expect(text).to.include('removed its copy when the job ended').and.not.to.include('secret');
    } finally {
      web.close();
    }
  });

  it('lets nothing that a client writes become a path', async () => {
    const { jobId } = drawn;
    const secret = join(service.dataDir, 'artifacts', 'secret.png');
    await writeFile(secret, 'x');
    for (const path of [
      'media/..',
      'media/%2e%2e',
      'media/-1',
      'media/0/..%2f..%2f..%2ftroupe.db',
      'media/0%2f..%2f0',
      'media/1e0',
      'artifacts/..%2fsecret.png',
      'artifacts/1/0/0/..%2f..%2f..%2f../secret.png',
      'artifacts/1/0/0/0/..%2fframe-0.png',
      'artifacts/1/0/0/0/frame-0.png%00',
      'artifacts/1/0/0/0/frame-0.json',
      'artifacts/%2e%2e/%2e%2e/0/0/frame-0.png',
    ]) {
      expect(await rawStatus(`/rest/jobs/${jobId}/${path}`), path).to.be.oneOf([400, 404]);
    }
    for (const id of ['..%2f1', '..', '0', '999999', 'a'.repeat(300)])
      expect(await rawStatus(`/rest/jobs/${id}/media/0`), id).to.be.oneOf([400, 404]);
    rmSync(secret);
  });

  it('says that there is no copy, selector output or artifact where the job has made none', async () => {
    const jobId = plain;
    const medium = `/rest/jobs/${jobId}/${await service.placeOf(jobId)}`;
    expect(await messageOf(`${medium}/markup`)).to.deep.equal([
      404,
      'The job has drawn nothing into this medium.',
    ]);
    expect((await messageOf(`${medium}/selectors-output`))[0]).to.equal(404);
    expect((await messageOf(`/rest/jobs/${jobId}/artifacts/1/0/0/0/frame-0.png`))[0]).to.equal(404);
    expect((await messageOf('/rest/jobs/999999/media/0'))[1]).to.match(/There is no job "999999"/);
  });

  it('has the media of a job without a document, too', async () => {
    const id = await service.submit({
      media: [PICTURE],
      pipelineName: 'LIGHT PIPELINE',
      buildOutput: false,
    });
    await service.terminal(id);
    const response = await get(`/rest/jobs/${id}/${await service.placeOf(id)}`);
    expect(response.headers.get('content-disposition')).to.match(/^attachment/);
    expect(Buffer.from(await response.arrayBuffer()).equals(picture)).to.equal(true);
  });
});
