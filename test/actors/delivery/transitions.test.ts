import { expect } from 'chai';
import * as fc from 'fast-check';
import type { DeliveryCommand, Settlement } from '../../../actors/delivery/commands.ts';
import type { DeliveryEffect } from '../../../actors/delivery/effects.ts';
import type { HttpNotice } from '../../../actors/delivery/notice.ts';
import { lastingTrouble, policyFor, type DeliveryPolicy } from '../../../actors/delivery/policy.ts';
import { NEW_DELIVERY, type DeliveryState } from '../../../actors/delivery/state.ts';
import { DELIVERY_MACHINE, type DeliveryTypes } from '../../../actors/delivery/transitions.ts';
import { decide, type Decision } from '../../../actors/runtime/machine.ts';
import type { Failure, Outcome } from '../../../egress/request.ts';
import type { OutboxEntry } from '../../../store/store.ts';
import { runs, seeded } from '../../support/seed.ts';

const HOUR = 3_600_000;
const POLICY: DeliveryPolicy = {
  concurrency: 8,
  firstDelayMs: 1_000,
  maxDelayMs: HOUR,
  quickAttempts: 6,
  giveUpMs: 24 * HOUR,
  breakerFailures: 5,
  breakerMaxDelayMs: 60_000,
  window: 64,
};
const URL_OF = 'http://user:pw@receiver/done?token=abc&x=1';

const SENT: Outcome = { kind: 'sent' };
const failureOf = (more: Partial<Failure> = {}): Failure => ({
  kind: 'failed',
  reason: 'the connection was refused',
  trouble: 'receiver',
  final: false,
  ...more,
});

function entry(id: string, due = 0, more: Partial<HttpNotice> = {}): OutboxEntry {
  const body: HttpNotice = {
    kind: 'callback',
    method: 'POST',
    url: URL_OF,
    body: { jobId: 'host-1' },
    addToken: false,
    createdAt: 0,
    attempts: 0,
    ...more,
  };
  return { id, destination: 'http://receiver', due, body, actor: { kind: 'batch-job', id: '1' } };
}

/** Drives the delivery step by step. The outbox is a list. */
class Led {
  state: DeliveryState = NEW_DELIVERY;
  at = 0;
  readonly outbox = new Map<string, OutboxEntry>();
  effects: readonly DeliveryEffect[] = [];
  timer: number | null = null;
  readonly policy: DeliveryPolicy;

  constructor(entries: readonly OutboxEntry[] = [], policy: Partial<DeliveryPolicy> = {}) {
    this.policy = { ...POLICY, ...policy };
    for (const one of entries) this.outbox.set(one.id, one);
  }

  /** Reads the outbox whenever the delivery decides to. */
  tell(event: DeliveryCommand): this {
    this.effects = [];
    for (let next: DeliveryCommand | undefined = event; next !== undefined;) {
      const { at, policy } = this;
      const decision: Decision<DeliveryTypes> = decide(DELIVERY_MACHINE, this.state, next, { at, policy });
      const { state, effects = [] } = decision;
      this.state = state ?? this.state;
      this.effects = [...this.effects, ...effects];
      const timer = effects.find((effect) => effect.type === 'timer');
      if (timer?.type === 'timer') this.timer = timer.at;
      next = effects.some(({ type }) => type === 'read') ? this.#page() : undefined;
    }
    return this;
  }

  wake = () => this.tell({ type: 'wake' });
  due = (at: number) => {
    this.at = at;
    return this.tell({ type: 'due' });
  };
  try = (id: string, outcome: Outcome, jitter = 0) => this.tell({ type: 'tried', id, outcome, jitter });
  /** The job commits the reported outcome. */
  settle(id: string, answer: Settlement = 'done'): this {
    const held = this.state.inHand.get(id);
    if (answer === 'done' && held !== undefined && held.stage !== 'sending') {
      const { report } = held;
      const next = report.type === 'noticeSent' ? null : report.next;
      if (next === null) this.outbox.delete(id);
      else this.outbox.set(id, { ...next, actor: held.entry.actor });
    }
    return this.tell({ type: 'settled', id, answer });
  }

