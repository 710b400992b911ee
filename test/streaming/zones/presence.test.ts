/** A broker knows whether a stream is analyzed, also when servers die. */
import { expect } from 'chai';
import type { StreamingStatus } from '../../../actors/streaming-job/state.ts';
import { INITIAL, STREAMING_JOB } from '../../../actors/streaming-job/state.ts';
import { indexesOf } from '../../../actors/streaming-job/indexes.ts';
import { StreamPresence } from '../../../actors/streaming-service/presence.ts';
import { systemClock } from '../../../actors/basics/clock.ts';
import { REACH_SETTINGS } from '../../../egress/http/addresses.ts';
import { openPresence } from '../../../egress/mqtt-broker.ts';
import { StoredLocks } from '../../../store/cluster-locks.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { STREAM } from '../../actors/streaming-job/stream.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { claimLive, registerLivePipeline } from '../../support/live-pipeline.ts';
import { RawComponent } from '../../support/processes/raw-component.ts';
import { Service } from '../../support/processes/service.ts';
import { Broker } from '../../support/servers/broker.ts';
import { until } from '../../support/until.ts';

const ZONE = { name: 'yard', points: [[0, 0], [1, 0], [1, 1]] }; // oxfmt-ignore
const STATUS = 'site/status';

describe('The state of a stream on a broker', function () {
  this.timeout(240_000);
  let broker: Broker;
  beforeEach(async () => {
    broker = await new Broker().start();
  });
  afterEach(() => broker.stop());
  const states = () => broker.on(STATUS).map(({ text }) => text);
  const becomes = (state: string) => until(`it is ${state}`, () => states().at(-1) === state);
  const isShown = () => until('a server shows the stream', () => broker.isWatched(STATUS));

  it('is offline while its server is dead, and after the end of the stream', async () => {
    const service = await Service.start();
    try {
      await registerLivePipeline(service);
      const { status, text, body } = await service.ask('POST', '/rest/streaming/jobs', {
        ...{ enableOutputToDisk: false, stallTimeout: 60_000, pipelineName: 'LIVE PIPELINE', zones: [ZONE] },
        stream: { streamUri: 'rtsp://camera.example/live', segmentSize: 10 },
        events: { mqtt: { url: broker.url, topic: 'site' } },
      });
      expect(status, text).to.equal(201);
      const { jobId } = body as { jobId: number };
      await isShown();
      await becomes('online');
      await service.kill9();
      await becomes('offline');
      await service.start();
      await becomes('online');
      const component = new RawComponent(service);
      const { token } = await claimLive(component, jobId);
      await service.ask('POST', `/rest/streaming/jobs/${jobId}/cancel`);
      await component.end(token, { reason: 'cancelled', detail: '' });
      await until('nobody shows the stream', () => !broker.isWatched(STATUS));
      await becomes('offline');
      expect(states()).to.deep.equal(['online', 'offline', 'online', 'offline']);
    } finally {
      await service.close();
    }
  });

  describe('of servers that share a store', () => {
    const path = temporaryFolder();
    let store: SqliteStore;
    let files = 0;
    const stops: (() => void)[] = [];
    beforeEach(async () => {
      store = new SqliteStore(path(`${++files}.db`));
      await put('IN_PROGRESS');
    });
    afterEach(async () => {
      stops.splice(0).forEach((stop) => stop());
      await store.close();
    });

    const put = async (status: StreamingStatus) => {
      const actor = { kind: STREAMING_JOB, id: String(STREAM.number) };
      const stored = await store.load(actor);
      const receivers = { kinds: ['RULE'], mqtt: { url: broker.url, topic: 'site' } } as const;
      const record = { ...STREAM, zones: { plan: { zones: [], lines: [], rules: [] }, receivers } };
      const state = { ...INITIAL, status };
      await store.commit({
        ...{ actor, expected: stored?.version ?? 0, owner: { server: 'test', epoch: 1 }, record },
        snapshot: { schema: 1, body: { state, seen: [] } },
        index: indexesOf(record, state),
      });
    };
    const server = (name: string) => {
      const rule = { allowPrivate: true, allowedHosts: [], settings: REACH_SETTINGS };
      const presence = new StreamPresence({
        ...{ store, clock: systemClock },
        locks: new StoredLocks(store, { server: name, epoch: 1 }, Date.now),
        present: (wanted) => openPresence(wanted, { rule, timeoutMs: 10_000 }),
      });
      const stop = presence.start();
      stops.push(stop);
      return { stop, look: () => presence.look() };
    };

    it('is shown by one of them, and by another one after its death', async () => {
      const [one, two] = [server('one'), server('two')];
      await one.look();
      await isShown();
      await two.look();
      one.stop();
      await becomes('offline');
      await until('the other one shows it', async () => {
        await two.look();
        return broker.isWatched(STATUS);
      });
      await becomes('online');
    });

    it('is online again when the last will of a dead server comes late', async () => {
      await server('one').look();
      await isShown();
      await broker.publish(STATUS, 'offline');
      await becomes('online');
    });

    it('stays offline when the stream has ended', async () => {
      const one = server('one');
      await one.look();
      await isShown();
      await put('TERMINATED');
      await broker.publish(STATUS, 'offline');
      await one.look();
      await until('nobody shows the stream', () => !broker.isWatched(STATUS));
      await becomes('offline');
      expect(states()).to.deep.equal(['offline']);
    });
  });
});
