import type { z } from 'zod';
import type { action, algorithm, pipeline, task } from '../../http/schemas/pipelines.ts';

export type Pipeline = z.output<typeof pipeline>;
export type Task = z.output<typeof task>;
export type Action = z.output<typeof action>;
export type Algorithm = z.output<typeof algorithm>;
export type AlgorithmProperty = Algorithm['providesCollection']['properties'][number];

/** A pipeline with all elements that it names. */
export interface WholePipeline {
  readonly pipeline: Pipeline;
  readonly tasks: readonly WholeTask[];
  /** Names of the properties that every algorithm has. */
  readonly shared: ReadonlySet<string>;
  /** Suggested values by algorithm and property. Other values can be typed. */
  readonly choices: Choices;
}
export type Choices = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
export interface WholeTask {
  readonly task: Task;
  readonly actions: readonly WholeAction[];
}
export interface WholeAction {
  readonly action: Action;
  /** Undefined if no component has the algorithm any more. */
  readonly algorithm: Algorithm | undefined;
}
