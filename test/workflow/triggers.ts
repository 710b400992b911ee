/** Tasks with a TRIGGER that consume tracks. */
import type { Properties } from '../../domain/types.ts';
import { sampleUri, type Service } from '../support/processes/service.ts';
import { finds, foundBy, looks, pipelineOf, runOne, type Step } from './support.ts';

/** Consumes tracks whose NAME is one of these values. Its own tracks have an apostrophe after the NAME. */
export const takes = (values: string): Step => ({
  algorithm: 'NOTING',
  properties: {
    FEED_FORWARD_TYPE: 'REGION',
    TRIGGER: `NAME=${values}`,
    NOTE_IN: 'NAME',
    NOTES: "$'",
    ARTIFACT_EXTRACTION_POLICY: 'NONE',
  },
});

/** Consumes all remaining tracks. */
export const takesAll = (more: Properties = {}): Step => looks({ FEED_FORWARD_TYPE: 'REGION', ...more });

/** Finds A, B, C and D. */
export const four = finds(
  ['A', 'B', 'C', 'D'].map((NAME, n) => ({ boxes: [[n * 10, 0, 10, 10]], properties: { NAME, TEXT: NAME } })),
);

/** The tracks that each action after the first was fed, by name. */
export async function fedTracks(service: Service, ...steps: readonly Step[]): Promise<readonly string[]> {
  const medium = await runOne(service, sampleUri('hello-world.png'), pipelineOf(...steps));
  const of = (action: string) =>
    foundBy(medium, action)
      .map(({ trackProperties: { FED, NAME } }) => FED ?? NAME)
      .join('');
  return ['SECOND', 'THIRD', 'FOURTH', 'FIFTH'].slice(0, steps.length - 1).map(of);
}