  get sent(): readonly string[] {
    return this.effects.flatMap((effect) => (effect.type === 'send' ? [effect.entry.id] : []));
  }
  get reports() {
    return this.effects.flatMap((effect) => (effect.type === 'report' ? [effect.report] : []));
  }
  get sending(): readonly string[] {
    return [...this.state.inHand].flatMap(([id, { stage }]) => (stage === 'sending' ? [id] : []));
  }

  #page(): DeliveryCommand {
    const sorted = [...this.outbox.values()].toSorted((a, b) => a.due - b.due || (a.id < b.id ? -1 : 1));
    const entries = sorted.slice(0, this.policy.window);
    return { type: 'read', entries, all: entries.length < this.policy.window };
  }
}

const ids = (n: number, prefix = 'n') =>
  Array.from({ length: n }, (_, i) => `${prefix}${String(i).padStart(4, '0')}`);
/** All of them are sent and fail for the same reason. */
function failAll(led: Led, sent: readonly string[], outcome = failureOf()): Led {
  for (const id of sent) led.try(id, outcome).settle(id);
  return led;
}

describe('The delivery of notices to one destination (specification 6.1, 6.4)', () => {
  it('sends what is due, up to eight at a time, in the order in which it is due', () => {
    const led = new Led(ids(20).map((id, n) => entry(id, n))).due(100);
    expect(led.sent).to.deep.equal(ids(8));
    led.try('n0000', SENT);
    expect(led.sent, 'the next one goes while the job is told').to.deep.equal(['n0008']);
    const attempt = { at: 100, status: null, error: null };
    expect(led.reports).to.deep.equal([{ type: 'noticeSent', id: 'n0000', attempt }]);
  });

  it('waits for what is not due yet, and for nothing when there is nothing', () => {
    const led = new Led([entry('a', 5_000)]).wake();
    expect(led.sent).to.deep.equal([]);
    expect(led.timer).to.equal(5_000);
    expect(led.due(4_999).sent).to.deep.equal([]);
    expect(led.due(5_000).sent).to.deep.equal(['a']);
    led.try('a', SENT).settle('a');
    expect([led.timer, led.state.waiting, led.state.inHand.size]).to.deep.equal([null, [], 0]);
  });

  it('reads on when the notices that it knows come to an end', () => {
    const led = new Led(ids(200).map((id) => entry(id))).wake();
    const seen: string[] = [...led.sent];
    for (let id = led.sending[0]; id !== undefined; id = led.sending[0]) {
      seen.push(...led.try(id, SENT).sent);
      seen.push(...led.settle(id).sent);
    }
    expect(seen).to.deep.equal(ids(200));
    expect(led.outbox.size).to.equal(0);
  });

  describe('tries a notice that failed again', () => {
    const nextAfter = (attempts: number, outcome: Failure, jitter = 0) => {
      const led = new Led([entry('a', 0, { attempts })]).wake().try('a', outcome, jitter);
      const [report] = led.reports;
      if (report?.type !== 'noticeFailed') throw new Error('It did not fail.');
      return report.next;
    };

    for (const [attempts, seconds] of [
      [0, 1],
      [1, 2],
      [2, 4],
      [5, 32],
      [11, 2_048],
      [12, 3_600],
      [40, 3_600],
    ] as const)
      it(`after ${seconds} s when it has failed ${attempts} times before`, () => {
        const next = nextAfter(attempts, failureOf());
        expect(next).to.include({ id: 'a', destination: 'http://receiver', due: seconds * 1_000 });
        expect(next?.body).to.include({ attempts: attempts + 1, createdAt: 0 });
      });

    it('up to a fifth earlier, by chance', () => {
      expect(nextAfter(0, failureOf(), 1)?.due).to.equal(800);
      expect(nextAfter(3, failureOf(), 0.5)?.due).to.equal(7_200);
    });

    it('not before the receiver wishes it, up to an hour', () => {
      expect(nextAfter(0, failureOf({ retryAfterMs: 90_000 }))?.due).to.equal(90_000);
      expect(nextAfter(4, failureOf({ retryAfterMs: 10 }))?.due).to.equal(16_000);
      expect(nextAfter(0, failureOf({ retryAfterMs: 1e9 }))?.due).to.equal(HOUR);
    });

    it('when its time has come, as it was stored', () => {
      const led = new Led([entry('a')]).wake().try('a', failureOf()).settle('a');
      expect(led.timer).to.equal(1_000);
      expect(led.due(1_000).sent).to.deep.equal(['a']);
      led.try('a', failureOf()).settle('a');
      expect(led.timer).to.equal(3_000);
    });
  });

  it('says at the sixth and each later failure of a notice that the next attempt is not soon', () => {
    const slowAfter = (attempts: number, outcome: Failure = failureOf()) => {
      const [report] = new Led([entry('a', 0, { attempts })]).wake().try('a', outcome).reports;
      return report?.type === 'noticeFailed' ? report.slow : 'sent';
    };
    expect([0, 4, 5, 6, 20].map((attempts) => slowAfter(attempts))).to.deep.equal([
      undefined,
      undefined,
      true,
      true,
      true,
    ]);
    expect(slowAfter(9, failureOf({ final: true })), 'none follows').to.equal(undefined);
  });

  it('finds a receiver in lasting trouble after as many failed probes as quick attempts', () => {
    const led = new Led(ids(40).map((id) => entry(id))).wake();
    while (led.sending.length > 0) failAll(led, led.sending);
    for (let probes = 0; probes < 5; probes++) {
      expect(lastingTrouble(led.state.breaker, led.policy), `after ${probes} probes`).to.equal(undefined);
      failAll(led, led.due(led.state.breaker.open!.probeAt).sent);
    }
    expect(lastingTrouble(led.state.breaker, led.policy)).to.equal('the connection was refused');
    const [probe] = led.due(led.state.breaker.open!.probeAt).sent;
    led.try(probe!, SENT);
    expect(lastingTrouble(led.state.breaker, led.policy)).to.equal(undefined);
  });

  describe('gives a notice up', () => {
    it('when another attempt would come later than a day after its job has ended', () => {
      const led = new Led([entry('a', 0, { attempts: 20 })]).due(23 * HOUR + 1).try('a', failureOf());
      expect(led.reports).to.deep.equal([
        {
          type: 'noticeFailed',
          id: 'a',
          reason:
            'Sending HTTP POST callback to "http://***@receiver/done?token=***&x=1" failed due to: the connection was refused',
          next: null,
          attempt: { at: 23 * HOUR + 1, status: null, error: 'the connection was refused' },
        },
      ]);
      led.settle('a');
      expect([led.timer, led.outbox.size]).to.deep.equal([null, 0]);
    });

    it('when another attempt makes no sense', () => {
      const posted = entry('a', 0, { kind: 'archive', url: 'http://archive/api' });
      const led = new Led([posted]).wake().try('a', failureOf({ final: true, reason: 'no' }));
      expect(led.reports[0]).to.deep.include({
        next: null,
        reason: 'Sending HTTP POST to the archive (http://archive/api) failed due to: no',
      });
    });

    it('only after an attempt, should the server have been away for days', () => {
      const led = new Led([entry('a')]).due(100 * HOUR);
      expect(led.sent).to.deep.equal(['a']);
      expect(led.try('a', failureOf()).reports[0]).to.include({ next: null });
    });

    it('without an attempt when its receiver was in trouble all the time', () => {
      const others = ids(5).map((id) => entry(id, 0, { createdAt: 23 * HOUR }));
      const led = new Led([...others, entry('old', 24 * HOUR + 500, { createdAt: HOUR })], {
        concurrency: 5,
      });
      led.due(24 * HOUR);
      failAll(led, ids(5));
      expect(led.state.breaker.open).not.to.equal(null);
      expect(led.timer, 'the next probe').to.equal(24 * HOUR + 1_000);
      const [first] = led.due(24 * HOUR + 1_000).sent;
      expect(first).to.equal('old');
      // The probe hangs. Meanwhile another notice expires.
      led.outbox.set('old2', entry('old2', 24 * HOUR + 600, { createdAt: HOUR }));
      led.due(25 * HOUR).wake();
      expect(led.reports).to.deep.equal([
        {
          type: 'noticeFailed',
          id: 'old2',
          reason:
            'Sending HTTP POST callback to "http://***@receiver/done?token=***&x=1" failed due to: it could not be delivered within 86400 s; of the last attempt at its receiver: the connection was refused',
          next: null,
        },
      ]);
    });
  });

  describe('leaves a receiver in trouble alone:', () => {
    const inTrouble = (more: readonly OutboxEntry[] = ids(20, 'm').map((id) => entry(id, 1))) => {
      const led = new Led([...ids(5).map((id) => entry(id)), ...more], { concurrency: 5 }).wake();
      led.at = 1;
      for (const id of ids(5)) led.try(id, failureOf());
      for (const id of ids(5)) led.settle(id);
      return led;
    };
    /** Completes all requests that were sent before the breaker opened. */
    const settledTrouble = () => {
      const led = inTrouble();
      failAll(led, [...led.sending]);
      return led;
    };

    it('after five failures in a row there is one probe at a time, after 1, 2, 4 ... up to 60 s', () => {
      const led = settledTrouble();
      expect(led.sending).to.deep.equal([]);
      const waits: number[] = [];
      for (let n = 0; n < 8; n++) {
        const { probeAt } = led.state.breaker.open!;
        waits.push(probeAt - led.at);
        expect(led.due(probeAt - 1).sending, 'too early').to.deep.equal([]);
        led.due(probeAt);
        expect(led.sending, 'one probe').to.have.length(1);
        led.due(probeAt + 1).wake();
        expect(led.sending, 'one probe at a time').to.have.length(1);
        const [id] = led.sending;
        led.try(id!, failureOf()).settle(id!);
      }
      expect(waits).to.deep.equal([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    });

    it('a broker is probed each ten seconds at least, so that it soon has what waits', () => {
      const led = new Led(
        ids(10).map((id) => entry(id)),
        policyFor('mqtt://broker', POLICY),
      ).wake();
      const failSending = () => {
        while (led.sending.length > 0) failAll(led, led.sending);
      };
      failSending();
      const pauses: number[] = [];
      while (led.at < HOUR) {
        const before = led.at;
        led.due(led.timer!);
        pauses.push(led.at - before);
        failSending();
      }
      expect(Math.max(...pauses)).to.be.at.most(10_000);
      const waiting = [...led.outbox.values()].map(({ due }) => due - led.at);
      expect(Math.max(...waiting)).to.be.at.most(10_000);
      expect(policyFor('http://receiver', POLICY)).to.equal(POLICY);
    });

    it('attempts that were under way when it began change nothing', () => {
      const led = inTrouble();
      const before = led.state.breaker.open;
      failAll(led, [...led.sending]);
      expect(led.state.breaker.open).to.deep.equal(before);
    });

    for (const [what, outcome] of [
      ['that it takes', SENT],
      ['that it refuses', failureOf({ trouble: 'request', reason: 'the receiver answered with status 404' })],
    ] as const)
      it(`a probe ${what} ends it`, () => {
        const led = settledTrouble();
        led.due(led.state.breaker.open!.probeAt);
        led.try(led.sending[0]!, outcome);
        expect(led.state.breaker.open).to.equal(null);
        expect(led.sending).to.have.length(5);
      });

    it('a notice that failed before is not asked to show that it is well while another waits', () => {
      const led = new Led(ids(8).map((id) => entry(id))).wake();
      failAll(led, led.sent);
      led.at = 5_000;
      // The failed notices are due again and are older than the new one.
      led.outbox.set('new', entry('new', led.at, { createdAt: led.at }));
      failAll(led.wake(), led.sending);
      led.due(led.state.breaker.open!.probeAt);
      expect(led.sending).to.deep.equal(['new']);
      expect(led.try('new', SENT).state.breaker.open).to.equal(null);
    });

    it('four failures and a success are no trouble, and neither are refusals', () => {
      const led = new Led(ids(40).map((id) => entry(id)));
      led.wake();
      for (let n = 0; n < 30; n++) {
        const id = led.sending[0]!;
        const outcome = n % 5 === 4 ? SENT : failureOf(n > 15 ? { trouble: 'request' } : {});
        led.try(id, outcome).settle(id);
      }
      expect(led.state.breaker.open).to.equal(null);
    });

    it('a token that is not to be had is no trouble of the receiver', () => {
      const led = new Led(ids(40).map((id) => entry(id))).wake();
      failAll(led, ids(20), failureOf({ trouble: 'service' }));
      expect(led.state.breaker).to.include({ failures: 0, open: null });
    });
  });

  describe('when the job does not answer', () => {
    it('tells it again later, when the outbox says that it has not heard, and sends nothing twice', () => {
      const led = new Led([entry('a')]).wake().try('a', SENT).settle('a', 'unknown');
      expect(led.timer).to.equal(1_000);
      expect([led.sent, led.reports]).to.deep.equal([[], []]);
      led.wake();
      expect(led.sent, 'though it stands in the outbox').to.deep.equal([]);
      led.due(1_000);
      expect(led.effects.find(({ type }) => type === 'report')).to.deep.include({ look: true });
      led.settle('a', 'unknown');
      expect(led.timer).to.equal(3_000);
      led.due(3_000).settle('a');
      expect([led.outbox.size, led.state.inHand.size]).to.deep.equal([0, 0]);
    });

    it('takes what has left the outbox for settled, and looks what stands there now', () => {
      const led = new Led([entry('a')]).wake().try('a', failureOf()).settle('a', 'unknown').due(1_000);
      led.outbox.set('a', entry('a', 1_500, { attempts: 1 }));
      led.settle('a', 'gone');
      expect([led.state.inHand.size, led.timer]).to.deep.equal([0, 1_500]);
      expect(led.due(1_500).sent).to.deep.equal(['a']);
    });
  });

  it('sends nothing that was taken out in the meantime', () => {
    const led = new Led([entry('a'), entry('b')]).wake();
    led.outbox.delete('a');
    led.settle('a', 'gone');
    expect(led.sending).to.deep.equal(['b']);
  });

  it('forgets a notice that its job does not know, until it is put there anew', () => {
    const led = new Led([entry('a')]).wake().try('a', SENT).settle('a', 'refused').wake();
    expect([led.sent, led.timer]).to.deep.equal([[], null]);
    led.outbox.set('a', entry('a', 10));
    led.at = 10;
    expect(led.wake().sent).to.deep.equal(['a']);
  });

  it('is not brought to a stand-still by a page of notices that nobody knows', () => {
    const led = new Led(ids(64).map((id) => entry(id))).wake();
    for (let id = led.sending[0]; id !== undefined; id = led.sending[0])
      led.try(id, SENT).settle(id, 'refused');
    expect(led.timer).to.equal(60_000);
  });

  it('says when its receiver turns, once each time', () => {
    const turns = ({ effects }: Led) =>
      effects.flatMap((effect) => (effect.type === 'turned' ? [effect.to] : []));
    const led = new Led(ids(8).map((id) => entry(id))).wake();
    const seen = led.sent.map((id) => turns(led.try(id, failureOf()).settle(id).try('no such', failureOf())));
    expect(seen.flat(), 'of a notice that is not in hand nothing is learnt').to.deep.equal([]);
    const other = new Led(ids(8).map((id) => entry(id))).wake();
    expect(other.sent.flatMap((id) => turns(other.try(id, failureOf())))).to.deep.equal(['IN_TROUBLE']);
  });

  it('looks again later when the outbox cannot be read', () => {
    const tellDelivery = (
      state: DeliveryState | undefined,
      type: 'wake' | 'unreadable' | 'due',
      at: number,
    ) => decide(DELIVERY_MACHINE, state, { type }, { at, policy: POLICY });
    const { state } = tellDelivery(NEW_DELIVERY, 'wake', 0);
    const after = tellDelivery(state, 'unreadable', 0);
    expect(after.effects).to.deep.equal([{ type: 'timer', at: 1_000 }]);
    const later = tellDelivery(after.state, 'due', 1_000);
    expect(later.effects).to.deep.equal([{ type: 'read' }]);
  });

  it(`makes one attempt at a time, none before it is due, one probe, and every notice ends ${seeded}`, () => {
    const step = fc.record({
      what: fc.constantFrom('time', 'wake', 'tried', 'settled', 'put', 'withdraw'),
      which: fc.nat(1_000),
      ms: fc.nat(5_000),
      well: fc.boolean(),
      trouble: fc.constantFrom<Failure['trouble']>('receiver', 'request', 'service'),
      final: fc.boolean(),
      answer: fc.constantFrom<Settlement>('done', 'done', 'done', 'unknown', 'gone'),
      jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    const policy = {
      concurrency: 3,
      giveUpMs: 120_000,
      maxDelayMs: 20_000,
      breakerMaxDelayMs: 5_000,
      window: 16,
    };
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), fc.nat(40), (steps, first) => {
        const led = new Led(
          ids(first).map((id, n) => entry(id, n * 7)),
          policy,
        );
        const ended = new Map<string, number>();
        let made = first;
        const watchDelivery = (act: () => void) => {
          const [sendingBefore, open] = [new Set(led.sending), led.state.breaker.open];
          act();
          for (const id of led.sent) {
            expect(sendingBefore.has(id), `${id} is sent while it is being sent`).to.equal(false);
            expect(led.outbox.get(id)?.due ?? 0, `${id} is sent before it is due`).to.be.at.most(led.at);
          }
          expect(new Set(led.sent).size).to.equal(led.sent.length);
          expect(led.sending.length).to.be.at.most(3);
          if (open !== null && led.state.breaker.open !== null && led.sent.length > 0)
            expect([led.sent.length, led.sending.length], 'a probe among others').to.deep.equal([1, 1]);
          for (const report of led.reports)
            if (report.type === 'noticeSent' || report.next === null)
              ended.set(report.id, (ended.get(report.id) ?? 0) + 1);
        };
        const oneOf = (list: readonly string[], which: number) => list[which % Math.max(1, list.length)];
        for (const { what, which, ms, well, trouble, final, answer, jitter } of steps) {
          const reporting = [...led.state.inHand].flatMap(([id, { stage }]) =>
            stage === 'reporting' ? [id] : [],
          );
          const id =
            what === 'tried' ? oneOf(led.sending, which) : what === 'settled' ? oneOf(reporting, which) : '';
          if (what === 'time') watchDelivery(() => led.due(led.at + ms));
          else if (what === 'wake') watchDelivery(() => led.wake());
          else if (what === 'put') {
            const name = `p${String(made++)}`;
            led.outbox.set(name, entry(name, led.at + ms, { createdAt: led.at }));
            watchDelivery(() => led.wake());
          } else if (what === 'withdraw') {
            const gone = oneOf(led.sending, which);
            if (gone === undefined) continue;
            led.outbox.delete(gone);
            watchDelivery(() => led.settle(gone, 'gone'));
          } else if (id === undefined) continue;
          else if (what === 'tried')
            watchDelivery(() => led.try(id, well ? SENT : failureOf({ trouble, final }), jitter));
          // Notices that left the outbox were committed before.
          else
            watchDelivery(() =>
              answer === 'gone' ? led.settle(id).settle(id, answer) : led.settle(id, answer),
            );
        }
        // From here on, every request gets an answer and fails, and time passes.
        for (let guard = 0; led.outbox.size > 0; guard++) {
          expect(guard, 'it does not come to an end').to.be.lessThan(20_000);
          const [sending] = led.sending;
          const told = [...led.state.inHand].find(([, { stage }]) => stage === 'reporting')?.[0];
          if (sending !== undefined) watchDelivery(() => led.try(sending, failureOf()));
          else if (told !== undefined) watchDelivery(() => led.settle(told));
          else if (led.timer !== null) watchDelivery(() => led.due(Math.max(led.timer!, led.at)));
          else watchDelivery(() => led.wake());
        }
        expect(led.state.inHand.size, 'in hand at the end').to.equal(0);
      }),
      runs(300),
    );
  });
});
