/** Pending messages of a stream while its broker is down for an hour. */
import { expect } from 'chai';
import type { HttpNotice } from '../../../../actors/delivery/notice.ts';
import { decide } from '../../../../actors/runtime/machine.ts';
import type { StreamingJobCommand } from '../../../../actors/streaming-job/commands.ts';
import type { StreamingJobRecord, StreamingJobState } from '../../../../actors/streaming-job/state.ts';
import { STREAMING_JOB_MACHINE } from '../../../../actors/streaming-job/transitions.ts';
import { NOTHING_SEEN } from '../../../../domain/zones/watch-state.ts';
import type { WatchedEvent } from '../../../../protocol/streams.ts';
import type { MqttMessage } from '../../../../protocol/mqtt-message.ts';
import type { Notice } from '../../../../store/store.ts';
import { STREAM } from '../stream.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const PROBE_MS = 10 * SECOND;
/** Time between two visitors. */
const STEP_MS = 5 * SECOND;
/** Limit of pending event messages. The latest message of each topic is kept in addition. */
const MOST_EVENTS = 200;
const BOX = { x: 1, y: 2, width: 3, height: 4 };
const RECORD: StreamingJobRecord = {
  ...STREAM,
  zones: {
    plan: {
      zones: [{ name: 'yard', points: [[0, 0], [1, 0], [1, 1]] }], // oxfmt-ignore
      lines: [],
      rules: [{ name: 'in', zone: 'yard' }],
    },
    receivers: { kinds: ['RULE', 'ZONE'], mqtt: { url: 'mqtt://broker.example', topic: 'site' } },
  },
};

describe('A broker that is down for an hour', () => {
  it('costs the oldest events, and gets the newest state of each zone', () => {
    const outbox = new Map<string, Notice>();
    let state: StreamingJobState | undefined;
    const tell = (command: StreamingJobCommand, at: number) => {
      const context = { at, record: RECORD, rules: { attempts: 5, firstPauseMs: 1, longestPauseMs: 1 } };
      const change = decide(STREAMING_JOB_MACHINE, state, command, context);
      state = change.state ?? state;
      for (const id of change.outbox?.remove ?? []) outbox.delete(id);
      for (const notice of change.outbox?.put ?? []) outbox.set(notice.id, notice);
    };
    tell({ type: 'create', record: RECORD }, 0);
    let [most, seq, created] = [0, 0, 0];
    for (let at = STEP_MS; at <= HOUR; at += STEP_MS) {
      const events = eventsAt(at);
      created += events.length;
      tell({ type: 'zones', seq: ++seq, events, watch: NOTHING_SEEN, attempt: state!.attempt }, at);
      if (at % PROBE_MS === 0) failOldest(outbox, at, tell);
      most = Math.max(most, outbox.size);
    }
    const newest = ['newest.status', 'newest.zone/yard'];
    expect(most).to.equal(MOST_EVENTS + newest.length);
    expect(state!.zones).to.deep.include({ dropped: created - MOST_EVENTS, trouble: 'away' });
    expect(Object.keys(state!.zones!.pending).toSorted()).to.deep.equal([...outbox.keys()].toSorted());
    const textOf = (id: string) => ((outbox.get(id)!.body as HttpNotice).body as MqttMessage).payload;
    expect(textOf('stream-7.newest.zone/yard')).to.equal(
      JSON.stringify({ occupancy: HOUR / STEP_MS, at: HOUR }),
    );
    const kept = [...outbox.keys()].filter((id) => id.endsWith('.mqtt')).map((id) => JSON.parse(textOf(id)!) as { at: number }); // oxfmt-ignore
    expect(Math.min(...kept.map(({ at }) => at))).to.equal(HOUR - (MOST_EVENTS / 2 - 1) * STEP_MS);

    const arrived = [...outbox.values()];
    for (const { id, body } of arrived)
      tell({ type: 'notice', report: { type: 'noticeSent', id }, version: (body as HttpNotice).createdAt }, HOUR); // oxfmt-ignore
    expect([outbox.size, state!.zones!.pending, state!.zones!.trouble]).to.deep.equal([0, {}, null]);
  });
});

/** Someone enters each time, and nobody leaves. */
function eventsAt(at: number): readonly WatchedEvent[] {
  const track = `t${at}`;
  const seen = { at, frame: at, track, class: 'PERSON', confidence: 0.9, box: BOX };
  return [
    { type: 'entered', zone: 'yard', occupancy: at / STEP_MS, ...seen },
    { type: 'rule', rule: 'in', event: 'ENTER', zone: 'yard', since: at, ...seen },
  ];
}

/** The delivery reports a failed attempt. */
function failOldest(
  outbox: ReadonlyMap<string, Notice>,
  at: number,
  tell: (command: StreamingJobCommand, at: number) => void,
): void {
  const [oldest] = [...outbox.values()].toSorted((a, b) => a.due - b.due);
  const body = oldest!.body as HttpNotice;
  const next = { ...oldest!, due: at + PROBE_MS, body: { ...body, attempts: body.attempts + 1 } };
  const report = { type: 'noticeFailed', id: oldest!.id, reason: 'away', next } as const;
  tell({ type: 'notice', report, version: body.createdAt }, at);
}
