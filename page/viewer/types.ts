import type { z } from 'zod';
import type { boxPage, lanes, mediaOfJob, trackPage } from '../../http/schemas/jobs/job-findings.ts';

export type MediaOfJob = z.output<typeof mediaOfJob>;
export type Medium = MediaOfJob['media'][number];
export type Lane = z.output<typeof lanes>[number];
export type TrackPage = z.output<typeof trackPage>;
export type Track = TrackPage['tracks'][number];
export type BoxPage = z.output<typeof boxPage>;
export type Box = BoxPage['boxes'][number];

/** What is shown of what was found. */
export interface Filter {
  /** Lanes that are hidden. */
  readonly hidden: ReadonlySet<number>;
  readonly minConfidence: number;
  readonly text: string;
}

/** The colour of a lane, the same wherever it is seen: its place in the palette of the style sheet. */
export const colourOf = (lane: number) => `lane-${lane % 8}`;

/** Shown of a box or a track: what it is, else its type. */
export const fits = (
  { lane, confidence }: { readonly lane: number; readonly confidence: number },
  { hidden, minConfidence }: Filter,
) => !hidden.has(lane) && (confidence < 0 || confidence >= minConfidence);
