/** Pictures in data: URIs of requests: two servers share them, and Redis never contains one. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { pictureUri } from '../../support/media/data-uri.ts';
import { Service, type DetectionDocument } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import type { ServerPair } from './server-pair.ts';

/** Limit for a single command to Redis and for a single key. */
const MOST_BYTES = 64 * 1024;
const BIG = pictureUri(260, 260);
const REQUEST = { media: [BIG], pipelineName: 'LIGHT PIPELINE' };

/** `isLong`: includes cases that unit tests also cover, and variations. */
export function dataUris(pair: () => ServerPair, { isLong }: { readonly isLong: boolean }): void {
  describe('A large data: URI at two servers of one store', () => {
    let client: Redis;
    let monitor: Socket;
    /** Length of the longest argument that Redis has received. */
    let longest = 0;
    before(async () => {
      // The connection ends before this suite closes it, so the client must not reconnect.
      client = new Redis(pair().redis.url, { retryStrategy: () => null });
      // A plain socket is used: the client may mistake commands that arrive with the reply to MONITOR for
      // replies.
      monitor = connect(pair().redis.port, '127.0.0.1');
      monitor.write('MONITOR\r\n');
      const lines = createInterface({ input: monitor });
      expect((await once(lines, 'line'))[0]).to.equal('+OK');
      lines.on('line', (line) => {
        for (const [word] of line.matchAll(/"(?:[^"\\]|\\.)*"/g)) longest = Math.max(longest, word.length);
      });
    });
    after(() => {
      monitor?.destroy();
      client?.disconnect();
    });

    /** Memory of each key in bytes. */
    const sizes = async () => {
      const found = new Map<string, number>();
      for await (const keys of client.scanStream() as AsyncIterable<readonly string[]>)
        for (const key of keys) found.set(key, (await client.memory('USAGE', key, 'SAMPLES', 0)) ?? 0);
      return found;
    };
    /** The largest growth of a key. */
    const growth = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) =>
      Math.max(...[...after].map(([key, bytes]) => bytes - (before.get(key) ?? 0)));
    /** The results with their locations. */
    const content = ({ media }: DetectionDocument) =>
      media.map(({ mediaId: _, ...medium }) => ({ ...medium, output: undefined, trackTypes: undefined }));
    const requests = () => pair().one.files('requests');

    it('is told whole by both, in the document and of the job; Redis has kilobytes', async () => {
      expect(BIG.length).to.be.above(4 * MOST_BYTES);
      const { one, two } = pair();
      const before = await sizes();
      const id = await one.submit(REQUEST);
      expect((await two.job(id))?.mediaUris).to.deep.equal([BIG]);
      expect((await two.terminal(id)).jobStatus).to.equal('COMPLETE');
      const document = await two.document(id);
      expect(document.media[0]?.path).to.equal(BIG);

      expect(longest, 'was given to Redis').to.be.within(1_000, MOST_BYTES);
      expect(growth(before, await sizes()), 'lies in Redis').to.be.within(1_000, MOST_BYTES);
    });

    if (!isLong) return;

    it('is told as by a server on SQLite that stores it', async () => {
      const document = await pair().two.run(REQUEST);
      const alone = await Service.here({ STORED_DATA_URI_LENGTH: '100000000' });
      try {
        expect(content(await alone.run(REQUEST))).to.deep.equal(content(document));
        expect(await alone.files('requests')).to.deep.equal([]);
      } finally {
        await alone.close();
      }
    });

    it('is there for another run at the other server, and goes with the job', async () => {
      const { one, two } = pair();
      const before = await requests();
      const id = await one.submit(REQUEST);
      await one.terminal(id);
      const own = (await requests()).filter((name) => !before.includes(name));
      expect(own).to.have.length(1);

      expect((await two.resubmit(id)).status).to.equal(200);
      expect((await two.terminal(id)).jobStatus).to.equal('COMPLETE');
      expect((await one.document(id)).media[0]?.path).to.equal(BIG);
      expect(await requests()).to.include.members(own);

      expect((await two.ask('DELETE', `/rest/jobs/${id}`)).status).to.equal(204);
      await until('its file is gone', requests, (names) => names.join() === before.join());
      expect(longest, 'was given to Redis').to.be.below(MOST_BYTES);
    });
  });
}
