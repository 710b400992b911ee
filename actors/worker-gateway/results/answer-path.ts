/** The path of every answer of a component: a result, a failure, and a segment, events, a picture or the end of a live stream. */

type Now<T> = T | Promise<T>;
interface Outcome {
  readonly kind: string;
}

/** Each step has what the next one needs, or the outcome, which is the last word. */
export interface AnswerSteps<Held extends object, Received extends object, Command extends object, O> {
  /** Whether the component holds the lease, and what of. */
  lease(): Promise<Held | O>;
  /** Takes the content in; what is large goes to the disk. */
  receive(held: Held): Now<Received | O>;
  /** Looks at the content, and makes a command of it. */
  check(received: Received): Now<Command | O>;
  /** Tells the actor, which commits before the component has its reply. */
  command(command: Command): Promise<O>;
  /** For answers that must not be checked and committed side by side. */
  inTurn?(received: Received, work: () => Promise<O>): Promise<O>;
}

/** Takes one answer through its steps. What a step makes for the next one has no `kind` of its own. */
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
