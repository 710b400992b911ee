import { expect } from 'chai';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { TransientError } from '../../../actors/basics/errors.ts';
import { Roster, type ActorLook, type CellLook, type Place } from '../../../actors/runtime/roster.ts';
import { ActorSystem, type ActorKind } from '../../../actors/runtime/system.ts';
import { fail, gate, happens, INTENSITY, Stage, type Do, type ProbeOptions } from './probe.ts';
import { PlainTree } from './plain-tree.ts';
import { TREES } from './probe.ts';

describe('In the list of actors', () => {
  let stage: Stage;
  const makeStage = (options: ProbeOptions = {}) => (stage = new Stage(new PlainTree(), options));
  const all = () => stage.system.roster.page({ limit: 1_000 }).actors;
  const the = (id: string): ActorLook | undefined => all().find((one) => one.id === id);
  afterEach(async () => {
    if (stage.system.size > 0) await stage.passTime(stage.system.stop(1_000), 100);
  });

  it('one that has done its work is IDLE, with its last message and since when it is loaded', async () => {
    makeStage({ mailbox: 7 });
    expect(all()).to.deep.equal([]);
    await stage.ask('a', () => 'x');
    const began = stage.clock.now();
    await stage.clock.advance(500);
    const { kind, ...look } = the('a')!;
    expect(look).to.deep.equal({
      name: 'probe/a',
      id: 'a',
      state: 'IDLE',
      status: undefined,
      waiting: 0,
      recentFailures: 0,
      totalFailures: 0,
      lastFailure: undefined,
      lastMessage: { type: 'do', at: began },
      runningMs: undefined,
      loadedAt: began,
    });
    expect([kind.name, kind.mailbox, kind.intensity.restarts]).to.deep.equal(['probe', 7, 3]);
  });

  it('one that works is WORKING: for how long, and with how many messages behind that one', async () => {
    makeStage();
    const { opened, open } = gate();
    const asked = [1, 2, 3].map(() => stage.ask('a', () => opened));
    await happens('the actor is loaded', () => stage.loadsOf('a') === 1);
    const began = stage.clock.now();
    await stage.clock.advance(1_234);
    expect(the('a')).to.include({ state: 'WORKING', waiting: 2, runningMs: 1_234 });
    expect(the('a')?.lastMessage).to.deep.equal({ type: 'do', at: began });
    open();
    await Promise.all(asked);
    expect(the('a')).to.include({ state: 'IDLE', waiting: 0, runningMs: undefined });
  });

  it('one that fails is BACKING_OFF with the reason, and counts while it can escalate', async () => {
    makeStage();
    await stage.outcome('a', fail('no such table'));
    const failed = stage.clock.now();
    const lastFailure = { message: 'no such table', at: failed, counted: true };
    expect(the('a')).to.include({
      state: 'BACKING_OFF',
      recentFailures: 1,
      totalFailures: 1,
      loadedAt: undefined,
    });
    expect(the('a')?.lastFailure).to.deep.equal(lastFailure);
    await stage.clock.advance(50);
    expect(the('a')?.state).to.equal('IDLE');
    await stage.clock.advance(INTENSITY.withinMs);
    expect(the('a')).to.include({ recentFailures: 0, totalFailures: 1 });
    expect(the('a')?.lastFailure).to.deep.equal(lastFailure);
  });

  it('one that waits for its delay with a message in hand is BACKING_OFF', async () => {
    makeStage();
    await stage.outcome('a', fail());
    const next = stage.ask('a', () => 'back');
    await stage.clock.advance(20);
    expect(the('a')).to.include({ state: 'BACKING_OFF', waiting: 0, runningMs: 20 });
    await stage.passTime(next);
    expect(the('a')?.state).to.equal('IDLE');
  });

  it('a failure with its cause outside of the actor is told and not counted', async () => {
    makeStage();
    await stage.outcome('a', () => Promise.reject(new TransientError('the disk is full')));
    expect(the('a')).to.include({ recentFailures: 0, totalFailures: 0 });
    expect(the('a')?.lastFailure).to.include({ message: 'the disk is full', counted: false });
  });

  it('those that have failed are found among all, page by page', async () => {
    makeStage();
    for (let n = 0; n < 30; n++) await stage.outcome(`${n}`, n % 10 === 5 ? fail() : () => n);
    await stage.passTime(stage.outcome('5', fail()));
    const first = stage.system.roster.page({ limit: 2, failed: true, kind: 'probe' });
    const second = stage.system.roster.page({ limit: 2, failed: true, after: first.next });
    expect([first, second].map(({ actors }) => actors.map(({ id }) => id))).to.deep.equal([
      ['5', '15'],
      ['25'],
    ]);
    expect(second.next).to.equal(undefined);
  });

  it('a long reason is cut', async () => {
    makeStage();
    await stage.outcome('a', fail('x'.repeat(5_000)));
    expect(the('a')?.lastFailure?.message).to.have.lengthOf(1_000);
  });

  it('one that failed too often is ESCALATED until its next message, and its failures stay known', async () => {
    makeStage({ intensity: { restarts: 1 } });
    for (let time = 0; time < 2; time++) await stage.passTime(stage.outcome('a', fail('poison')));
    expect(stage.escalated).to.deep.equal(['probe/a']);
    expect(the('a')).to.include({
      state: 'ESCALATED',
      recentFailures: 2,
      totalFailures: 2,
      waiting: 0,
      loadedAt: undefined,
    });
    expect(the('a')?.lastFailure?.message).to.equal('poison');
    await stage.ask('a', () => 'afresh');
    expect(
      all().map(({ state, recentFailures, totalFailures }) => [state, recentFailures, totalFailures]),
    ).to.deep.equal([['IDLE', 0, 2]]);
  });

  it('those that escalated are at most 100, the latest', async () => {
    makeStage({ intensity: { restarts: 0 } });
    for (let n = 0; n < 120; n++) await stage.outcome(`${n}`, fail());
    expect(all().map(({ id }) => Number(id))).to.deep.equal(Array.from({ length: 100 }, (_, n) => n + 20));
  });

  it('one that was unloaded is no more, and its failures are known again when it comes back', async () => {
    makeStage({ idleMs: 1_000 });
    await stage.outcome('a', fail('once'));
    await stage.clock.advance(10_000);
    expect(all()).to.deep.equal([]);
    await stage.passTime(stage.ask('a', () => 'x'));
    expect(the('a')).to.include({ recentFailures: 0, totalFailures: 1 });
  });

  it('pages follow one another in the order of loading, whoever comes and goes meanwhile', async () => {
    makeStage({ idleMs: 1_000 });
    for (let n = 0; n < 25; n++) await stage.ask(`${n}`, () => n);
    const first = stage.system.roster.page({ limit: 10 });
    expect(first.actors.map(({ id }) => Number(id))).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    // All actors but the last three are unloaded.
    await stage.clock.advance(4_500);
    for (const n of [22, 23, 24]) await stage.ask(`${n}`, () => n);
    await stage.clock.advance(600);
    await stage.ask('new', () => 'x');
    const second = stage.system.roster.page({ limit: 10, after: first.next });
    expect(second.actors.map(({ id }) => id)).to.deep.equal(['22', '23', '24', 'new']);
    expect(second.next).to.equal(undefined);
  });

  it('the status of one is what it says of itself', async () => {
    makeStage();
    const system = new ActorSystem(new PlainTree(), stage.clock);
    const kind: ActorKind<Do, unknown> = {
      name: 'talker',
      accepts: new Set(['do'] as const),
      mailbox: 1,
      intensity: INTENSITY,
      load: (id) => Promise.resolve({ handle: () => Promise.resolve(), status: `${id} is well` }),
    };
    await system.register(kind).ask('he', { type: 'do', work: () => 1 });
    expect(system.roster.page({ limit: 1 }).actors[0]?.status).to.equal('he is well');
  });
});

