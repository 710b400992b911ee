/** Runs a detector on the medium of a DETECT sub-job, and converts its results to lines of the answer. */
import { ComponentWarnings } from '../../domain/properties/component-warnings.ts';
import type { ReportedWarning } from '../../domain/types.ts';
import type { Detector } from '../sdk/detector.ts';
import type { DetectWork } from '../../protocol/detection-work.ts';
import type { WorkContext } from '../sdk/work/work-context.ts';
import { inMedium } from './medium.ts';
import { onThisHost } from './this-host.ts';

/** Runs the detector. Throws UNSUPPORTED_DATA_TYPE if the detector has no method for the medium's type, and errors of the media readers. */
export async function* detect(
  detector: Detector,
  work: DetectWork,
  given: WorkContext,
): AsyncGenerator<string> {
  const { feedForward } = work;
  const warnings = new ComponentWarnings();
  const context = { ...given, warn: (message: string) => warnings.add(message) };
  const here = await onThisHost(detector, work, context);
  try {
    const found =
      feedForward === undefined
        ? inMedium(detector, here.work, context)
        : (await import('./fed-tracks.ts')).inFedTracks(detector, here.work, feedForward, context);
    for await (const track of found) yield `${JSON.stringify(await here.toServerNames(track))}\n`;
  } finally {
    await here.close();
  }
  for (const warning of warnings.messages) yield `${JSON.stringify({ warning } satisfies ReportedWarning)}\n`;
}
