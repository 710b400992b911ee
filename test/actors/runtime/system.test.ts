import { expect } from 'chai';
import { ComedyTree } from '../../../actors/runtime/comedy-tree.ts';
import { DeliveryError, TransientError } from '../../../actors/basics/errors.ts';
import type { ActorTree } from '../../../actors/runtime/tree.ts';
import { within } from '../../support/until.ts';
import { fail, gate, happens, Stage, TREES, turns, type ProbeOptions } from './probe.ts';

for (const [treeName, makeTree] of Object.entries(TREES))
  describe(`Actors on a ${treeName}`, () => {
    let stage: Stage;
    const makeStage = (options: ProbeOptions = {}) => (stage = new Stage(makeTree(), options));
    afterEach(async () => {
      const stopping = stage.system.stop(1_000);
      await stage.passTime(stopping, 100);
    });

    describe('their mailbox', () => {
      it('handles one message at a time, in order, though handlers take their time', async () => {
        makeStage();
        const log: string[] = [];
        const messages = Array.from({ length: 20 }, (_, n) => n);
        await Promise.all(
          messages.map((n) =>
            stage.ask('a', async () => {
              log.push(`${n} begins`);
              await turns((n * 7) % 5);
              log.push(`${n} ends`);
            }),
          ),
        );
        expect(log).to.deep.equal(messages.flatMap((n) => [`${n} begins`, `${n} ends`]));
      });

      it('never lets two messages of one actor work on the same state', async () => {
        makeStage();
        let count = 0;
        const add = async () => {
          const before = count;
          await turns(1);
          count = before + 1;
        };
        await Promise.all(Array.from({ length: 80 }, () => stage.ask('a', add)));
        expect(count).to.equal(80);
      });

      it('holds up nobody but its own actor', async () => {
        makeStage();
        const { opened, open } = gate();
        const waiting = stage.ask('a', () => opened);
        expect(await stage.ask('b', () => 'b is there')).to.equal('b is there');
        open();
        await waiting;
      });

      it('refuses what exceeds its size with MAILBOX_FULL and a dead letter, and accepts again later', async () => {
        makeStage({ mailbox: 3 });
        const { opened, open } = gate();
        const taken = [1, 2, 3].map((n) => stage.ask('a', async () => opened.then(() => n)));
        const refused = await Promise.all([4, 5].map(() => stage.outcome('a', () => 'never')));
        expect(refused).to.deep.equal(['MAILBOX_FULL', 'MAILBOX_FULL']);
        expect(stage.deadLetters.map(({ actor, command, reason }) => [actor, command, reason])).to.deep.equal(
          [
            ['probe/a', 'do', 'MAILBOX_FULL'],
            ['probe/a', 'do', 'MAILBOX_FULL'],
          ],
        );
        expect(await stage.outcome('b', () => 'roomy')).to.equal('roomy');
        open();
        expect(await Promise.all(taken)).to.deep.equal([1, 2, 3]);
        expect(await stage.outcome('a', () => 'room again')).to.equal('room again');
      });
    });

    describe('a command', () => {
      it('that the actor does not know is refused before the actor is loaded', async () => {
        makeStage();
        const error = await stage.probes.ask('a', { type: 'destroy' } as never).catch((e: unknown) => e);
        expect(error).to.be.instanceOf(DeliveryError);
        expect(error).to.include({ reason: 'UNKNOWN_COMMAND', actor: 'probe/a' });
        expect(stage.loadsOf('a')).to.equal(0);
        expect(stage.deadLetters.map(({ reason }) => reason)).to.deep.equal(['UNKNOWN_COMMAND']);
      });

      it('that takes longer than the asker waits is TIMEOUT, and is carried out all the same', async () => {
        makeStage();
        const { opened, open } = gate();
        let done = false;
        let outcome: unknown = 'none yet';
        const asked = stage.outcome('a', async () => opened.then(() => (done = true)), { deadlineMs: 100 });
        void asked.then((seen) => (outcome = seen));
        await stage.clock.advance(99);
        expect(outcome).to.equal('none yet');
        await stage.clock.advance(1);
        expect(await asked).to.equal('TIMEOUT');
        expect(stage.deadLetters.map(({ reason }) => reason)).to.deep.equal(['TIMEOUT']);
        open();
        await happens('the command is carried out', () => done);
      });

      it('that is told and cannot be delivered becomes a dead letter and hurts nobody', async () => {
        makeStage();
        stage.probes.tell('a', { type: 'destroy' } as never);
        await happens('a dead letter is there', () => stage.system.deadLetters.length === 1);
      });

      it('of which thousands cannot be delivered leaves only the last thousand dead letters', async () => {
        makeStage();
        await Promise.all(
          Array.from({ length: 1_050 }, (_, n) =>
            stage.probes.ask(`${n}`, { type: 'x' } as never).catch(() => n),
          ),
        );
        expect(stage.system.deadLetters).to.have.lengthOf(1_000);
        expect(stage.system.deadLetters.at(-1)?.actor).to.equal('probe/1049');
      });
    });

    describe('one that fails', () => {
      it('tells its asker why, is stopped, and is loaded afresh after a back-off that doubles', async () => {
        makeStage();
        const error = await stage.ask('a', fail('no disk')).catch((e: unknown) => e as DeliveryError);
        expect(error).to.include({ reason: 'FAILED', actor: 'probe/a' });
        expect((error as DeliveryError).message).to.contain('no disk');
        expect(stage.stopped).to.deep.equal(['a']);
        expect(stage.restarted).to.deep.equal([{ actor: 'probe/a', delayMs: 50 }]);

        const next = stage.ask('a', () => 'back');
        await stage.clock.advance(49);
        expect(stage.loadsOf('a'), 'loads before the back-off is over').to.equal(1);
        await stage.clock.advance(1);
        expect(await next).to.equal('back');
        expect(stage.loadsOf('a')).to.equal(2);

        expect(await stage.outcome('a', fail())).to.equal('FAILED');
        expect(await stage.passTime(stage.outcome('a', fail()))).to.equal('FAILED');
        expect(stage.restarted.map(({ delayMs }) => delayMs)).to.deep.equal([50, 100, 150]);
      });

      it('is not noticed by any other', async () => {
        makeStage();
        await stage.ask('b', () => 'here');
        await stage.outcome('a', fail());
        expect(await stage.ask('b', () => 'still here')).to.equal('still here');
        expect(stage.loadsOf('b')).to.equal(1);
      });

      it('keeps the messages behind the one that failed', async () => {
        makeStage();
        const outcomes = Promise.all([
          stage.outcome('a', fail()),
          stage.outcome('a', () => 1),
          stage.outcome('a', () => 2),
        ]);
        expect(await stage.passTime(outcomes)).to.deep.equal(['FAILED', 1, 2]);
      });

      it('while it is loaded is treated the same', async () => {
        makeStage({
          load: (_, loads) => (loads === 1 ? Promise.reject(new Error('unreadable')) : Promise.resolve()),
        });
        expect(await stage.outcome('a', () => 'never')).to.equal('FAILED');
        expect(await stage.passTime(stage.outcome('a', () => 'loaded'))).to.equal('loaded');
        expect(stage.restarted).to.have.lengthOf(1);
      });

      it('repeatedly is escalated once, the rest of its mailbox is refused, and it loads afresh', async () => {
        const errors: string[] = [];
        makeStage({
          intensity: { restarts: 2 },
          onEscalation: async (id, error) => void errors.push(`${id}: ${(error as Error).message}`),
        });
        const works = [fail('1'), fail('2'), fail('3'), () => 'x', () => 'y'];
        const outcomes = await stage.passTime(Promise.all(works.map((work) => stage.outcome('a', work))));
        expect(outcomes).to.deep.equal(['FAILED', 'FAILED', 'FAILED', 'STOPPED', 'STOPPED']);
        expect(errors).to.deep.equal(['a: 3']);
        expect(stage.escalated).to.deep.equal(['probe/a']);
        expect(stage.deadLetters.map(({ reason }) => reason)).to.deep.equal(['STOPPED', 'STOPPED']);
        expect(stage.loadsOf('a')).to.equal(3);
        expect(await stage.outcome('a', () => 'afresh')).to.equal('afresh');
        expect(stage.loadsOf('a')).to.equal(4);
      });

      it('too often answers the asker without waiting for the tree to let go of it', async () => {
        const tree = makeTree();
        const add: ActorTree['add'] = async (...place) => ({
          ...(await tree.add(...place)),
          remove: () => new Promise(() => {}),
        });
        stage = new Stage({ add, destroy: () => tree.destroy() }, { intensity: { restarts: 0 } });
        expect(await within(10_000, 'the asker is answered', stage.outcome('a', fail()))).to.equal('FAILED');
      });

      it('seldom enough is never escalated', async () => {
        makeStage({ intensity: { restarts: 1, withinMs: 1_000 } });
        for (let time = 0; time < 5; time++) {
          expect(await stage.passTime(stage.outcome('a', fail()))).to.equal('FAILED');
          await stage.clock.advance(1_000);
        }
        expect(stage.escalated).to.deep.equal([]);
        expect(
          stage.restarted.map(({ delayMs }) => delayMs),
          'the back-off starts over',
        ).to.deep.equal([50, 50, 50, 50, 50]);
      });

      it('because of something outside it is loaded afresh after the same back-off, and not blamed', async () => {
        makeStage({ intensity: { restarts: 1 } });
        const full = () => Promise.reject(new TransientError('the disk is full'));
        for (let time = 0; time < 5; time++)
          expect(await stage.passTime(stage.outcome('a', full))).to.equal('FAILED');
        expect(stage.escalated).to.deep.equal([]);
        expect(stage.restarted.map(({ delayMs }) => delayMs)).to.deep.equal([50, 100, 150, 150, 150]);
        expect(await stage.passTime(stage.outcome('a', () => 'ready'))).to.equal('ready');
        expect(stage.loadsOf('a')).to.equal(6);
        expect(await stage.outcome('a', full)).to.equal('FAILED');
        expect(stage.restarted.at(-1)?.delayMs, 'after a message that went well').to.equal(50);
      });

      it('is loaded afresh after its back-off also when the wall clock is set back meanwhile', async () => {
        makeStage();
        expect(await stage.outcome('a', fail())).to.equal('FAILED');
        stage.clock.correct(-3_600_000);
        const next = stage.ask('a', () => 'back', { deadlineMs: 1e9 });
        await stage.clock.advance(50);
        expect(await next).to.equal('back');
      });

      it('because another actor did not answer it is not blamed for that', async () => {
        makeStage({ intensity: { restarts: 1 }, mailbox: 1 });
        const { opened, open } = gate();
        const busy = stage.ask('busy', () => opened, { deadlineMs: 1e9 });
        for (let time = 0; time < 5; time++)
          expect(await stage.passTime(stage.outcome('a', () => stage.ask('busy', () => 'never')))).to.equal(
            'FAILED',
          );
        expect(stage.escalated).to.deep.equal([]);
        open();
        await busy;
      });

      it('and cannot be ended properly either still answers its asker, and is loaded afresh', async () => {
        makeStage({
          intensity: { restarts: 0 },
          onEscalation: () => Promise.reject(new Error('the store is gone')),
        });
        expect(await stage.outcome('a', fail())).to.equal('FAILED');
        expect(await stage.outcome('a', () => 'afresh')).to.equal('afresh');
      });

      it('when it is stopped, too, is counted and loaded afresh', async () => {
        makeStage({ stop: () => Promise.reject(new Error('stuck')) });
        expect(await stage.outcome('a', fail())).to.equal('FAILED');
        expect(stage.restarted).to.have.lengthOf(1);
        expect(await stage.passTime(stage.outcome('a', () => 'afresh'))).to.equal('afresh');
      });
    });

    describe('an idle one', () => {
      it('is unloaded after its time and comes back with the next message', async () => {
        makeStage({ idleMs: 10_000 });
        await stage.ask('a', () => 'here');
        await stage.clock.advance(9_999);
        expect(stage.system.size).to.equal(1);
        await stage.clock.advance(10_000);
        expect(stage.system.size).to.equal(0);
        await happens('it is stopped', () => stage.stopped.includes('a'));
        expect(await stage.ask('a', () => 'back')).to.equal('back');
        expect(stage.loadsOf('a')).to.equal(2);
      });

      it('is unloaded after its time also when the wall clock is set back meanwhile', async () => {
        makeStage({ idleMs: 10_000 });
        await stage.ask('a', () => 'here');
        stage.clock.correct(-3_600_000);
        await stage.clock.advance(20_000);
        expect(stage.system.size).to.equal(0);
      });

      it('is one that handles nothing, not one that takes long', async () => {
        makeStage({ idleMs: 10_000 });
        const { opened, open } = gate();
        const busy = stage.ask('a', () => opened, { deadlineMs: 1e9 });
        await stage.clock.advance(60_000);
        expect(stage.system.size).to.equal(1);
        open();
        await busy;
      });

      it('stays when its kind has no time for it', async () => {
        makeStage();
        await stage.ask('a', () => 'here');
        await stage.clock.advance(3_600_000);
        expect(stage.system.size).to.equal(1);
      });
    });

    describe('the orderly stop', () => {
      it('refuses new messages, lets mailboxes run empty, stops the actors and says so', async () => {
        makeStage();
        const { opened, open } = gate();
        const done: number[] = [];
        const running = [1, 2, 3].map((n) => stage.ask('a', async () => opened.then(() => done.push(n))));
        await happens('the actor is loaded', () => stage.loadsOf('a') === 1);
        const stopping = stage.system.stop(1_000);
        expect(await stage.outcome('a', () => 'never')).to.equal('STOPPED');
        expect(await stage.outcome('b', () => 'never')).to.equal('STOPPED');
        open();
        expect(await within(10_000, 'the system stops', stopping)).to.equal(true);
        await Promise.all(running);
        expect(done).to.deep.equal([1, 2, 3]);
        expect(stage.stopped).to.deep.equal(['a']);
        expect(stage.system.size).to.equal(0);
      });

      it('does not wait past its deadline for a hung handler, refuses what is behind it, and says so', async () => {
        makeStage();
        const { opened, open } = gate();
        const hanging = stage.outcome('a', async () => opened.then(() => 'late'));
        const behind = stage.outcome('a', () => 'never');
        await happens('the actor is loaded', () => stage.loadsOf('a') === 1);
        const stopping = stage.system.stop(500);
        await stage.clock.advance(499);
        expect(stage.system.size).to.equal(1);
        await stage.clock.advance(1);
        expect(await within(10_000, 'the system stops', stopping)).to.equal(false);
        open();
        expect(await Promise.all([hanging, behind])).to.deep.equal(['late', 'STOPPED']);
      });
    });

    it('number thousands without trouble, and stop in seconds', async function () {
      this.timeout(240_000);
      makeStage();
      const ids = Array.from({ length: 2_100 }, (_, n) => `${n}`);
      const answers = await Promise.all(ids.map((id) => stage.ask(id, () => id)));
      expect(answers).to.deep.equal(ids);
      expect(await within(15_000, '2,100 actors stop', stage.system.stop(1_000))).to.equal(true);
    });
  });