describe('The list of actors', () => {
  const kind = (name: string, more: object = {}) => ({ name, mailbox: 10, intensity: INTENSITY, ...more });
  const IDLE: CellLook = {
    state: 'IDLE',
    status: undefined,
    waiting: 0,
    recentFailures: 0,
    lastMessage: undefined,
    runningMs: undefined,
    loadedAt: 0,
  };

  it('begins with those that are always there, each before its own; passing ones are last', () => {
    const roster = new Roster(new VirtualClock());
    const boss = { parent: { kind: 'boss', id: 'x' } };
    for (const one of [
      kind('aunt', { idleMs: 1 }),
      kind('worker', boss),
      kind('clerk', boss),
      kind('boss'),
      kind('zebra'),
      kind('intern', { parent: { kind: 'clerk', id: 'y' } }),
    ]) {
      roster.register(one);
      roster.addActor(one.name, '1', () => IDLE);
    }
    const order = ['boss', 'clerk', 'intern', 'worker', 'zebra', 'aunt'];
    expect(roster.kinds().map((one) => one.kind.name)).to.deep.equal(order);
    expect(pagesOf(roster, 4).map((page) => page.map(({ name }) => name))).to.deep.equal([
      order.slice(0, 4).map((name) => `${name}/1`),
      order.slice(4).map((name) => `${name}/1`),
    ]);
  });

  it('looks at no more actors than the page shows, however many there are', () => {
    const roster = new Roster(new VirtualClock());
    roster.register(kind('job'));
    let looks = 0;
    for (let n = 0; n < 50_000; n++)
      roster.addActor('job', `${n}`, () => {
        looks++;
        return IDLE;
      });
    const { actors, next } = roster.page({ limit: 10, after: { kind: 'job', order: 40_000 } });
    expect([actors[0]?.id, actors.length, looks]).to.deep.equal(['40000', 10, 10]);
    expect(next).to.deep.equal({ kind: 'job', order: 40_010 });
  });

  it('shows each actor once, also when a page ends with a kind', () => {
    const roster = new Roster(new VirtualClock());
    const names: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      roster.register(kind(name));
      for (const id of name === 'b' ? [] : ['1', '2', '3']) {
        roster.addActor(name, id, () => IDLE);
        names.push(`${name}/${id}`);
      }
    }
    for (const limit of [1, 2, 3, 4, 6, 7])
      expect(pagesOf(roster, limit).flatMap((page) => page.map(({ name }) => name))).to.deep.equal(names);
  });
});

describe('A tree of actors', () => {
  for (const [treeName, makeTree] of Object.entries(TREES))
    it(`delivers to an actor when another one has left it (${treeName})`, async () => {
      const tree = makeTree();
      const node = await tree.add('node-manager/host', () => Promise.resolve('manager'));
      const service = await tree.add('service/host:A:1', () => Promise.resolve('service'));
      await node.remove();
      expect(await service.deliver('x')).to.equal('service');
      await tree.destroy();
    });
});

function pagesOf(roster: Roster, limit: number): readonly (readonly ActorLook[])[] {
  const pages: (readonly ActorLook[])[] = [];
  let next: Place | undefined;
  do {
    const page = roster.page({ limit, after: next });
    pages.push(page.actors);
    ({ next } = page);
  } while (next !== undefined);
  return pages;
}
