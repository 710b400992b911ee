import { expect } from 'chai';
import * as fc from 'fast-check';
import type { ServiceCommand } from '../../../actors/service/commands.ts';
import type { ServiceEffect } from '../../../actors/service/effects.ts';
import { NEW_SERVICE, type ServiceState, type ServiceStatus } from '../../../actors/service/state.ts';
import {
  decideService,
  SERVICE_TRANSITIONS,
  type RestartPolicy,
} from '../../../actors/service/transitions.ts';
import { runs, seeded } from '../seed.ts';

const POLICY: RestartPolicy = { delayMs: 2_000, maxDelayMs: 10_000, failures: 5, withinMs: 60_000 };

/** A service that is led by hand. */
class Led {
  state: ServiceState = NEW_SERVICE;
  at = 0;
  effects: readonly ServiceEffect[] = [];

  tell(command: ServiceCommand): this {
    const { state, effects } = decideService(this.state, command, this.at, POLICY);
    this.state = state;
    this.effects = effects;
    return this;
  }

  launch = () => this.tell({ type: 'launch' });
  started = (incarnation = this.state.incarnation) => this.tell({ type: 'started', incarnation, pid: 1 });
  ended = (cameUp: boolean, incarnation = this.state.incarnation) =>
    this.tell({ type: 'ended', incarnation, cameUp, reason: 'exit code 1' });
  relaunch = (incarnation = this.state.incarnation) => this.tell({ type: 'relaunch', incarnation });
  stop = () => this.tell({ type: 'stop' });
}

/** Dies so often before it ever asked for work, and is started again in between. */
function crashes(times: number, everyMs = 1_000): Led {
  const service = new Led().launch();
  for (let n = 0; n < times; n++) {
    if (n > 0) service.relaunch();
    service.started().ended(false);
    service.at += everyMs;
  }
  return service;
}

const IN_STATUS: Readonly<Record<ServiceStatus, () => Led>> = {
  Configured: () => new Led(),
  Launching: () => new Led().launch(),
  Running: () => new Led().launch().started(),
  ShuttingDown: () => new Led().launch().started().stop(),
  Inactive: () => new Led().launch().started().stop().ended(true),
  InactiveNoStart: () => crashes(5),
};
const COMMANDS: Readonly<Record<ServiceCommand['type'], (incarnation: number) => ServiceCommand>> = {
  launch: () => ({ type: 'launch' }),
  started: (incarnation) => ({ type: 'started', incarnation, pid: 1 }),
  ended: (incarnation) => ({ type: 'ended', incarnation, cameUp: true, reason: 'exit code 0' }),
  relaunch: (incarnation) => ({ type: 'relaunch', incarnation }),
  kill: (incarnation) => ({ type: 'kill', incarnation, reason: 'it hangs' }),
  stop: () => ({ type: 'stop' }),
};

/** Specification 3.3: from x command -> status afterwards; `-` changes nothing and does nothing. */
const TABLE = `
                launch          started  ended      relaunch   kill          stop
Configured      Launching       -        -          -          -             Inactive
Launching       -               Running  Launching  Launching  Launching     ShuttingDown
Running         -               -        Launching  -          Running       ShuttingDown
ShuttingDown    -               -        Inactive   -          ShuttingDown  -
Inactive        Launching       -        -          -          -             Inactive
InactiveNoStart InactiveNoStart -        -          -          -             Inactive`;
const [head, ...lines] = TABLE.trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/));

