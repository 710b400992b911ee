/** What the tool sends and receives may be larger than its memory. */
import { once } from 'node:events';
import { statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { answer, withService, type Handler } from './scripted-service.ts';
import { Place, type Outcome } from './support.ts';

const SIZE = 600 * 1024 * 1024;
const MOST_KIB = 250 * 1024;
const TELL = "process.on('exit', () => process.stderr.write(`KiB ${process.resourceUsage().maxRSS}\\n`))";

describe('The tool, with flat memory,', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
  });
  afterEach(() => place.leave());

  const run = (url: string, args: readonly string[]) =>
    place.troupe(args, {
      TROUPE_URL: url,
      TROUPE_TOKEN: 't',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(TELL)}`,
    });
  const peakOf = ({ stderr }: Outcome) => Number(/KiB (\d+)/.exec(stderr)?.[1]);

  it('uploads a medium of any size, with its name and length', async () => {
    const file = path.join(place.folder, 'a b.mp4');
    writeFileSync(file, 'first');
    truncateSync(file, SIZE);
    let bytes = 0;
    let asked = '';
    const take: Handler = (request, response) => {
      asked = `${request.url} ${request.headers['content-length']}`;
      request.on('data', (chunk: Buffer) => (bytes += chunk.length));
      void once(request, 'end').then(() => {
        response.writeHead(201, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({ id: 'u1', mediaUri: 'file:///u1/medium.mp4', sha256: 'x', bytes, expires: '' }),
        );
      });
    };
    await withService([take], async (url) => {
      const outcome = await run(url, ['media', 'upload', 'a b.mp4']);
      expect(outcome.code, outcome.stderr).to.equal(0);
      expect(outcome.stdout).to.match(/^URI +file:\/\/\/u1\/medium\.mp4$/m);
      expect([bytes, asked]).to.deep.equal([SIZE, `/rest/media?name=a+b.mp4 ${SIZE}`]);
      expect(peakOf(outcome), 'KiB').to.be.within(1, MOST_KIB);
    });
  });

  it('says why when the service does not want a medium, in the middle of it', async () => {
    const file = path.join(place.folder, 'large');
    writeFileSync(file, '');
    truncateSync(file, SIZE);
    const refuse: Handler = (request, response) => {
      request.once('data', () => {
        response.writeHead(413, { 'content-type': 'application/json', connection: 'close' });
        response.end('{"message":"The medium is larger than MAX_UPLOAD_BYTES."}');
        request.resume();
      });
    };
    await withService([refuse], async (url) => {
      const { code, stderr } = await run(url, ['media', 'upload', file]);
      expect(code).to.equal(2);
      expect(stderr).to.include('The medium is larger than MAX_UPLOAD_BYTES.');
    });
  });

  it('writes a document of any size to a file', async () => {
    const document: Handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(SIZE) });
      void pour(response);
    };
    await withService([document, document], async (url) => {
      const outcome = await run(url, ['jobs', 'output', 'host-1', '-o', 'out.json']);
      expect(outcome.code, outcome.stderr).to.equal(0);
      expect(statSync(path.join(place.folder, 'out.json')).size).to.equal(SIZE);
      expect(peakOf(outcome), 'KiB').to.be.within(1, MOST_KIB);
    });
  });

  it('says that a file has only a part of a document that broke off', async () => {
    const breaking: Handler = (request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"media":', () => request.socket.destroy());
    };
    await withService([breaking, answer(500, undefined)], async (url) => {
      const { code, stderr } = await run(url, ['jobs', 'output', 'host-1', '-o', 'out.json']);
      expect(code).to.equal(1);
      expect(stderr).to.match(/^The document broke off, and out\.json has only a part of it: /m);
    });
  });
});

async function pour(response: Parameters<Handler>[1]): Promise<void> {
  const chunk = Buffer.alloc(1024 * 1024, ' ');
  for (let sent = 0; sent < SIZE; sent += chunk.length)
    if (!response.write(chunk)) await once(response, 'drain');
  response.end();
}
