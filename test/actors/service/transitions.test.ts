import { expect } from 'chai';
import * as fc from 'fast-check';
import type { ServiceCommand } from '../../../actors/service/commands.ts';
import type { ServiceEffect } from '../../../actors/service/effects.ts';
import { memoryOf, NEW_SERVICE, fromMemory, type ServiceState } from '../../../actors/service/state.ts';
import { decide } from '../../../actors/runtime/machine.ts';
import {
  SERVICE_MACHINE,
  type RestartPolicy,
  type ServiceReply,
} from '../../../actors/service/transitions.ts';
import { runs, seeded } from '../../support/seed.ts';

const POLICY: RestartPolicy = {
  delayMs: 2_000,
  maxDelayMs: 10_000,
  failures: 5,
  withinMs: 60_000,
  retries: true,
  stopMs: 5_000,
  shutdownMs: 1_000,
};

/** Drives a service step by step. */
class Led {
  state: ServiceState = NEW_SERVICE;
  at = 0;
  effects: readonly ServiceEffect[] = [];
  reply: ServiceReply | undefined;
  readonly policy: RestartPolicy;

  constructor(policy: RestartPolicy = POLICY) {
    this.policy = policy;
  }

  tell(command: ServiceCommand): this {
    const { at, policy } = this;
    const { reply, state, effects = [] } = decide(SERVICE_MACHINE, this.state, command, { at, policy });
    this.reply = reply;
    this.state = state ?? this.state;
    this.effects = effects;
    return this;
  }

  configure = (changed = false) => this.tell({ type: 'configure', changed });
  delete = () => this.tell({ type: 'delete' });
  launch = () => this.tell({ type: 'launch' });
  rest = () => this.tell({ type: 'rest', incarnation: this.state.incarnation });
  start = () => this.tell({ type: 'start' });
  stop = () => this.tell({ type: 'stop' });
  reportStarted = (incarnation = this.state.incarnation) =>
    this.tell({ type: 'started', incarnation, pid: 1 });
  reportEnded = (cameUp: boolean, incarnation = this.state.incarnation) =>
    this.tell({ type: 'ended', incarnation, cameUp, reason: 'exit code 1' });
  miss = () =>
    this.tell({
      type: 'ended',
      incarnation: this.state.incarnation,
      cameUp: false,
      unstartable: true,
      reason: 'no such command',
    });
  relaunch = (incarnation = this.state.incarnation) => this.tell({ type: 'relaunch', incarnation });
  shutdown = () => this.tell({ type: 'shutdown' });
}

/** Crashes this many times before it claims any work, with restarts in between. */
function crashes(times: number, everyMs = 1_000, policy = POLICY): Led {
  const service = new Led(policy).configure().launch();
  for (let n = 0; n < times; n++) {
    if (n > 0) service.relaunch();
    service.reportStarted().reportEnded(false);
    service.at += everyMs;
  }
  return service;
}

const runService = () => new Led().configure().launch().reportStarted();

/** `!` marks states without a process; `*` is InactiveNoStart because an ADMIN stopped it. */
const IN_STATUS: Readonly<Record<string, () => Led>> = {
  Unknown: () => new Led(),
  Configured: () => new Led().configure(),
  Launching: () => new Led().configure().launch(),
  'Launching!': () => runService().reportEnded(true),
  Running: runService,
  ShuttingDown: () => runService().shutdown(),
  'ShuttingDown~': () => runService().rest(),
  'ShuttingDown+': () => runService().configure(true),
  ShuttingDownNoRestart: () => runService().stop(),
  Inactive: () => runService().shutdown().reportEnded(true),
  InactiveNoStart: () => crashes(5),
  'InactiveNoStart*': () => runService().stop().reportEnded(true),
  Delete: () => runService().delete(),
  DeleteInactive: () => runService().delete().reportEnded(true),
};
const COMMANDS: Readonly<Record<ServiceCommand['type'], (incarnation: number) => ServiceCommand>> = {
  configure: () => ({ type: 'configure', changed: false }),
  delete: () => ({ type: 'delete' }),
  launch: () => ({ type: 'launch' }),
  rest: (incarnation) => ({ type: 'rest', incarnation }),
  start: () => ({ type: 'start' }),
  stop: () => ({ type: 'stop' }),
  started: (incarnation) => ({ type: 'started', incarnation, pid: 1 }),
  ended: (incarnation) => ({ type: 'ended', incarnation, cameUp: true, reason: 'exit code 0' }),
  relaunch: (incarnation) => ({ type: 'relaunch', incarnation }),
  kill: (incarnation) => ({ type: 'kill', incarnation, reason: 'it hangs' }),
  shutdown: () => ({ type: 'shutdown' }),
};

