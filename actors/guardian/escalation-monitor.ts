import { ADMISSION } from '../admission/actor.ts';
import { CATALOG } from '../catalog/actor.ts';
import { DISPATCHER } from '../dispatcher/actor.ts';
import { DELIVERY } from '../delivery/notice.ts';
import { NODE_CLASSES, NODE_CONFIGURATION } from '../node-configuration/actor.ts';
import { NODE_MANAGER } from '../node-manager/actor.ts';
import type { Clock } from '../basics/clock.ts';

/** Kinds of actors that serve all jobs, and what does not work while they do not. */
const SHARED: Readonly<Record<string, string>> = {
  [ADMISSION]: 'jobs are admitted late',
  [CATALOG]: 'pipelines cannot be changed',
  [DELIVERY]: 'callbacks and archive posts are late',
  [DISPATCHER]: 'work is handed out late',
  [NODE_CONFIGURATION]: 'services cannot be configured',
  [NODE_CLASSES]: 'node classes cannot be configured',
  [NODE_MANAGER]: 'services are not started',
};

/** For so long after its last escalation an actor counts as one that does not work. */
const TROUBLE_MS = 60_000;

/** Actors that serve all jobs and failed too often. Each restarts with its next message, but an administrator has to look at it. */
export class EscalationMonitor {
  readonly #clock: Clock;
  readonly #since = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes note of it; answers what to tell administrators: undefined when they know, or when only one job has to do with it. */
  onEscalation(actor: string): string | undefined {
    const kind = actor.split('/', 1)[0]!;
    const consequence = SHARED[kind];
    if (consequence === undefined) return undefined;
    const isKnown = this.#inTrouble(kind);
    this.#since.set(kind, this.#clock.steady());
    return isKnown
      ? undefined
      : `A part of the server fails again and again (${kind}): ${consequence}. The log says why; a restart may help.`;
  }

  /** Why the server is not ready; undefined: it is. */
  get reason(): string | undefined {
    const kind = [...this.#since.keys()].find((one) => this.#inTrouble(one));
    return kind === undefined
      ? undefined
      : `A part of the server fails again and again (${kind}): ${SHARED[kind]}.`;
  }

  #inTrouble(kind: string): boolean {
    const since = this.#since.get(kind);
    return since !== undefined && this.#clock.steady() - since < TROUBLE_MS;
  }
}