describe('The life of a service (specification 3.3)', () => {
  for (const [from, ...cells] of lines)
    for (const [index, cell] of cells.entries()) {
      const type = head![index] as ServiceCommand['type'];
      it(
        cell === '-' ? `nothing changes on ${type} in ${from}` : `${from} becomes ${cell} on ${type}`,
        () => {
          const service = IN_STATUS[from as ServiceStatus]();
          expect(service.state.status, 'the status to begin with').to.equal(from);
          const before = service.state;
          service.tell(COMMANDS[type](before.incarnation));
          expect(service.state.status).to.equal(cell === '-' ? from : cell);
          if (cell === '-') expect([service.state, service.effects]).to.deep.equal([before, []]);
        },
      );
    }

  it('starts a process when it is launched, and each process is another incarnation', () => {
    const service = new Led().launch();
    expect(service.effects).to.deep.equal([{ type: 'spawn', incarnation: 1 }]);
    service.started().ended(true).relaunch();
    expect(service.effects).to.deep.equal([{ type: 'spawn', incarnation: 2 }]);
  });

  it('restarts a process that dies after 2 s, and gives back what it held as an attempt that counts', () => {
    const service = IN_STATUS.Running().ended(true);
    expect(service.effects).to.deep.equal([
      { type: 'gone', incarnation: 1, counted: true, reason: 'exit code 1' },
      { type: 'relaunchLater', delayMs: 2_000, incarnation: 1 },
    ]);
    expect(service.state.restartCount).to.equal(1);
  });

  it('backs off longer with each failure to come up, up to a limit, and is reset by a process that came up', () => {
    const delays = [1, 2, 3, 4].map(
      (times) => crashes(times).effects.find((effect) => effect.type === 'relaunchLater')?.delayMs,
    );
    expect(delays).to.deep.equal([2_000, 4_000, 8_000, 10_000]);
    const service = crashes(4).relaunch().started().ended(true);
    expect(service.effects).to.deep.include({ type: 'relaunchLater', delayMs: 2_000, incarnation: 5 });
  });

  it('is unlaunchable after five failures to come up within 60 s, and says that nobody serves its queue', () => {
    const service = crashes(5);
    expect(service.state).to.include({ status: 'InactiveNoStart', unlaunchable: true, restartCount: 5 });
    expect(service.effects.map(({ type }) => type)).to.deep.equal(['gone', 'unavailable']);
    service.launch();
    expect(service.effects.map(({ type }) => type)).to.deep.equal(['unavailable']);
  });

  it('is not unlaunchable when the failures lie further apart, or when it came up in between', () => {
    expect(crashes(12, 15_000).state.status).to.equal('Launching');
    const service = crashes(4).relaunch().started().ended(true);
    for (let n = 0; n < 4; n++) service.relaunch().started().ended(false);
    expect(service.state.status).to.equal('Launching');
  });

  it('counts a process that cannot even be started', () => {
    const service = new Led().launch();
    for (let n = 0; n < 5; n++) service.ended(false).relaunch();
    expect(service.state.status).to.equal('InactiveNoStart');
  });

  it('is tried again on demand when a minute has passed', () => {
    const service = crashes(5);
    service.at += 60_000;
    service.launch();
    expect(service.state).to.include({ status: 'Launching', unlaunchable: false, incarnation: 6 });
  });

  it('gives back uncounted what a process held that we stopped, and does not start it again', () => {
    const service = IN_STATUS.ShuttingDown();
    expect(service.effects).to.deep.equal([{ type: 'signal', signal: 'SIGTERM' }, { type: 'killLater' }]);
    service.ended(true);
    expect(service.effects).to.deep.equal([
      { type: 'gone', incarnation: 1, counted: false, reason: 'exit code 1' },
    ]);
  });

  it('takes no notice of what an earlier process does', () => {
    const service = new Led().launch().started().ended(true).relaunch();
    const before = service.state;
    for (const command of [
      { type: 'started', incarnation: 1, pid: 1 },
      { type: 'ended', incarnation: 1, cameUp: false, reason: 'late' },
      { type: 'relaunch', incarnation: 1 },
      { type: 'kill', incarnation: 1, reason: 'late' },
    ] as const) {
      service.tell(command);
      expect([service.state, service.effects], command.type).to.deep.equal([before, []]);
    }
  });

  it(`goes only where its table says, has one process at a time, and gives back what each held once ${seeded}`, () => {
    const step = fc.record({
      type: fc.constantFrom(...(Object.keys(COMMANDS) as ServiceCommand['type'][])),
      stale: fc.boolean(),
      up: fc.boolean(),
      ms: fc.nat(20_000),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const service = new Led();
        let alive: number | undefined;
        for (const { type, stale, up, ms } of steps) {
          // A process ends once, and only one that lives.
          if (type === 'ended' && alive === undefined) continue;
          // The clock relaunches what has ended.
          if (type === 'relaunch' && alive !== undefined && !stale) continue;
          const before = service.state;
          service.at += ms;
          const command = COMMANDS[type](type === 'ended' ? alive! : before.incarnation - (stale ? 1 : 0));
          service.tell(command.type === 'ended' ? { ...command, cameUp: up } : command);
          if (service.state !== before)
            expect(SERVICE_TRANSITIONS[type].to, `${type} in ${before.status}`).to.include(
              service.state.status,
            );
          for (const effect of service.effects)
            if (effect.type === 'spawn') {
              expect(alive, 'a process that still lives').to.equal(undefined);
              expect(effect.incarnation).to.equal(before.incarnation + 1);
              alive = effect.incarnation;
            } else if (effect.type === 'gone') expect(effect.incarnation).to.equal(alive);
          if (type === 'ended') {
            expect(service.effects.filter(({ type: kind }) => kind === 'gone')).to.have.lengthOf(1);
            alive = undefined;
          }
          expect(service.state.failures.length).to.be.at.most(POLICY.failures);
        }
      }),
      runs(300),
    );
  });
});