/**
 * Specification 3.3, each line: status, command, next status. `-` has no effect, `=` keeps the status. `!`:
 * no process. `+`: the process is being replaced. `*`: an ADMIN stopped it. `~`: it had no work.
 */
const TABLE = `
                      configure    delete         launch    rest         start        stop                  shutdown
Unknown               Configured   DeleteInactive Launching -            Launching    InactiveNoStart       Inactive
Configured            =            DeleteInactive Launching -            Launching    InactiveNoStart       Inactive
Launching             -            Delete         -         -            =            ShuttingDownNoRestart ShuttingDown
Launching!            -            DeleteInactive -         -            Launching    InactiveNoStart       Inactive
Running               -            Delete         -         ShuttingDown -            ShuttingDownNoRestart ShuttingDown
ShuttingDown          -            Delete         -         -            ShuttingDown ShuttingDownNoRestart =
ShuttingDown+         -            Delete         -         -            ShuttingDown ShuttingDownNoRestart =
ShuttingDown~         -            Delete         =         -            ShuttingDown ShuttingDownNoRestart =
ShuttingDownNoRestart -            Delete         -         -            ShuttingDown -                     =
Inactive              Configured   DeleteInactive Launching -            Launching    InactiveNoStart       =
InactiveNoStart       -            DeleteInactive =         -            Launching    =                     -
InactiveNoStart*      -            DeleteInactive -         -            Launching    =                     -
Delete                ShuttingDown -              -         -            -            -                     =
DeleteInactive        Configured   -              -         -            -            -                     -

                      started   ended           relaunch  kill
Launching             Running   Launching       -         =
Launching!            =         =               Launching =
Running               -         Launching       -         =
ShuttingDown          -         Inactive        -         =
ShuttingDown+         -         Launching       -         =
ShuttingDown~         -         Configured      -         =
ShuttingDownNoRestart -         InactiveNoStart -         =
Inactive              -         -               -         -
InactiveNoStart       -         -               -         -
Delete                -         DeleteInactive  -         =
DeleteInactive        -         -               -         -`;
const [requests, news] = TABLE.trim()
  .split('\n\n')
  .map((part) => part.split('\n').map((line) => line.trim().split(/\s+/)));

