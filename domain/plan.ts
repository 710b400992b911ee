/**
 * A pipeline with everything that it needs. Names were resolved when the job was accepted, and the plan is stored with the job. Later
 * changes of the catalog do not affect it. Plain data, so that it can be stored as JSON.
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
