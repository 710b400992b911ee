/** Messages of the command line tool when a transfer breaks. */
import { truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { answer, withService, type Handler } from './support/scripted-service.ts';
import { Place } from './support/support.ts';

/** More than the buffers of a connection can hold. */
const SIZE = 32 * 1024 * 1024;

describe('The tool', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
  });
  afterEach(() => place.leave());

  const run = (url: string, args: readonly string[]) =>
    place.troupe(args, { TROUPE_URL: url, TROUPE_TOKEN: 't' });

  it('says why when the service does not want a medium, in the middle of it', async function () {
    // A response that arrives while the tool still sends may be lost with the connection. The tool then
    // reports a broken transfer.
    this.retries(4);
    const file = path.join(place.folder, 'large');
    writeFileSync(file, '');
    truncateSync(file, SIZE);
    const refuse: Handler = (request, response) => {
      request.once('data', () => {
        // The connection stays open: if it is closed with unread data, the kernel may drop the response.
        response.writeHead(413, { 'content-type': 'application/json' });
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

  it('says that a file has only a part of a document that broke off', async () => {
    const breakTransfer: Handler = (request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"media":', () => request.socket.destroy());
    };
    await withService([breakTransfer, answer(500, undefined)], async (url) => {
      const { code, stderr } = await run(url, ['jobs', 'output', 'host-1', '-o', 'out.json']);
      expect(code).to.equal(1);
      expect(stderr).to.match(/^The document is incomplete in out\.json: /m);
    });
  });
});
