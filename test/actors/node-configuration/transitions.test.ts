import { expect } from 'chai';
import {
  isSameDefinition,
  onDemand,
  startsOnDemand,
  type ConfigurationCommand,
  type ConfigurationRules,
  type ConfigurationState,
  type NodeManagerModel,
  type ServiceModel,
} from '../../../actors/node-configuration/model.ts';
import { NODE_CONFIGURATION_MACHINE } from '../../../actors/node-configuration/transitions.ts';
import { decide } from '../../../actors/runtime/machine.ts';

const MODEL: ServiceModel = {
  serviceName: 'Faces',
  serviceDescription: '',
  serviceLauncher: 'generic',
  cmd: 'run',
  args: ['a'],
  serviceCount: 1,
  workingDirectory: '',
  environmentVariables: [{ name: 'A', value: 'b' }],
};
const node = (host: string, ...services: readonly ServiceModel[]): NodeManagerModel => ({ host, services });
const RULES: ConfigurationRules = {
  initial: [node('here', onDemand(MODEL))],
  thisHost: 'here',
  installed: ['Faces'],
  ownServices: ['Media'],
  limits: { nodes: 3, services: 2, serviceCount: 4, deployed: 10 },
};
const tellConfiguration = (state: ConfigurationState | undefined, command: ConfigurationCommand) =>
  decide(NODE_CONFIGURATION_MACHINE, state, command, RULES);
const save = (...nodes: readonly NodeManagerModel[]) => tellConfiguration(undefined, { type: 'save', nodes });

describe('The node configuration (specification 2.4)', () => {
  it('is the initial one until another is saved, and then what was saved', () => {
    expect(tellConfiguration(undefined, { type: 'read' }).reply).to.deep.equal({
      kind: 'configuration',
      nodes: RULES.initial,
      isInitial: true,
    });
    const { state } = save(node('there'));
    expect(tellConfiguration(state, { type: 'read' })).to.deep.equal({
      reply: { kind: 'configuration', nodes: [node('there')], isInitial: false },
    });
  });

  it('is told to the node managers when it was saved', () => {
    expect(save(node('here', MODEL)).effects).to.deep.equal([
      { type: 'apply', nodes: [node('here', MODEL)] },
    ]);
  });

  it('has the later entries of a host left out, with one warning that names the hosts', () => {
    const here = node('here', MODEL);
    const { state, reply } = save(here, node('a', MODEL), node('a'));
    expect(state?.nodes).to.deep.equal([here, node('a', MODEL)]);
    expect(reply.kind === 'saved' && reply.warnings).to.have.lengthOf(1);
    expect(reply.kind === 'saved' && reply.warnings[0]).to.match(/ a\.$/);
  });

  for (const [what, nodes] of [
    ['not configured', [node('here', { ...MODEL, serviceName: 'Others' })]],
    ['of the count 0', [node('here', { ...MODEL, serviceCount: 0 })]],
  ] as const)
    it(`is saved with a warning when the service of an installed component is ${what}`, () => {
      const { reply, state } = save(...nodes);
      expect(state?.nodes).to.deep.equal(nodes);
      expect(reply.kind === 'saved' && reply.warnings[0]).to.include(
        'installed on here: Faces. Jobs that need them wait',
      );
    });

  it('is saved without a warning when each installed component has a service, on whatever host', () => {
    for (const host of ['here', 'there'])
      expect(save(node(host, MODEL)).reply).to.deep.equal({ kind: 'saved', warnings: [] });
  });

  for (const [what, nodes, words] of [
    ['too many hosts', ['a', 'b', 'c', 'd'].map((host) => node(host)), '4 hosts; 3 are allowed'],
    [
      'too many services',
      [node('a', ...['x', 'y', 'z'].map((serviceName) => ({ ...MODEL, serviceName })))],
      'a has 3 services; 2 are allowed',
    ],
    [
      'too large a serviceCount',
      [node('a', { ...MODEL, serviceCount: 5 })],
      'a serviceCount of 5; 4 are allowed',
    ],
    [
      'too many services on all hosts together',
      ['a', 'b', 'c'].map((host) => node(host, { ...MODEL, serviceCount: 4 })),
      '12 services, by the sum of all serviceCounts; 10 are allowed',
    ],
    ['a service twice', [node('a', MODEL, MODEL)], 'more than once'],
    ['a service of the server itself', [node('here', { ...MODEL, serviceName: 'Media' })], 'always there'],
  ] as const)
    it(`is refused with ${what}, and nothing changes`, () => {
      const { reply, state, effects } = save(...nodes);
      expect(reply.kind === 'refused' && reply.message).to.include(words);
      expect([state, effects]).to.deep.equal([undefined, undefined]);
    });

  it('may have a service on another host that has the name of the server’s own', () => {
    expect(save(node('there', { ...MODEL, serviceName: 'Media' })).reply.kind).to.equal('saved');
  });

  it('starts a service on demand by its variable TROUPE_START, absent from its definition', () => {
    expect([startsOnDemand(MODEL), startsOnDemand(onDemand(MODEL))]).to.deep.equal([false, true]);
    expect(isSameDefinition(MODEL, onDemand(MODEL))).to.equal(true);
    const same = { ...MODEL, serviceDescription: 'x', serviceCount: 2, serviceLauncher: 'simple' } as const;
    expect(isSameDefinition(MODEL, same)).to.equal(true);
    for (const other of [
      { cmd: 'x' },
      { args: [] },
      { workingDirectory: 'x' },
      { environmentVariables: [{ name: 'A', value: 'b', sep: ':' }] },
    ])
      expect(isSameDefinition(MODEL, { ...MODEL, ...other })).to.equal(false);
  });
});
