import { expect } from 'chai';
import { reasonToWait, type DeployedService } from '../../../actors/node-manager/deployed-services.ts';
import { NEW_SERVICE, type ServiceState } from '../../../actors/service/state.ts';

const service = (state: Partial<ServiceState>, leaving = false): DeployedService => ({
  id: 'host:Faces:1',
  rank: 1,
  model: {
    serviceName: 'Faces',
    serviceDescription: '',
    serviceLauncher: 'generic',
    cmd: 'run',
    args: [],
    serviceCount: 1,
    workingDirectory: '',
    environmentVariables: [],
  },
  onDemand: true,
  own: false,
  leaving,
  state: { ...NEW_SERVICE, ...state },
});
const STOPPED = { status: 'InactiveNoStart', stopped: true } as const;
const BROKEN = { status: 'InactiveNoStart', unlaunchable: true, reason: 'exit code 1' } as const;
const cannot = 'its component cannot be started: exit code 1';
const none = 'no service of FACE is configured on this node';

describe('Why work waits', () => {
  for (const [expected, ...services] of [
    [none],
    [none, service({ status: 'Delete' }, true)],
    ['stopped by an administrator', service(STOPPED), service(STOPPED)],
    [cannot, service(BROKEN), service(STOPPED)],
    ['its component is starting', service(BROKEN), service({ status: 'Launching' })],
    ['its component is starting', service({ status: 'Configured' })],
  ] as const)
    it(`is "${expected}" with ${services.length} services that are ${services.map(({ state }) => state.status).join(', ') || 'none'}`, () => {
      expect(reasonToWait('FACE', services, false)).to.equal(expected);
    });

  it('is not a matter of services when one serves it', () => {
    expect(reasonToWait('FACE', [service(STOPPED)], true)).to.equal(undefined);
  });
});
