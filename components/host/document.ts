/** Runs a detector on a document. */
import { mkdirSync } from 'node:fs';
import type { ReportedTrack } from '../../domain/types.ts';
import type { DetectionJob, Detector, GenericSource } from '../sdk/detector.ts';
import type { DetectWork } from '../../protocol/detection-work.ts';
import { partTrack } from './report.ts';

/**
 * Runs the detector. Calls `onProgress` for each found part, and when the detector reports progress. There is no other sign of progress.
 */
export async function* inDocument(
  detector: Detector,
  { medium, outputFolder, pages }: DetectWork,
  job: DetectionJob,
  onProgress: () => void,
): AsyncGenerator<ReportedTrack> {
  if (outputFolder === undefined)
    throw new Error('The server named no folder for the files that may be made of the document.');
  const { path, mimeType } = medium;
  let isPageless = pages !== undefined;
  const source: GenericSource = {
    path,
    mimeType,
    working: onProgress,
    get pages() {
      isPageless = false;
      return pages;
    },
    // Created on demand: most detectors make no files, and creating a folder takes longer than processing a short text.
    get outputFolder() {
      mkdirSync(outputFolder, { recursive: true });
      return outputFolder;
    },
  };
  for await (const part of detector.generic!(source, job)) {
    job.signal.throwIfAborted();
    onProgress();
    yield partTrack(part);
  }
  if (isPageless)
    job.warn?.('The frameRanges have no effect: this component processes all pages of a document.');
}