describe('The comedy tree', () => {
  it('leaves no listener for SIGINT or SIGTERM, and keeps those of others', async () => {
    const mine = () => undefined;
    process.on('SIGTERM', mine);
    const listeners = () => ['SIGINT', 'SIGTERM'].map((signal) => process.listeners(signal as 'SIGINT'));
    const before = listeners();
    const tree = new ComedyTree();
    expect(listeners()).to.deep.equal(before);
    await tree.add('actor', () => Promise.resolve());
    expect(listeners()).to.deep.equal(before);
    await tree.destroy();
    process.off('SIGTERM', mine);
  });

  it('spreads actors over shelves of at most 2,000', async () => {
    const tree = new ComedyTree();
    await Promise.all(Array.from({ length: 4_001 }, (_, n) => tree.add(`${n}`, () => Promise.resolve())));
    expect(tree.sizes).to.deep.equal([2_000, 2_000, 1]);
    await tree.destroy();
  });

  it('fills a shelf again that others have left', async () => {
    const tree = new ComedyTree();
    const nodes = await Promise.all(
      Array.from({ length: 2_000 }, (_, n) => tree.add(`${n}`, () => Promise.resolve())),
    );
    await nodes[7]!.remove();
    await tree.add('new', () => Promise.resolve());
    expect(tree.sizes).to.deep.equal([2_000]);
    await tree.destroy();
  });
});
