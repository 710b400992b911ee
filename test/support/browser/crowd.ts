/** Jobs in which very much is found: whoever calls this is their detector, and answers with the real worker protocol. */
import { WorkerClient } from '../../../components/sdk/connection/client.ts';
import { runWorker } from '../../../components/sdk/work/worker.ts';

export interface Crowd {
  readonly tracks: number;
  /** Frames of each track; it has a detection in each. */
  readonly length: number;
  /** The first frame of a track. */
  startOf(track: number): number;
}

/** Answers the work of an algorithm with these tracks for as long as `work` takes. */
export async function withCrowd<T>(
  { url, token }: { readonly url: string; readonly token: string },
  algorithm: string,
  crowd: Crowd,
  work: () => Promise<T>,
): Promise<T> {
  const client = new WorkerClient(url, token);
  const stop = new AbortController();
  const working = runWorker({
    client,
    algorithms: [algorithm],
    signal: stop.signal,
    handle: () => linesOf(crowd),
    log: () => undefined,
  });
  try {
    return await work();
  } finally {
    stop.abort();
    await working;
    client.close();
  }
}

/** In one piece, and without pictures cut out: what is asked for is what was found. */
export const WHOLE = { TARGET_SEGMENT_LENGTH: '0', ARTIFACT_EXTRACTION_POLICY: 'NONE' };

async function* linesOf({ tracks, length, startOf }: Crowd): AsyncGenerator<string> {
  for (let track = 0; track < tracks; track++) {
    const first = startOf(track);
    const detections = Array.from({ length }, (_, at) => ({
      frame: first + at,
      ...placeOf(track, first + at),
      confidence: 0.75,
      properties: {},
    }));
    const properties = { CLASSIFICATION: `thing ${track % 10}` };
    yield await Promise.resolve(
      `${JSON.stringify({ startFrame: first, stopFrame: first + length - 1, confidence: 0.75, properties, detections })}\n`,
    );
  }
}

/** Side by side in rows, moving a little with time. */
const placeOf = (track: number, frame: number) => ({
  x: (track * 3 + frame) % 150,
  y: (Math.floor(track / 50) * 3) % 86,
  width: 8,
  height: 8,
});
