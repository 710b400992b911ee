import { TimeSlices } from '../basics/time-slices.ts';

/** Long work in steps: at each `yield`, other work may run. */
export type Steps<T> = Generator<void, T>;

/** Runs all steps without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs the steps in time slices, so that other work gets the event loop. `go` runs one slice. */
export async function inTurns<T>(
  steps: Steps<T>,
  go: (turn: () => IteratorResult<void, T>) => IteratorResult<void, T> = (turn) => turn(),
): Promise<T> {
  const timeSlices = new TimeSlices();
  for (;;) {
    const step = go(() => {
      let next = steps.next();
      while (next.done !== true && !timeSlices.due) next = steps.next();
      return next;
    });
    if (step.done === true) return step.value;
    await timeSlices.next();
  }
}
