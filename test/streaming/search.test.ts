/**
 * Tracks of live streams in GET /rest/search (an extension): from the end of their segment to the deletion of
 * the job, with restarts and kill -9.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Agent } from '../mcp/agent.ts';
import { registerLivePipeline } from '../support/live-pipeline.ts';
import type { StreamTrack } from '../../protocol/streams.ts';
import type { StreamAssignment } from '../../protocol/worker-protocol.ts';
import { RawComponent } from '../support/processes/raw-component.ts';
import { Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const SIZE = 10;
/** Time of frame 0: whole seconds, one hour ago. */
const AT = Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000;
const at = (frame: number) => AT + frame * 1_000;
const date = (frame: number) => new Date(at(frame)).toISOString();

const track = (liveId: string, first: number, last: number, more: object = {}): StreamTrack => ({
  ...{ liveId, startFrame: first, stopFrame: last, startTime: at(first), stopTime: at(last) },
  ...{ confidence: 0.7, properties: { CLASSIFICATION: 'car', TEXT: `plate ${liveId}` } },
  detections: [first, last].map((frame) => ({
    ...{ frame, time: at(frame), x: 10, y: 20, width: 30, height: 40, confidence: 0.7, properties: {} },
  })),
  ...more,
});

const summaryOf = (segment: number) => ({
  segment: {
    startFrame: segment * SIZE,
    stopFrame: (segment + 1) * SIZE - 1,
    startTime: at(segment * SIZE),
    stopTime: at((segment + 1) * SIZE - 1),
    counts: { read: SIZE, processed: SIZE, dropped: 0, skipped: 0, reconnects: 0 },
  },
});

interface Hit {
  readonly jobId: string;
  readonly trackId: string;
  readonly stream: {
    readonly streamUri: string;
    readonly startDate: string;
    readonly stopDate: string;
  } | null;
  readonly [name: string]: unknown;
}

