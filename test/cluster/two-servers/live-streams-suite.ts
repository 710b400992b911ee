/**
 * A live stream whose component alternates between two servers, as behind a load balancer: what clients see,
 * and which receivers get reports.
 */
import { request } from 'node:http';
import { expect } from 'chai';
import { claimLive, LIVE_PIPELINE, SEGMENT_SIZE, segmentLines } from '../../support/live-pipeline.ts';
import { EventClient } from '../../support/events.ts';
import { RawComponent } from '../../support/processes/raw-component.ts';
import { answer, Receiver, type Manner } from '../../support/servers/receiver.ts';
import type { Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import type { ServerPair } from './server-pair.ts';
import { readPictures } from '../../../page/streams/read-pictures.ts';

const AT = Date.UTC(2026, 10, 22, 12);

export function liveStreams(pair: () => ServerPair): void {
  describe('A live stream at two servers', () => {
    let receiver: Receiver;
    before(async () => {
      receiver = await Receiver.start();
    });
    after(() => receiver?.close());

    const submitJob = async (at: Service): Promise<number> => {
      const { status, text, body } = await at.ask('POST', '/rest/streaming/jobs', {
        enableOutputToDisk: false,
        stream: { streamUri: 'rtsp://camera.example/live', segmentSize: SEGMENT_SIZE },
        stallTimeout: 60_000,
        pipelineName: LIVE_PIPELINE,
        healthReportCallbackUri: `${receiver.url}/health`,
        summaryReportCallbackUri: `${receiver.url}/summary`,
      });
      expect(status, text).to.equal(201);
      return (body as { jobId: number }).jobId;
    };
    const postsTo = (path: string) => receiver.requests.filter((one) => one.path === path);
    const segmentsPosted = () =>
      postsTo('/summary').map(({ body }) => (JSON.parse(body) as { segmentId: number }).segmentId);
    /** The component, connected to each of the servers. */
    const components = () => {
      const { one, two } = pair();
      return [new RawComponent(one), new RawComponent(two)] as const;
    };
    const opened = { type: 'opened', at: AT, width: 640, height: 360, fps: 5 } as const;
    const pictureAt = (at: Service, job: number) =>
      new Promise<Buffer>((resolve, reject) => {
        const headers = { authorization: `Bearer ${at.token}` };
        request(`${at.url}/rest/streaming/jobs/${job}/frame.jpg`, { headers, agent: false }, (response) => {
          response.toArray().then((pieces) => resolve(Buffer.concat(pieces as Buffer[])), reject);
        })
          .once('error', reject)
          .end();
      });

    it('is seen at both as it happens, and its picture is had at both', async () => {
      const { one, two } = pair();
      const job = await submitJob(one);
      const [here, there] = components();
      const watching = await Promise.all(
        [one, two].map((at) => EventClient.open(at, `/rest/streaming/jobs/${job}/events`)),
      );
      const { token } = await claimLive(here, job);
      await here.events(token, opened);
      const box = { x: 1, y: 2, width: 3, height: 4 };
      await there.events(token, {
        type: 'trackBegan',
        at: AT,
        frame: 1,
        liveId: 'a',
        ...box,
        confidence: 0.5,
        properties: {},
      });
      await here.segment(token, 0, segmentLines(0, AT));
      const eventNames = (client: EventClient) => new Set(client.events.map(({ name }) => name));
      for (const client of watching)
        await until(
          'all of it is seen',
          () => eventNames(client),
          (seen) => ['job', 'trackBegan', 'segment'].every((name) => seen.has(name)),
        );
      const jpeg = Buffer.from('/9j/a picture');
      for (const at of [one, two]) {
        const asked = pictureAt(at, job);
        await until(
          'the component hears that it is wanted',
          async () => ((await here.events(token)).body as { wantsFrame?: boolean }).wantsFrame,
        );
        expect(await here.picture(token, jpeg)).to.equal(200);
        expect((await asked).equals(jpeg)).to.equal(true);
      }
      expect((await two.ask('POST', `/rest/streaming/jobs/${job}/cancel`)).status).to.equal(200);
      await there.end(token, { reason: 'cancelled', detail: '' });
      for (const client of watching) await client.end;
    });

    it('is viewed at both, picture by picture', async () => {
      const { one, two } = pair();
      const job = await submitJob(one);
      const [here] = components();
      const { token } = await claimLive(here, job);
      const gone = new AbortController();
      const seen = await Promise.all(
        [one, two].map(async (at) => {
          const texts: string[] = [];
          const answer = await fetch(`${at.url}/rest/streaming/jobs/${job}/live.mjpeg`, {
            headers: { authorization: `Bearer ${at.token}` },
            signal: gone.signal,
          });
          const keep = (one: Blob) => void one.text().then((text) => texts.push(text));
          void readPictures(answer.body!, keep).catch(() => undefined);
          return texts;
        }),
      );
      for (let n = 0; n < 5; n++) {
        await until(
          'the component hears that pictures are wanted',
          async () => ((await here.events(token)).body as { wantsFrame?: boolean }).wantsFrame,
        );
        await here.picture(token, Buffer.from(`picture ${n}`));
        for (const texts of seen) await until(`picture ${n} is seen`, () => texts.length === n + 1);
      }
      gone.abort();
      await one.ask('POST', `/rest/streaming/jobs/${job}/cancel`);
      await here.end(token, { reason: 'cancelled', detail: '' });
    });

    it('is found by the search of both, and at neither once it was deleted', async () => {
      const { one, two } = pair();
      const job = await submitJob(one);
      const [here, there] = components();
      const { token } = await claimLive(here, job);
      await here.events(token, opened);
      await here.segment(token, 0, segmentLines(0, Date.now()));
      await there.segment(token, 1, segmentLines(1, Date.now()));
      const hitsAt = async (at: Service) =>
        ((await at.ask('GET', `/rest/search?camera=${job}`)).body as { hits: readonly unknown[] }).hits
          .length;
      for (const at of [one, two])
        await until(
          'both segments are found',
          () => hitsAt(at),
          (hits) => hits === 2,
        );
      await two.ask('POST', `/rest/streaming/jobs/${job}/cancel`);
      await there.end(token, { reason: 'cancelled', detail: '' });
      await until('it is deleted', async () => {
        const { status } = await two.ask('DELETE', `/rest/streaming/jobs/${job}`);
        return status === 204;
      });
      for (const at of [one, two]) await until('nothing is found', async () => (await hitsAt(at)) === 0);
    });

    it('has each report of a segment posted once, in their order, while its receiver is slow', async () => {
      const { one, two } = pair();
      receiver.requests.length = 0;
      const waiting: (() => void)[] = [];
      const slow: Manner = ({ path }, response) => {
        if (path === '/summary') waiting.push(() => response.writeHead(200).end());
        else response.writeHead(200).end();
      };
      receiver.manner = slow;
      const job = await submitJob(two);
      const [here, there] = components();
      const { token } = await claimLive(there, job);
      await here.events(token, opened);
      for (const segment of [0, 1, 2, 3])
        expect(
          (await [here, there][segment % 2]!.segment(token, segment, segmentLines(segment, AT))).status,
        ).to.equal(200);
      await until('one is being posted', () => waiting.length > 0);
      // Reading the job creates no additional reports.
      for (const at of [one, two]) await at.ask('GET', `/rest/streaming/jobs/${job}`);
      await one.ask('POST', `/rest/streaming/jobs/${job}/cancel`);
      await there.end(token, { reason: 'cancelled', detail: '' });
      expect(waiting, 'they are posted one after the other').to.have.length(1);
      receiver.manner = answer(200);
      waiting[0]!();
      await until('all are posted', () => segmentsPosted().length >= 4);
      await until('their files are gone at both', async () => (await one.files('streams')).length === 0);
      expect(segmentsPosted()).to.deep.equal([0, 1, 2, 3]);
    });

    it('has its health told by one server', async () => {
      const { one, two } = pair();
      /** The number of health reports of each server. */
      const countReports = () =>
        Promise.all(
          [one, two].map(async (at) => {
            const { text } = await at.ask('GET', '/metrics');
            const lines = text
              .split('\n')
              .filter((line) => /^troupe_stream_reports_total\{.*health/.test(line));
            return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
          }),
        );
      const job = await submitJob(one);
      const [here] = components();
      const { token } = await claimLive(here, job);
      await here.events(token, opened);
      const before = await countReports();
      receiver.requests.length = 0;
      await until('it was told again and again', () => postsTo('/health').length >= 4);
      const more = (await countReports()).map((count, n) => count - before[n]!);
      expect(
        more.filter((count) => count > 0),
        String(more),
      ).to.have.length(1);
      await one.ask('POST', `/rest/streaming/jobs/${job}/cancel`);
      await here.end(token, { reason: 'cancelled', detail: '' });
    });
  });
}
