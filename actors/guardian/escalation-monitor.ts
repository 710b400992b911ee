import { ADMISSION } from '../admission/actor.ts';
import { CATALOG } from '../catalog/actor.ts';
import { DISPATCHER } from '../dispatcher/actor.ts';
import { DELIVERY } from '../delivery/notice.ts';
import { NODE_CLASSES, NODE_CONFIGURATION } from '../node-configuration/actor.ts';
import { NODE_MANAGER } from '../node-manager/actor.ts';
import type { Clock } from '../basics/clock.ts';

/** Kinds of actors that serve all jobs, with the consequence of their failure. */
const SHARED: Readonly<Record<string, string>> = {
  [ADMISSION]: 'jobs are admitted late',
  [CATALOG]: 'pipelines cannot be changed',
  [DELIVERY]: 'callbacks and archive posts are late',
  [DISPATCHER]: 'work is handed out late',
  [NODE_CONFIGURATION]: 'services cannot be configured',
  [NODE_CLASSES]: 'node classes cannot be configured',
  [NODE_MANAGER]: 'services are not started',
};

/** Time after its last escalation for which an actor counts as failing. */
const TROUBLE_MS = 60_000;

/** Actors that serve all jobs and failed too many times. Each restarts with its next message, but an administrator must check it. */
export class EscalationMonitor {
  readonly #clock: Clock;
  readonly #since = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes an escalation. Returns a message for administrators, or undefined if they know already or only one job is affected. */
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

  /** Why the server is not ready; undefined if it is. */
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
