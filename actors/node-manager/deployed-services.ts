import type { ServiceModel } from '../node-configuration/model.ts';
import type { DeployedServiceModel } from './node-state.ts';
import { NEW_SERVICE, type ServiceState } from '../service/state.ts';

/** One service of this host, as it is wanted and as it is. */
export interface DeployedService {
  /** `<host>:<service>:<n>` */
  readonly id: string;
  readonly rank: number;
  readonly model: ServiceModel;
  readonly onDemand: boolean;
  /** It belongs to the server and to no configuration. */
  readonly own: boolean;
  /** It is on its way out of the configuration. */
  readonly leaving: boolean;
  readonly state: ServiceState;
}

/** A service as the configuration wants it. */
export type WantedService = Omit<DeployedService, 'state' | 'leaving'>;

/** The services of this host. In memory; it outlives a restart of the node manager's actor. */
export class DeployedServices {
  readonly #byId = new Map<string, DeployedService>();
  readonly #onChange: () => void;

  /** `onChange`: is told whenever one of them is there or not, or stands otherwise. */
  constructor(onChange: () => void = () => {}) {
    this.#onChange = onChange;
  }

  get all(): readonly DeployedService[] {
    return [...this.#byId.values()];
  }

  get(id: string): DeployedService | undefined {
    return this.#byId.get(id);
  }

  /** What is wanted from now on; the state stays what it is. */
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

  /** Unless it is wanted again by now. */
  remove(id: string): void {
    if (this.#byId.get(id)?.leaving !== true) return;
    this.#byId.delete(id);
    this.#onChange();
  }
}

/** The services of the configuration as clients see them. */
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

/** Why work of a queue waits, as far as its services are the reason; undefined when one of them runs. */
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
