/** The result of `troupe evaluate`. */
import type { BoxResult } from './boxes.ts';
import type { Finder } from './found-boxes.ts';
import type { SpeechResult, TextResult } from './speech.ts';
import type { TruthFormat } from './truth/truth.ts';

/** All results, as `--json` prints them. Null if there is nothing to measure. */
export interface Evaluation extends Partial<BoxResult> {
  readonly truth: { readonly file: string; readonly format: TruthFormat; readonly boxes?: number };
  readonly document: { readonly name: string; readonly jobId: string; readonly status: string };
  /** Number of evaluated media, and of evaluated pictures and frames. */
  readonly media?: number;
  readonly pictures?: number;
  readonly rules: {
    readonly threshold: number;
    readonly iou: number;
    readonly step: number;
    readonly collarMs: number;
    readonly exact: boolean;
  };
  /** Types and actions whose tracks were evaluated. */
  readonly evaluated: readonly (Finder & { readonly classes?: readonly string[] })[];
  readonly notes: readonly string[];
  readonly speech?: SpeechResult;
  readonly text?: TextResult;
}
