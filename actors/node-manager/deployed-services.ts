import type { ServiceModel } from '../node-configuration/model.ts';
import type { DeployedServiceModel } from './node-state.ts';
import { NEW_SERVICE, type ServiceState } from '../service/state.ts';

/** One service of this host: its configuration and its state. */
export interface DeployedService {
  /** `<host>:<service>:<n>` */
  readonly id: string;
  readonly rank: number;
  readonly model: ServiceModel;
  readonly onDemand: boolean;
  /** The service belongs to the server and to no configuration. */
  readonly own: boolean;
  /** The configuration no longer has the service. */
  readonly leaving: boolean;
  readonly state: ServiceState;
}

/** A service as the configuration wants it. */
export type WantedService = Omit<DeployedService, 'state' | 'leaving'>;

/** The services of this host, in memory. They outlive a restart of the node manager's actor. */
export class DeployedServices {
  readonly #byId = new Map<string, DeployedService>();
  readonly #onChange: () => void;

  /** `onChange`: called when a service is added, is removed, or changes its state. */
  constructor(onChange: () => void = () => {}) {
    this.#onChange = onChange;
  }

  get all(): readonly DeployedService[] {
    return [...this.#byId.values()];
  }

  get(id: string): DeployedService | undefined {
    return this.#byId.get(id);
  }

  /** Sets the configuration of a service. Its state does not change. */
  want(service: WantedService): void {
    const state = this.#byId.get(service.id)?.state ?? NEW_SERVICE;
    this.#byId.set(service.id, { ...service, leaving: false, state });
    this.#onChange();
  }

  leave(id: string): void {
    const service = this.#byId.get(id);
    if (service !== undefined) this.#byId.set(id, { ...service, leaving: true });
  }

  show(id: string, state: ServiceState): void {
    const service = this.#byId.get(id);
    if (service === undefined) return;
    this.#byId.set(id, { ...service, state });
    this.#onChange();
  }

  /** Removes a service, unless the configuration has it again. */
  remove(id: string): void {
    if (this.#byId.get(id)?.leaving !== true) return;
    this.#byId.delete(id);
    this.#onChange();
  }
}

/** Returns the configured services as clients see them. */
export const shownServices = ({ all }: Pick<DeployedServices, 'all'>): readonly DeployedServiceModel[] =>
  all
    .filter(({ own }) => !own)
    .map(({ id, model, rank, state }) => ({
      name: id,
      kind: model.serviceLauncher,
      rank,
      serviceCount: model.serviceCount,
      lastKnownState: state.status,
      restartCount: state.restartCount,
      unlaunchable: state.unlaunchable,
    }));

/** Returns the reason why work of a queue waits, if its services are the reason. Returns undefined if one of them runs. */
export function reasonToWait(
  queue: string,
  services: readonly DeployedService[],
  isServed: boolean,
): string | undefined {
  if (isServed) return undefined;
  const states = services.filter(({ leaving }) => !leaving).map(({ state }) => state);
  if (states.length === 0) return `no service of ${queue} is configured on this node`;
  const others = states.filter(({ stopped }) => !stopped);
  if (others.length === 0) return 'stopped by an administrator';
  const [first] = others;
  if (first !== undefined && others.every(({ unlaunchable }) => unlaunchable))
    return `its component cannot be started: ${first.reason}`;
  return 'its component is starting';
}
