/** The steps of every answer of a component: a result, a failure, or a segment, events, a picture or the end of a live stream. */

type Now<T> = T | Promise<T>;
interface Outcome {
  readonly kind: string;
}

/** Each step returns the input of the next one, or the final outcome. */
export interface AnswerSteps<Held extends object, Received extends object, Command extends object, O> {
  /** Returns the lease of the component with its sub-job. */
  lease(): Promise<Held | O>;
  /** Receives the content. Large content is written to the disk. */
  receive(held: Held): Now<Received | O>;
  /** Checks the content, and creates a command from it. */
  check(received: Received): Now<Command | O>;
  /** Sends the command to the actor, which commits before the component gets its reply. */
  command(command: Command): Promise<O>;
  /** Runs the last two steps one by one, for answers that must not be checked and committed at the same time. */
  inTurn?(received: Received, work: () => Promise<O>): Promise<O>;
}

/** Passes one answer through its steps. The result of a step, except for an outcome, has no `kind`. */
export async function acceptAnswer<
  Held extends object,
  Received extends object,
  Command extends object,
  O extends Outcome,
>(steps: AnswerSteps<Held, Received, Command, O>): Promise<O> {
  const held = await steps.lease();
  if (isOutcome<O>(held)) return held;
  const received = await steps.receive(held);
  if (isOutcome<O>(received)) return received;
  const checkAndCommand = async () => {
    const command = await steps.check(received);
    return isOutcome<O>(command) ? command : steps.command(command);
  };
  return await (steps.inTurn?.(received, checkAndCommand) ?? checkAndCommand());
}

export const isOutcome = <O extends Outcome>(value: object | O): value is O => 'kind' in value;
