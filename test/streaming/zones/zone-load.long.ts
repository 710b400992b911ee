/** 1,000 events per second in the zones of one camera, whose webhooks go to a slow receiver. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { NOTHING_SEEN } from '../../../domain/zones/watch-state.ts';
import type { WatchedEvent } from '../../../protocol/streams.ts';
import { claimLive, registerLivePipeline } from '../../support/live-pipeline.ts';
import { RawComponent } from '../../support/processes/raw-component.ts';
import { Service } from '../../support/processes/service.ts';
import { Broker } from '../../support/servers/broker.ts';
import { Receiver } from '../../support/servers/receiver.ts';

const AT = Date.UTC(2026, 10, 22, 12);
const YARD = { name: 'yard', points: [[0, 0], [1, 0], [1, 1]] }; // oxfmt-ignore
const SECONDS = Number(process.env['SECONDS'] ?? 60);
const A_MESSAGE = 200;
const QUARTERS = 4;
const A_SECOND = 1_000;
/** Limit of pending webhooks and messages. */
const MOST_PENDING = 1_000 + 200 + 3;
/**
 * Growth of used memory after garbage collection, from the first quarter to the end: about 90 bytes per
 * event.
 */
const MOST_GROWTH_MIB = 8;
const MIB = 1_024 * 1_024;

describe('Zones of a stream with a thousand events a second', function () {
  this.timeout(900_000);

  it('keeps counts, the newest events and few notices, with flat memory', async () => {
    const service = await Service.start();
    const receiver = await Receiver.start();
    const broker = await new Broker().start();
    try {
      await registerLivePipeline(service);
      receiver.manner = (_, response) => void setTimeout(() => response.writeHead(200).end(), 50);
      const component = new RawComponent(service);
      const { body } = await service.ask('POST', '/rest/streaming/jobs', {
        ...{ enableOutputToDisk: false, stallTimeout: -1, pipelineName: 'LIVE PIPELINE', zones: [YARD] },
        stream: { streamUri: 'rtsp://camera.example/live', segmentSize: 10 },
        events: { callbackUri: `${receiver.url}/load`, mqtt: { url: broker.url, topic: 'load' } },
      });
      const { jobId } = body as { jobId: number };
      const { token } = await claimLive(component, jobId);
      const sizes: number[] = [];
      const used: number[] = [];
      const messages = (SECONDS * A_SECOND) / A_MESSAGE;
      let slowest = 0;
      const began = performance.now();
      for (let seq = 1; seq <= messages; seq++) {
        const events = Array.from({ length: A_MESSAGE }, (_, n) => entry(seq * A_MESSAGE + n));
        const sent = performance.now();
        const answer = await component.events(token, {
          type: 'zones',
          at: AT,
          seq,
          events,
          state: NOTHING_SEEN,
        });
        expect(answer.status, answer.text).to.equal(200);
        slowest = Math.max(slowest, performance.now() - sent);
        if (seq % Math.floor(messages / QUARTERS) === 0) used.push(await usedMib(service));
        const due = began + (seq * A_MESSAGE * 1_000) / A_SECOND;
        if (seq % (A_SECOND / A_MESSAGE) === 0) {
          sizes.push(mibOf(service.pid));
          await component.heartbeat(token, seq);
        }
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
      }
      const rate = (SECONDS * A_SECOND * 1_000) / (performance.now() - began);
      process.stdout.write(`      ${Math.round(rate)} events/s, slowest message ${Math.round(slowest)} ms, ${sizes.filter((_, n) => n % 15 === 0).join(', ')} MiB resident, ${used.map((one) => one.toFixed(1)).join(', ')} MiB in use\n`); // oxfmt-ignore

      const counts = (await service.ask('GET', `/rest/streaming/jobs/${jobId}/counts`)).body as {
        hours: { zones: Record<string, { entered: number }> }[];
      };
      const entered = counts.hours.reduce((sum, { zones }) => sum + (zones['yard']?.entered ?? 0), 0);
      expect(entered).to.equal(SECONDS * A_SECOND);
      const { events } = (await service.ask('GET', `/rest/streaming/jobs/${jobId}/zone-events?limit=100`))
        .body as { events: { track: string }[] };
      const last = SECONDS * A_SECOND + A_MESSAGE - 1;
      expect(events.map(({ track }) => track)).to.deep.equal(events.map((_, n) => `t${last - n}`));
      const { zones } = (await service.ask('GET', `/rest/streaming/jobs/${jobId}?details=true`)).body as {
        zones: { pending: number; dropped: number };
      };
      expect(zones.pending).to.be.at.most(MOST_PENDING);
      const arrived = receiver.requests.length + broker.messages.filter(({ topic }) => topic.endsWith('/entered')).length; // oxfmt-ignore
      expect(zones.dropped + zones.pending + arrived).to.be.at.least(2 * SECONDS * A_SECOND);
      expect(used.at(-1)! - used[0]!, `MiB in use: ${used.join(', ')}`).to.be.below(MOST_GROWTH_MIB);
      await service.ask('POST', `/rest/streaming/jobs/${jobId}/cancel`);
      await component.end(token, { reason: 'cancelled', detail: '' });
    } finally {
      await broker.stop();
      await receiver.close();
      await service.close();
    }
  });
});

const entry = (n: number): WatchedEvent => ({
  ...{ type: 'entered', track: `t${n}`, class: 'PERSON', confidence: 0.9, frame: n, at: AT + n },
  ...{ box: { x: 1, y: 2, width: 3, height: 4 }, zone: 'yard', occupancy: 1 },
});

const mibOf = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024);

/** Used memory, not resident memory, which uncollected garbage increases by 150 MiB. */
async function usedMib(service: Service): Promise<number> {
  const { heapUsed, external } = await service.usedMemory();
  return (heapUsed + external) / MIB;
}
