export interface ActorKey {
  /** The kind of actor, for example batch-job. */
  readonly kind: string;
  readonly id: string;
}

/** Name of an actor, unique among all actors. */
export const actorName = ({ kind, id }: ActorKey): string => `${kind}/${id}`;
