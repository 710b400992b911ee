/**
 * A pipeline with everything it needs, resolved by name when the job was accepted and kept with the job: later changes of
 * the catalog do not reach it. Plain data, so that it can be stored as JSON.
 */
import type { Algorithm, Properties } from './types.ts';

export interface PipelinePlan {
  readonly name: string;
  readonly description: string;
  readonly tasks: readonly PlannedTask[];
}

export interface PlannedTask {
  readonly name: string;
  readonly description: string;
  readonly actionType: Algorithm['actionType'];
  readonly actions: readonly PlannedAction[];
}

export interface PlannedAction {
  readonly name: string;
  readonly description: string;
  readonly properties: Properties;
  readonly algorithm: Algorithm;
}
