/** Parts of a document as the server and FINISH sub-jobs write them. */
import type { DocumentHead, DocumentMedium, DocumentOutput } from '../../../protocol/document-work.ts';

export function head(change: Partial<DocumentHead> = {}): DocumentHead {
  return {
    jobId: 'host-7',
    objectId: '324936df-5f08-4ca5-b8c7-f828c50e14d6',
    pipeline: { name: 'P', description: 'd', tasks: [] },
    priority: 4,
    siteId: 'troupe',
    externalJobId: null,
    timeStart: '2025-01-01T00:00:00.000Z',
    timeStop: '2025-01-01T00:00:01.000Z',
    status: 'COMPLETE',
    algorithmProperties: {},
    jobProperties: {},
    environmentVariableProperties: {},
    timing: { processingTime: 0, actions: [] },
    details: null,
    errors: [],
    warnings: [],
    ...change,
  };
}

export const outputOf = (
  given: Pick<DocumentOutput, 'action' | 'algorithm' | 'tracks' | 'types'> & Partial<DocumentOutput>,
): DocumentOutput => ({ annotators: [], suppressed: false, exemplarsOnly: false, ...given });

export function mediumWith(
  outputs: readonly DocumentOutput[],
  change: Partial<DocumentMedium> = {},
): DocumentMedium {
  return {
    mediaId: 8,
    parentMediaId: -1,
    path: 'file:///media/a.mp4',
    facts: {
      mediaType: 'VIDEO',
      mimeType: 'video/mp4',
      sha256: 'c067',
      length: 90,
      metadata: { FPS: '30', MIME_TYPE: 'video/mp4' },
    },
    mediaProperties: {},
    frameRanges: [],
    timeRanges: [],
    status: 'COMPLETE',
    errors: [],
    warnings: [],
    detectionErrors: {},
    markup: null,
    selectorsOutputUri: null,
    outputs,
    indexed: { uri: 'file:///media/a.mp4', facts: null, inspected: true },
    ...change,
  };
}

/** A track as FINISH writes it. */
export function trackLine(type: string, index: number, detections: number): string {
  const found = Array.from({ length: detections }, (_, i) => ({
    offsetFrame: index + i,
    offsetTime: (index + i) * 33,
    x: i,
    y: 2 * i,
    width: 50,
    height: 60,
    confidence: 0.75,
    detectionProperties: { POSE: 'frontal' },
    artifactExtractionStatus: 'NOT_ATTEMPTED',
    artifactPath: null,
  }));
  return JSON.stringify({
    id: String(index),
    index,
    startOffsetFrame: index,
    stopOffsetFrame: index + detections - 1,
    startOffsetTime: index * 33,
    stopOffsetTime: (index + detections - 1) * 33,
    type,
    source: 'A "quoted" action',
    confidence: 0.75,
    trackProperties: { type: '"type":"FAKE"' },
    exemplar: found[0],
    detections: found,
  });
}
