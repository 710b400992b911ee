import { z } from 'zod';
import type { Reply } from '../runtime/machine.ts';

/** Things that can be paused. A paused queue hands out no work. A paused service, node or server drains: it gets no new work. */
export const PAUSE_KINDS = ['queue', 'service', 'node', 'server'] as const;
export type PauseKind = (typeof PAUSE_KINDS)[number];

/** Schema of a row. */
export const storedPause = z.object({
  kind: z.enum(PAUSE_KINDS),
  /** For a queue, its name in the ledger. For a service `<host>:<service>:<n>`. For a node or a server, its host. */
  name: z.string(),
  /** Start of the pause in milliseconds since the epoch. */
  at: z.number(),
  /** Name of the user who paused it. */
  by: z.string(),
});
export type Pause = Readonly<z.infer<typeof storedPause>>;

/** By key. */
export interface PausesState {
  readonly pauses: ReadonlyMap<string, Pause>;
}

export const ROW_PREFIX = 'pause/';
export const rowKey = ({ kind, name }: Pick<Pause, 'kind' | 'name'>) => `${ROW_PREFIX}${kind}/${name}`;

export type PausesCommand =
  /** From an ADMIN over HTTP. A second pause changes nothing. */
  | { readonly type: 'pause'; readonly kind: PauseKind; readonly name: string; readonly by: string }
  | { readonly type: 'resume'; readonly kind: PauseKind; readonly name: string }
  /** From the server at start, and from other servers of the same store. */
  | { readonly type: 'read' };

export interface PausesEffect {
  readonly type: 'apply';
  readonly pauses: readonly Pause[];
}

export interface PausesTypes {
  readonly state: PausesState;
  readonly command: PausesCommand;
  readonly effect: PausesEffect;
  readonly reply: never;
  /** The maximum number of pauses is reached. */
  readonly refusal: 'FULL';
  /** Milliseconds since the epoch. */
  readonly context: { readonly at: number };
  readonly status: never;
}
export type PausesReply = Reply<PausesTypes>;
