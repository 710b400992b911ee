import type { Happening, RuntimeCounts } from '../basics/counts.ts';
import type { ActorLook, CellState, Failure, Place, Roster, RosterKind } from '../runtime/roster.ts';
import { localIso } from '../../results/local-iso.ts';

/** An actor as users and tools see it. */
export interface ActorInfo {
  /** `<kind>/<id>`, as in the log. */
  readonly name: string;
  readonly kind: string;
  readonly id: string;
  /** Name of the supervising actor. Null: the guardian. */
  readonly parent: string | null;
  readonly state: CellState;
  /** Status of the actor: of a service its state (specification 3.3), of a job its status (3.1). */
  readonly status: string | null;
  readonly messagesWaiting: number;
  readonly mailboxLimit: number;
  /** Failures within `failureWindowMs`. If there are more than `allowedFailures`, the actor escalates. */
  readonly recentFailures: number;
  readonly allowedFailures: number;
  readonly failureWindowMs: number;
  readonly totalFailures: number;
  readonly lastFailure: (Omit<Failure, 'at'> & { readonly at: string }) | null;
  readonly lastMessage: { readonly type: string; readonly at: string } | null;
  /** Time since the actor began its current message. Null if it is idle. */
  readonly runningMs: number | null;
  readonly loadedAt: string | null;
}

/** All actors of a kind, since the server started. */
export interface ActorKindInfo {
  readonly kind: string;
  /** Kind of the supervising actors. Null: the guardian. */
  readonly parent: string | null;
  readonly actors: number;
  readonly restarts: number;
  readonly escalations: number;
  readonly undelivered: number;
}

export interface ActorPage {
  readonly kinds: readonly ActorKindInfo[];
  readonly actors: readonly ActorInfo[];
  readonly next: string | null;
}

export interface ActorQuery {
  readonly limit: number;
  readonly kind: string | undefined;
  /** `next` of the previous page. */
  readonly after: string | undefined;
  /** True: only actors that have failed. */
  readonly failed: boolean | undefined;
}

/** A page of the actors of this server, or why there is none. It reads only memory, and only this page. */
export function listActors(
  { roster, counts }: { readonly roster: Roster; readonly counts: RuntimeCounts },
  { limit, kind, after, failed }: ActorQuery,
): ActorPage | { readonly refused: string } {
  const kinds = roster.kinds();
  const names = kinds.map((one) => one.kind.name);
  if (kind !== undefined && !names.includes(kind))
    return { refused: `There are no actors of the kind "${kind}"; there are: ${names.join(', ')}.` };
  const place = after === undefined ? undefined : placeOf(after, kind === undefined ? names : [kind]);
  if (place === null)
    return { refused: 'after must be what an earlier page of the same list had as its next.' };
  const { actors, next } = roster.page({ limit, after: place, kind, failed });
  return {
    kinds: kinds.map(({ kind: one, size }) => kindInfo(one, size, counts)),
    actors: actors.map(actorInfo),
    next: next === undefined ? null : `${next.kind}:${next.order}`,
  };
}

/** Returns null if the cursor is malformed. */
function placeOf(after: string, kinds: readonly string[]): Place | null {
  const [, kind = '', order = ''] = /^([^:]+):(\d{1,15})$/.exec(after) ?? [];
  return kinds.includes(kind) ? { kind, order: Number(order) } : null;
}

function kindInfo({ name, parent }: RosterKind, actors: number, counts: RuntimeCounts): ActorKindInfo {
  const count = (happening: Happening) => counts.of(happening).get(name) ?? 0;
  return {
    kind: name,
    parent: parent?.kind ?? null,
    actors,
    restarts: count('restarted'),
    escalations: count('escalated'),
    undelivered: count('deadLetter'),
  };
}

function actorInfo(look: ActorLook): ActorInfo {
  const { name, kind, id, lastFailure, lastMessage } = look;
  const { parent, mailbox, intensity } = kind;
  return {
    name,
    kind: kind.name,
    id,
    parent: parent === undefined ? null : `${parent.kind}/${parent.id}`,
    state: look.state,
    status: look.status ?? null,
    messagesWaiting: look.waiting,
    mailboxLimit: mailbox,
    recentFailures: look.recentFailures,
    allowedFailures: intensity.restarts,
    failureWindowMs: intensity.withinMs,
    totalFailures: look.totalFailures,
    lastFailure: lastFailure === undefined ? null : { ...lastFailure, at: localIso(lastFailure.at) },
    lastMessage: lastMessage === undefined ? null : { ...lastMessage, at: localIso(lastMessage.at) },
    runningMs: look.runningMs === undefined ? null : Math.round(look.runningMs),
    loadedAt: look.loadedAt === undefined ? null : localIso(look.loadedAt),
  };
}
