import { expect } from 'chai';
import { DeployedServices } from '../../../actors/node-manager/deployed-services.ts';
import type { NodeManagerCommand, NodeManagerState } from '../../../actors/node-manager/model.ts';
import { NODE_MANAGER_MACHINE, ranksOf } from '../../../actors/node-manager/transitions.ts';
import { onDemand, type ServiceModel } from '../../../actors/node-configuration/model.ts';
import { decide } from '../../../actors/runtime/machine.ts';
import { NEW_SERVICE } from '../../../actors/service/state.ts';

const MODEL: ServiceModel = {
  serviceName: 'Faces',
  serviceDescription: '',
  serviceLauncher: 'generic',
  cmd: 'run',
  args: [],
  serviceCount: 2,
  workingDirectory: '',
  environmentVariables: [],
};
const OWN: ServiceModel = { ...MODEL, serviceName: 'Own', serviceCount: 1 };

describe('The node manager', () => {
  let deployed: DeployedServices;
  let state: NodeManagerState | undefined;
  beforeEach(() => {
    deployed = new DeployedServices();
    state = undefined;
    for (const [, service] of ranksOf('here', OWN, true)) deployed.want(service);
  });
  const tellManager = (command: NodeManagerCommand, now = 0) => {
    const context = {
      host: 'here',
      now,
      idleMs: 1_000,
      deployed,
      queuesOf: (service: string) => [service.toUpperCase()],
      servicesOf: (queue: string) =>
        deployed.all.filter(({ model }) => model.serviceName.toUpperCase() === queue),
    };
    const decision = decide(NODE_MANAGER_MACHINE, state, command, context);
    state = decision.state ?? state;
    return decision;
  };
  const want = (model: ServiceModel) => {
    for (const [, service] of ranksOf('here', model)) deployed.want(service);
  };
  const configureServices = (...services: readonly ServiceModel[]) =>
    tellManager({
      type: 'configure',
      nodes: [
        { host: 'here', services },
        { host: 'there', services: [MODEL] },
      ],
    });

  it('wants the services of its host, each as often as its count says, and lets the others go', () => {
    want({ ...MODEL, serviceName: 'Old', serviceCount: 1 });
    const { effects = [] } = configureServices(MODEL);
    expect(effects.map(({ type }) => type)).to.deep.equal(['leave', 'want', 'configured']);
    const [leave, wanted] = effects;
    expect(leave).to.have.deep.property('ids', ['here:Old:1']);
    expect(wanted?.type === 'want' && wanted.services.map(({ service }) => service.id)).to.deep.equal([
      'here:Faces:1',
      'here:Faces:2',
    ]);
  });

  it('says of a service whether it runs another thing now', () => {
    want(MODEL);
    const changesOf = ({ effects = [] }: ReturnType<typeof tellManager>) =>
      effects.flatMap((effect) => (effect.type === 'want' ? effect.services.map((one) => one.changed) : []));
    expect(changesOf(configureServices(MODEL))).to.deep.equal([false, false]);
    expect(changesOf(configureServices({ ...MODEL, cmd: 'other' }))).to.deep.equal([true, true]);
  });

  it('lets an ADMIN start and stop what the configuration has, and nothing else', () => {
    want(MODEL);
    expect(tellManager({ type: 'startService', service: 'here:Faces:2' }).effects).to.deep.equal([
      { type: 'ask', ids: ['here:Faces:2'], command: { type: 'start' } },
      { type: 'configured' },
    ]);
    for (const service of ['here:Own:1', 'here:Faces:3', ''])
      expect(tellManager({ type: 'stopService', service }).reply).to.deep.equal({
        kind: 'refused',
        reason: 'NO_SUCH_SERVICE',
        status: 'WORKING',
      });
  });

  it('launches as many services as work waits for, and none that an ADMIN stopped', () => {
    want({ ...MODEL, serviceCount: 3 });
    deployed.show('here:Faces:1', { ...NEW_SERVICE, stopped: true });
    const { effects } = tellManager({ type: 'demand', queue: 'FACES', wanted: 1 });
    expect(effects).to.deep.equal([{ type: 'tell', ids: ['here:Faces:2'], command: { type: 'launch' } }]);
  });

  it('tells none that runs already, unless it was idle: then it may be on its way out', () => {
    want(onDemand({ ...MODEL, serviceCount: 2 }));
    for (const id of ['here:Faces:1', 'here:Faces:2'])
      deployed.show(id, { ...NEW_SERVICE, status: 'Running', alive: true });
    expect(tellManager({ type: 'demand', queue: 'FACES', wanted: 2 }).effects).to.equal(undefined);
    deployed.show('here:Faces:2', { ...NEW_SERVICE, status: 'Configured' });
    const launchEffects = (ids: readonly string[]) => [{ type: 'tell', ids, command: { type: 'launch' } }];
    const demand = () => tellManager({ type: 'demand', queue: 'FACES', wanted: 2 }).effects;
    expect(demand()).to.deep.equal(launchEffects(['here:Faces:2']));
    tellManager({ type: 'look', busy: new Set() });
    expect(demand()).to.deep.equal(launchEffects(['here:Faces:1', 'here:Faces:2']));
    tellManager({ type: 'look', busy: new Set(['FACES']) });
    expect(demand()).to.deep.equal(launchEffects(['here:Faces:2']));
  });

  it('lets a service on demand rest once it had no work for so long', () => {
    want(onDemand({ ...MODEL, serviceCount: 1 }));
    deployed.show('here:Faces:1', { ...NEW_SERVICE, status: 'Running', incarnation: 5 });
    const lookAt = (now: number, ...busy: readonly string[]) =>
      tellManager({ type: 'look', busy: new Set(busy) }, now).effects;
    expect(lookAt(0)).to.deep.equal([]);
    expect(lookAt(999)).to.deep.equal([]);
    expect(lookAt(1_000)).to.deep.equal([
      { type: 'tell', ids: ['here:Faces:1'], command: { type: 'rest', incarnation: 5 } },
    ]);
    lookAt(1_001, 'FACES');
    expect(lookAt(2_000), 'it had work in between').to.deep.equal([]);
  });

  it('has the process of a worker ended, by its service and incarnation', () => {
    want(MODEL);
    expect(tellManager({ type: 'kill', worker: 'here:Faces:1#3', reason: 'it hangs' }).effects).to.deep.equal(
      [
        {
          type: 'tell',
          ids: ['here:Faces:1'],
          command: { type: 'kill', incarnation: 3, reason: 'it hangs' },
        },
      ],
    );
    const { reply } = tellManager({ type: 'kill', worker: 'user of another host', reason: '' });
    expect(reply).to.have.property('reason', 'NO_SUCH_SERVICE');
  });

  it('ends all services when it stops, and starts none any more', () => {
    want(MODEL);
    const ids = ['here:Own:1', 'here:Faces:1', 'here:Faces:2'];
    expect(tellManager({ type: 'stop' }).effects).to.deep.equal([
      { type: 'ask', ids, command: { type: 'shutdown' } },
    ]);
    const refused = { kind: 'refused', reason: 'WRONG_STATE', status: 'STOPPING' };
    expect(configureServices(MODEL)).to.deep.equal({ reply: refused });
    expect(tellManager({ type: 'startService', service: 'here:Faces:1' })).to.deep.equal({ reply: refused });
    expect(tellManager({ type: 'demand', queue: 'FACES', wanted: 1 })).to.deep.equal({ reply: refused });
    expect(tellManager({ type: 'look', busy: new Set() })).to.deep.equal({ reply: refused });
  });
});
