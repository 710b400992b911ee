import { z } from 'zod';
import type { Reply } from '../runtime/machine.ts';

/** What can be paused: a queue hands out no work; a service, a node and a server drain: they get no new work. */
export const PAUSE_KINDS = ['queue', 'service', 'node', 'server'] as const;
export type PauseKind = (typeof PAUSE_KINDS)[number];

/** The body of a row. */
export const storedPause = z.object({
  kind: z.enum(PAUSE_KINDS),
  /** Of a queue as the ledger calls it; of a service `<host>:<service>:<n>`; of a node and a server its host. */
  name: z.string(),
  /** Since then: milliseconds since the epoch. */
  at: z.number(),
  /** Name of whoever wants it. */
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
  /** From an ADMIN over HTTP. What is paused already stays as it is. */
  | { readonly type: 'pause'; readonly kind: PauseKind; readonly name: string; readonly by: string }
  | { readonly type: 'resume'; readonly kind: PauseKind; readonly name: string }
  /** From the server at start, and from servers that share a store. */
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
  /** There are as many pauses as there may be. */
  readonly refusal: 'FULL';
  /** Milliseconds since the epoch. */
  readonly context: { readonly at: number };
  readonly status: never;
}
export type PausesReply = Reply<PausesTypes>;