describe('The search of live streams', function () {
  this.timeout(240_000);
  let service: Service;
  let component: RawComponent;
  before(async () => {
    service = await Service.start();
    await registerLivePipeline(service);
    component = new RawComponent(service);
  });
  after(() => service.close());

  const submit = async (camera: string): Promise<number> => {
    const { status, text, body } = await service.ask('POST', '/rest/streaming/jobs', {
      enableOutputToDisk: false,
      stream: { streamUri: `rtsp://viewer:pa55word@${camera}.example/live`, segmentSize: SIZE },
      stallTimeout: -1,
      pipelineName: 'LIVE PIPELINE',
    });
    expect(status, text).to.equal(201);
    return (body as { jobId: number }).jobId;
  };
  const claim = async (id: number): Promise<string> => {
    const found = await until(
      `a component is wanted for ${id}`,
      async () => (await component.claim('STREAM:LIVE', { waitMs: 2_000 })) as readonly StreamAssignment[],
      (work) => work.some(({ work: { jobId } }) => jobId === id),
    );
    const { token } = found[0]!;
    await component.events(token, { type: 'opened', at: AT, width: 640, height: 360, fps: 1 });
    return token;
  };
  const send = async (token: string, segment: number, ...tracks: readonly StreamTrack[]) =>
    expect((await component.segment(token, segment, [...tracks, summaryOf(segment)])).status).to.equal(200);
  const search = async (query: string): Promise<readonly Hit[]> => {
    const { status, body, text } = await service.ask('GET', `/rest/search?${query}`);
    expect(status, text).to.equal(200);
    return (body as { hits: readonly Hit[] }).hits;
  };
  const finds = (query: string, ...ids: readonly string[]) =>
    until(
      `${query} finds ${ids.join(', ') || 'nothing'}`,
      async () => (await search(query)).map(({ trackId }) => trackId),
      (seen) => JSON.stringify(seen.toSorted()) === JSON.stringify(ids.toSorted()),
    );
  const end = async (id: number, token: string) => {
    await service.ask('POST', `/rest/streaming/jobs/${id}/cancel`);
    await component.end(token, { reason: 'cancelled', detail: '' });
  };

  it('finds a track once its segment is complete, with its camera and time', async () => {
    const id = await submit('yard');
    const token = await claim(id);
    await send(token, 0, track('yard-1', 2, 5));
    await finds('camera=yard', 'yard-1');
    const [hit] = await search('camera=yard&text=plate');
    expect(hit).to.deep.include({
      ...{ jobId: String(id), class: 'car', type: 'LIVE', algorithm: 'LIVE', mediaType: 'VIDEO' },
      ...{ startOffsetFrame: 2, stopOffsetFrame: 5, box: { x: 10, y: 20, width: 30, height: 40 } },
      ...{ mediaUri: 'rtsp://***@yard.example/live', width: 640, height: 360, jobEndDate: date(9) },
      stream: { streamUri: 'rtsp://***@yard.example/live', startDate: date(2), stopDate: date(5) },
    });
    expect(await search(`camera=${id}`)).to.have.length(1);
    expect(await search('camera=garden')).to.deep.equal([]);
    expect(await search('camera=viewer')).to.deep.equal([]);
    await end(id, token);
  });

  it('takes a number for the id of a streaming job, not for a part of an address', async () => {
    const id = await submit('door');
    const token = await claim(id);
    await send(token, 0, track('door-1', 2, 5));
    const other = await submit(`door-${id}`);
    const otherToken = await claim(other);
    await send(otherToken, 0, track('door-2', 2, 5));
    await finds('camera=door', 'door-1', 'door-2');
    await finds(`camera=${id}`, 'door-1');
    await end(id, token);
    await end(other, otherToken);
  });

  it('finds similar tracks of cameras, by the vectors that their component reports', async () => {
    const id = await submit('vectors');
    const token = await claim(id);
    const vectorOf = (...values: readonly number[]) => ({
      properties: { FEATURE: Buffer.from(Float32Array.from(values).buffer).toString('base64'), FEATURE_MODEL: 'live@1' }, // oxfmt-ignore
    });
    await send(token, 0, track('v-1', 1, 3, vectorOf(1, 0)), track('v-2', 6, 8, vectorOf(1, 1)));
    await finds('camera=vectors', 'v-1', 'v-2');
    const similar = async (filter: object) => {
      const like = { jobId: String(id), mediaId: 0, trackId: 'v-1' };
      const { status, body, text } = await service.ask('POST', '/rest/search/similar', { ...like, filter });
      expect(status, text).to.equal(200);
      return body as { like: Hit; hits: readonly (Hit & { similarity: number })[] };
    };
    const { like, hits } = await similar({ camera: 'vectors' });
    expect([like.trackId, like['vectorModel'], like.stream?.startDate]).to.deep.equal(['v-1', 'live@1', date(1)]); // oxfmt-ignore
    expect(hits.map(({ trackId, similarity }) => [trackId, similarity.toFixed(3)])).to.deep.equal([['v-2', '0.707']]); // oxfmt-ignore
    expect((await similar({ from: date(6), to: date(9) })).hits).to.have.length(1);
    expect((await similar({ from: date(0), to: date(5) })).hits).to.deep.equal([]);
    expect((await similar({ camera: 'another' })).hits).to.deep.equal([]);
    const agent = await Agent.overHttp(service.url, service.token);
    try {
      const listed = await agent.call('search', { medium: 'vectors.example' });
      expect(listed.text).to.match(new RegExp(`streaming job ${id}, medium 0, track v-1: http`));
      const found = await agent.call('search', { like: { job: String(id), medium: 0, track: 'v-1' } });
      expect(found.text).to.include('similarity 0.71').and.include('track v-2');
    } finally {
      await agent.close();
    }
    await end(id, token);
  });

  it('finds by wall-clock time what was seen then', async () => {
    const id = await submit('gate');
    const token = await claim(id);
    await send(token, 0, track('gate-1', 1, 3));
    await send(token, 1, track('gate-2', 12, 18));
    await finds('camera=gate', 'gate-1', 'gate-2');
    const seen = (from: number, to: number) => `camera=gate&from=${date(from)}&to=${date(to)}`;
    await finds(seen(0, 10), 'gate-1');
    await finds(seen(3, 13), 'gate-1', 'gate-2');
    await finds(seen(15, 16), 'gate-2');
    await finds(seen(4, 12));
    await end(id, token);
  });

  it('finds a track of several segments once, from its beginning to its end', async () => {
    const id = await submit('long');
    const token = await claim(id);
    await send(token, 0, track('long-1', 4, 9, { open: true }));
    await finds('camera=long', 'long-1');
    await send(token, 1, track('long-1', 10, 19, { open: true }));
    await send(token, 2, track('long-1', 20, 22), track('long-2', 24, 25));
    await finds('camera=long', 'long-1', 'long-2');
    const [hit] = (await search('camera=long')).filter(({ trackId }) => trackId === 'long-1');
    expect(hit!.stream).to.deep.include({ startDate: date(4), stopDate: date(22) });
    expect(await search(`camera=long&from=${date(5)}&to=${date(6)}`)).to.have.length(1);
    await end(id, token);
  });

  it('finds what a stream showed that was over within a moment', async () => {
    const id = await submit('short');
    const token = await claim(id);
    await send(token, 0, track('short-1', 2, 5));
    await end(id, token);
    await finds('camera=short', 'short-1');
  });

  it('has each track once after kill -9, and after the index is made again', async () => {
    const over = await submit('over');
    const tokenOfOver = await claim(over);
    await send(tokenOfOver, 0, track('over-1', 2, 5));
    await end(over, tokenOfOver);
    const id = await submit('killed');
    const token = await claim(id);
    await send(token, 0, track('killed-1', 2, 5));
    await service.kill9();
    await service.startHere({ PORT: new URL(service.url).port });
    await finds('camera=killed', 'killed-1');
    const next = await claim(id);
    await send(next, 1, track('killed-2', 12, 15));
    await finds('camera=killed', 'killed-1', 'killed-2');
    expect((await service.ask('POST', '/rest/search/rebuild')).status).to.equal(202);
    await finds('camera=killed', 'killed-1', 'killed-2');
    await finds('text=plate&camera=over', 'over-1');
    await end(id, next);
  });

  it('finds nothing of a streaming job that was deleted', async () => {
    const id = await submit('gone');
    const token = await claim(id);
    await send(token, 0, track('gone-1', 2, 5));
    await finds('camera=gone', 'gone-1');
    const folder = join(service.dataDir, 'stream-tracks', String(id));
    expect(existsSync(folder)).to.equal(true);
    await end(id, token);
    await until('it has ended', async () => {
      const { body } = await service.ask('GET', `/rest/streaming/jobs/${id}`);
      return (body as { jobStatus: string }).jobStatus === 'CANCELLED';
    });
    expect((await service.ask('DELETE', `/rest/streaming/jobs/${id}`)).status).to.equal(204);
    await finds('camera=gone');
    await until('its files are gone', () => !existsSync(folder));
  });
});
