/** A detector at work on a document. */
import { mkdir } from 'node:fs/promises';
import type { ReportedTrack } from '../../domain/types.ts';
import type { DetectionJob, Detector } from '../sdk/detector.ts';
import type { DetectWork } from '../../protocol/detection-work.ts';
import { partTrack } from './report.ts';

/** Calls `told` for each part that was found, and whenever the detector says that it goes on: that is all the progress there is to see. */
export async function* inDocument(
  detector: Detector,
  { medium, outputFolder }: DetectWork,
  job: DetectionJob,
  told: () => void,
): AsyncGenerator<ReportedTrack> {
  if (outputFolder === undefined)
    throw new Error('The server named no folder for the files that may be made of the document.');
  await mkdir(outputFolder, { recursive: true });
  const source = { path: medium.path, mimeType: medium.mimeType, outputFolder, working: told };
  for await (const part of detector.generic!(source, job)) {
    job.signal.throwIfAborted();
    told();
    yield partTrack(part);
  }
}