describe('The life of a service (specification 3.3)', () => {
  for (const [head, ...lines] of [requests!, news!])
    for (const [from, ...cells] of lines)
      for (const [index, cell] of cells.entries()) {
        const type = head![index] as ServiceCommand['type'];
        const title =
          cell === '-' ? `nothing changes on ${type} in ${from}` : `${from} becomes ${cell} on ${type}`;
        it(title, () => {
          const service = IN_STATUS[from!]!();
          const status = from!.replace(/[!+*~]/, '');
          expect(service.state.status, 'the status to begin with').to.equal(status);
          const before = service.state;
          service.tell(COMMANDS[type](before.incarnation));
          expect(service.state.status).to.equal(cell === '-' || cell === '=' ? status : cell);
          if (cell === '-') expect([service.state, service.effects]).to.deep.equal([before, []]);
        });
      }

  it('refuses by type what comes too late, what an ADMIN forbids and what its status excludes', () => {
    const reason = ({ reply }: Led) => reply?.kind === 'refused' && [reply.reason, reply.status];
    expect(reason(runService().reportEnded(true, 7))).to.deep.equal(['STALE', 'Running']);
    expect(reason(runService().reportEnded(true).reportStarted())).to.deep.equal(['STALE', 'Launching']);
    expect(reason(runService().stop().reportEnded(true).launch())).to.deep.equal([
      'STOPPED',
      'InactiveNoStart',
    ]);
    expect(reason(runService().start())).to.deep.equal(['WRONG_STATE', 'Running']);
    expect(runService().reply).to.deep.equal({ kind: 'done' });
  });

  it('begins a new life when it is configured again after removal, and counts its processes on', () => {
    const service = runService().delete().reportEnded(true).configure();
    expect(service.state).to.deep.equal({ ...NEW_SERVICE, status: 'Configured', incarnation: 1 });
  });

  it('starts a process when it is launched, and each process is another incarnation', () => {
    const service = new Led().configure().launch();
    expect(service.effects).to.deep.equal([{ type: 'spawn', incarnation: 1 }]);
    service.reportStarted().reportEnded(true).relaunch();
    expect(service.effects).to.deep.equal([{ type: 'spawn', incarnation: 2 }]);
  });

  it('restarts a process that dies after 2 s, and returns its work as a counted attempt', () => {
    const service = runService().reportEnded(true);
    expect(service.effects).to.deep.equal([
      { type: 'gone', incarnation: 1, counted: true, reason: 'exit code 1' },
      { type: 'relaunchLater', delayMs: 2_000, incarnation: 1 },
    ]);
    expect(service.state.restartCount).to.equal(1);
  });

  it('starts a process anew for work that comes while it is ending for want of it', () => {
    const service = runService().rest();
    expect(service.effects.map(({ type }) => type)).to.deep.equal(['signal', 'killLater']);
    service.launch().reportEnded(true);
    expect(service.state).to.include({ status: 'Launching', resting: false, restartCount: 0 });
    expect(service.effects.map(({ type }) => type)).to.deep.equal(['gone', 'spawn']);
  });

  it('is stopped by an ADMIN also while it is ending for want of work', () => {
    expect(runService().rest().stop().reportEnded(true).state.status).to.equal('InactiveNoStart');
  });

  it('backs off longer with each failed start, up to a limit, until a process comes up', () => {
    const delays = [1, 2, 3, 4].map(
      (times) => crashes(times).effects.find((effect) => effect.type === 'relaunchLater')?.delayMs,
    );
    expect(delays).to.deep.equal([2_000, 4_000, 8_000, 10_000]);
    const service = crashes(4).relaunch().reportStarted().reportEnded(true);
    expect(service.effects).to.deep.include({ type: 'relaunchLater', delayMs: 2_000, incarnation: 5 });
  });

  it('is unlaunchable after five failed starts within 60 s, and says that its queue is unserved', () => {
    const service = crashes(5);
    expect(service.state).to.include({ status: 'InactiveNoStart', unlaunchable: true, restartCount: 4 });
    expect(service.effects.map(({ type }) => type)).to.deep.equal(['gone', 'unavailable']);
    service.launch();
    expect(service.effects.map(({ type }) => type)).to.deep.equal(['unavailable']);
  });

  it('is not unlaunchable when the failures lie further apart, or when it came up in between', () => {
    expect(crashes(12, 15_000).state.status).to.equal('Launching');
    const service = crashes(4).relaunch().reportStarted().reportEnded(true);
    for (let n = 0; n < 4; n++) service.relaunch().reportStarted().reportEnded(false);
    expect(service.state.status).to.equal('Launching');
  });

  it('counts a process that cannot even be started', () => {
    const service = new Led().configure().launch();
    for (let n = 0; n < 5; n++) service.reportEnded(false).relaunch();
    expect(service.state.status).to.equal('InactiveNoStart');
  });

  it('is tried again on demand when a minute has passed', () => {
    const service = crashes(5);
    service.at += 60_000;
    service.launch();
    expect(service.state).to.include({ status: 'Launching', unlaunchable: false, incarnation: 6 });
  });

  it('gives back uncounted what a process held that we stopped, and does not start it again', () => {
    const service = runService().shutdown();
    expect(service.effects).to.deep.equal([
      { type: 'signal', signal: 'SIGTERM' },
      { type: 'killLater', afterMs: 1_000 },
    ]);
    service.reportEnded(true);
    expect(service.effects).to.deep.equal([
      { type: 'gone', incarnation: 1, counted: false, reason: 'exit code 1' },
    ]);
  });

  it('takes no notice of what an earlier process does', () => {
    const service = new Led().configure().launch().reportStarted().reportEnded(true).relaunch();
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

  it('is stopped by an ADMIN with SIGTERM, then SIGKILL after five seconds, and stays stopped', () => {
    const service = runService().stop();
    expect(service.effects).to.deep.equal([
      { type: 'signal', signal: 'SIGTERM' },
      { type: 'killLater', afterMs: 5_000 },
    ]);
    service.reportEnded(true);
    expect(service.effects).to.deep.equal([
      { type: 'gone', incarnation: 1, counted: false, reason: 'exit code 1' },
    ]);
    service.at += 600_000;
    for (const changed of [false, true]) service.configure(changed).launch();
    expect(service.state).to.include({ status: 'InactiveNoStart', stopped: true, unlaunchable: false });
    expect(service.start().state).to.include({ status: 'Launching', stopped: false });
  });

  it('may be started again by an ADMIN while it still ends, and is launched when it has', () => {
    const service = runService().stop().start();
    expect(service.effects).to.deep.equal([]);
    service.reportEnded(true);
    expect(service.effects.map(({ type }) => type)).to.deep.equal(['gone', 'spawn']);
    expect(service.state).to.include({ status: 'Launching', restartCount: 0 });
  });

  it('is unlaunchable at once if its command is missing, until it is configured or started', () => {
    const service = new Led().configure().launch().miss();
    expect(service.state).to.include({ status: 'Inactive', unlaunchable: true, restartCount: 0 });
    expect(service.effects).to.deep.include({
      type: 'unavailable',
      reason: 'its component cannot be started: no such command',
    });
    expect(service.configure(true).state).to.include({ status: 'Configured', unlaunchable: false });
    expect(new Led().configure().launch().miss().start().state).to.include({ unlaunchable: false });
  });

  it('is replaced by a process of the new definition, uncounted, and that is a restart', () => {
    const service = runService().configure(true);
    expect(service.effects.map(({ type }) => type)).to.deep.equal(['signal', 'killLater']);
    service.reportEnded(true);
    expect(service.effects).to.deep.equal([
      { type: 'gone', incarnation: 1, counted: false, reason: 'exit code 1' },
      { type: 'spawn', incarnation: 2 },
    ]);
    expect(service.state.restartCount).to.equal(1);
  });

  it('gets another chance when what could not be launched is configured as another thing', () => {
    expect(crashes(5).configure(false).state.status).to.equal('InactiveNoStart');
    expect(crashes(5).configure(true).launch().state).to.include({
      status: 'Launching',
      unlaunchable: false,
    });
  });

  it('that need not ask for work is never tried again by waiting work, only by an ADMIN', () => {
    const service = crashes(5, 1_000, { ...POLICY, retries: false });
    service.at += 600_000;
    service.launch();
    expect(service.effects).to.deep.equal([
      { type: 'unavailable', reason: 'its component cannot be started: exit code 1' },
    ]);
    expect(service.start().state).to.include({ status: 'Launching', unlaunchable: false });
  });

  it('is told once to end, however often it is asked', () => {
    const service = runService().stop().delete();
    expect([service.state.status, service.effects]).to.deep.equal(['Delete', []]);
    expect(service.shutdown().effects).to.deep.equal([{ type: 'killLater', afterMs: 1_000 }]);
  });

  it('keeps over a restart of the server how often it was restarted and that an ADMIN stopped it', () => {
    const service = runService().reportEnded(true).relaunch().reportStarted().stop().reportEnded(true);
    expect(memoryOf(service.state)).to.deep.equal({ restartCount: 1, stopped: true });
    const later = fromMemory(memoryOf(service.state));
    expect(later).to.include({ status: 'InactiveNoStart', restartCount: 1, stopped: true, incarnation: 0 });
    expect(memoryOf(service.delete().state)).to.deep.equal({ restartCount: 0, stopped: false });
  });

  it(`goes only where its table says, has one process at a time, and returns each lease once ${seeded}`, () => {
    const step = fc.record({
      type: fc.constantFrom(...(Object.keys(COMMANDS) as ServiceCommand['type'][])),
      stale: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
      changed: fc.boolean(),
      up: fc.boolean(),
      ms: fc.nat(20_000),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const service = new Led();
        let alive: number | undefined;
        let told: number | undefined;
        for (const { type, stale, changed, up, ms } of steps) {
          const before = service.state;
          service.at += ms;
          const command = COMMANDS[type](before.incarnation - (stale ? 1 : 0));
          if (command.type === 'ended') service.tell({ ...command, cameUp: up });
          else service.tell(command.type === 'configure' ? { ...command, changed } : command);
          const { state, effects } = service;
          if (state !== before)
            expect(SERVICE_MACHINE.on[type].to, `${type} in ${before.status}`).to.include(state.status);
          for (const effect of effects)
            if (effect.type === 'gone') {
              expect([effect.incarnation, type]).to.deep.equal([alive, 'ended']);
              alive = undefined;
            } else if (effect.type === 'spawn') {
              expect(alive, 'a process that still lives').to.equal(undefined);
              expect(effect.incarnation).to.equal(before.incarnation + 1);
              if (before.stopped)
                expect(type, 'what launches a service that an ADMIN stopped').to.equal('start');
              if (before.status === 'InactiveNoStart') expect(type).to.be.oneOf(['start', 'launch']);
              alive = effect.incarnation;
            } else if (effect.type === 'signal' && effect.signal === 'SIGTERM') {
              expect(told, 'SIGTERM comes once').to.not.equal(alive);
              told = alive;
            }
          expect(state.alive, 'what the state knows of the process').to.equal(alive !== undefined);
          if (before.status === 'DeleteInactive' && type !== 'configure') expect(state).to.equal(before);
          if (state.status === 'Running') expect(state).to.include({ alive: true, stopped: false });
          expect(state.failures.length).to.be.at.most(POLICY.failures);
        }
      }),
      runs(300),
    );
  });
});
