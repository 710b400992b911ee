import type { StreamingJobRecord } from '../../../actors/streaming-job/state.ts';

/** A streaming job without a report callback. */
export const STREAM: StreamingJobRecord = {
  number: 7,
  externalId: null,
  user: 'somebody',
  streamUri: 'rtsp://camera.example/live',
  segmentSize: 10,
  stallTimeout: 1_000,
  enableOutputToDisk: false,
  healthReportCallbackUri: null,
  summaryReportCallbackUri: null,
  stallCallbackUri: null,
  pipelineName: 'LIVE PIPELINE',
  algorithm: 'LIVE',
  trackType: 'LIVE',
  properties: {},
  createdAt: 0,
};
