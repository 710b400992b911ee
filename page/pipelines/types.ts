import type { z } from 'zod';
import type { action, algorithm, pipeline, task } from '../../http/schemas/pipelines.ts';

export type Pipeline = z.output<typeof pipeline>;
export type Task = z.output<typeof task>;
export type Action = z.output<typeof action>;
export type Algorithm = z.output<typeof algorithm>;
export type AlgorithmProperty = Algorithm['providesCollection']['properties'][number];

/** A pipeline with all that its names stand for. */
export interface WholePipeline {
  readonly pipeline: Pipeline;
  readonly tasks: readonly WholeTask[];
  /** Names of the properties that every algorithm has. */
  readonly shared: ReadonlySet<string>;
  /** What may be chosen for a property of an algorithm, besides what one types; by both names. */
  readonly choices: Choices;
}
export type Choices = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
export interface WholeTask {
  readonly task: Task;
  readonly actions: readonly WholeAction[];
}
export interface WholeAction {
  readonly action: Action;
  /** undefined: nobody has it any more. */
  readonly algorithm: Algorithm | undefined;
}
