/**
 * A job whose document has a million detections, with the real service. The benchmark plays the component.
 */
import { WorkerClient } from '../../../components/sdk/connection/client.ts';
import { runWorker } from '../../../components/sdk/work/worker.ts';
import { startClient } from './client.ts';
import { measureTime } from '../measure.ts';
import { forgetPeak, peakBytes, residentBytes } from '../memory.ts';
import { NOOP } from '../parts.ts';

export const TRACKS = 20_000;
/** Detections per track. */
export const LENGTH = 50;

const JOB = {
  pipelineName: 'NOOP PIPELINE',
  // One segment, so that there is one long answer, and no artifacts.
  jobProperties: { TARGET_SEGMENT_LENGTH: '0', ARTIFACT_EXTRACTION_POLICY: 'NONE' },
  media: [
    {
      mediaUri: 'data:video/mp4;base64,eA==',
      metadata: {
        MEDIA_HASH: 'a'.repeat(64),
        MIME_TYPE: 'video/mp4',
        FRAME_WIDTH: '1280',
        FRAME_HEIGHT: '720',
        FRAME_COUNT: String(TRACKS + LENGTH),
        FPS: '25',
        DURATION: String((TRACKS + LENGTH) * 40),
        HAS_CONSTANT_FRAME_RATE: 'true',
      },
    },
  ],
};

export interface LargeJob {
  readonly jobId: string;
  readonly ms: number;
  /** Growth of the server's peak resident memory in bytes. */
  readonly grown: number;
}

/** Leaves the job and its document in `<folder>/data`. */
export async function runLargeJob(folder: string): Promise<LargeJob> {
  const server = await startClient(folder, 'data');
  await server.post('/rest/components/registerUnmanaged', NOOP);
  const client = new WorkerClient(server.url, server.token);
  const stop = new AbortController();
  const working = runWorker({
    client,
    algorithms: [NOOP.algorithm.name],
    signal: stop.signal,
    handle: trackLines,
    log: () => undefined,
  });
  const before = residentBytes(server.pid);
  forgetPeak(server.pid);
  let jobId = '';
  const ms = await measureTime(async () => (jobId = await server.run(JOB, 50)));
  const grown = peakBytes(server.pid) - before;
  stop.abort();
  await working;
  client.close();
  await server.stop();
  return { jobId, ms, grown };
}

async function* trackLines(): AsyncGenerator<string> {
  for (let first = 0; first < TRACKS; first++) {
    const detections = Array.from({ length: LENGTH }, (_, at) => ({
      frame: first + at,
      x: at,
      y: 2 * at,
      width: 50,
      height: 60,
      confidence: 0.75,
      properties: { POSE: 'frontal' },
    }));
    const track = {
      startFrame: first,
      stopFrame: first + LENGTH - 1,
      confidence: 0.75,
      properties: {},
      detections,
    };
    yield await Promise.resolve(`${JSON.stringify(track)}\n`);
  }
}
