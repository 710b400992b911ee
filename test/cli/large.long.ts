/** The tool can send and receive data that is larger than its memory. */
import { once } from 'node:events';
import { statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { answer, withService, type Handler } from './support/scripted-service.ts';
import { Place, type Outcome } from './support/support.ts';

/** More than the memory limit of the tool. */
const SIZE = 300 * 1024 * 1024;
const MOST_KIB = 250 * 1024;

/**
 * Prints the peak of the tool's own memory. `resourceUsage().maxRSS` is not used: on Linux a child inherits
 * the peak of its parent.
 */
const TELL = `
  import { readFileSync } from 'node:fs';
  const peak = () => /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1];
  process.on('exit', () => process.stderr.write('KiB ' + peak() + '\\n'));`;

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

  it('shows a document with more detections in one track than fit in memory, and long texts', async function () {
    this.timeout(240_000);
    const media = Array.from({ length: 1 + MEDIA_WITH_TEXTS }, (_, n) => `file:///${n}`);
    const job = {
      ...{ jobId: 'host-1', jobStatus: 'COMPLETE', pipelineName: 'P', startDate: '', endDate: null },
      mediaUris: media,
    };
    const document: Handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      void pourDocument(response);
    };
    await withService([answer(200, job), document], async (url) => {
      const outcome = await run(url, ['jobs', 'summary', 'host-1']);
      expect(outcome.code, outcome.stderr).to.equal(0);
      expect(outcome.stdout)
        .to.match(new RegExp(`^  FACE +0\\.90 +${DETECTIONS} +A=b$`, 'm'))
        .and.to.match(new RegExp(`^  ${DETECTIONS} artifacts in /a/$`, 'm'))
        .and.to.match(/^ {2}TEXT +1 +"x{98}…$/m)
        .and.to.include('\n/25  image/png\n  100 tracks: the document has them all\n');
      expect(peakOf(outcome), 'KiB').to.be.within(1, MOST_KIB);
    });
  });
});

async function pour(response: Parameters<Handler>[1]): Promise<void> {
  const chunk = Buffer.alloc(1024 * 1024, ' ');
  for (let sent = 0; sent < SIZE; sent += chunk.length)
    if (!response.write(chunk)) await once(response, 'drain');
  response.end();
}

/** 230 MB, more than the memory limit of the tool. */
const DETECTIONS = 1_000_000;
const TEXTS = 100;
const MEDIA_WITH_TEXTS = 25;

/** A medium with one track of all these detections, then media with long texts (250 MB). */
async function pourDocument(response: Parameters<Handler>[1]): Promise<void> {
  const detection = (n: number) => ({
    ...{ offsetFrame: n, offsetTime: n * 40, x: 1, y: 2, width: 3, height: 4, confidence: 0.9 },
    ...{
      detectionProperties: { A: 'b' },
      artifactExtractionStatus: 'COMPLETED',
      artifactPath: `file:///a/${n}.png`,
    },
  });
  const send = async (text: string) => {
    if (!response.write(text)) await once(response, 'drain');
  };
  const head = (mediaId: number) =>
    openObject({
      mediaId,
      parentMediaId: -1,
      path: `file:///${mediaId}`,
      mimeType: 'image/png',
      mediaType: 'IMAGE',
    });
  const face = { type: 'FACE', confidence: 0.9, trackProperties: {}, exemplar: detection(0) };
  await send(`{"status":"COMPLETE","media":[${head(0)},"output":{"FACE":[{"source":"A","tracks":[`);
  for (let n = 0; n < DETECTIONS; n += 100) {
    const some = Array.from({ length: 100 }, (_, i) => JSON.stringify(detection(n + i))).join();
    await send(n === 0 ? `${openObject(face)},"detections":[${some}` : `,${some}`);
  }
  await send(']}]}]}}');
  const properties = {
    trackProperties: { TEXT: 'x'.repeat(100_000) },
    exemplar: { detectionProperties: {} },
  };
  const text = JSON.stringify({ type: 'TEXT', confidence: -1, ...properties, detections: [{}] });
  for (let n = 1; n <= MEDIA_WITH_TEXTS; n += 1) {
    await send(`,${head(n)},"output":{"TEXT":[{"source":"B","tracks":[${text}`);
    for (let more = 1; more < TEXTS; more += 1) await send(`,${text}`);
    await send(']}]}}');
  }
  response.end('],"errors":[],"warnings":[]}');
}

const openObject = (fields: object) => JSON.stringify(fields).slice(0, -1);
