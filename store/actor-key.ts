export interface ActorKey {
  /** The kind of actor, for example batch-job. */
  readonly kind: string;
  readonly id: string;
}

/** Two actors have the same name only when they are the same. */
export const actorName = ({ kind, id }: ActorKey): string => `${kind}/${id}`;
