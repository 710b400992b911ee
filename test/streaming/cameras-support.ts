/**
 * Shared by tests of live streams from a camera to a report: real camera protocols, the reader, detectors and
 * processes.
 */
import { rmSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { closeServers, rtsp, smallClip } from '../media/live/live-watching.ts';
import { scratchFolder } from '../media/support/samples.ts';
import { accessUnits, type CodedClip } from '../support/media/coded-media.ts';
import { Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const SIZE = 20;
/** Streams run for seconds, so frequent polling would cost more than their processing. */
export const WAIT = { withinMs: 60_000, everyMs: 250 };
/** Four seconds of small pictures, which are five segments. */
export const CLIP: CodedClip = codeClip();

export interface Info {
  readonly jobStatus: string;
  readonly jobStatusDetail: string | null;
  readonly segments: number;
  readonly frames: Readonly<Record<'read' | 'processed' | 'dropped' | 'skipped' | 'reconnects', number>>;
  readonly picture: { readonly width: number; readonly height: number } | null;
  readonly [name: string]: unknown;
}
export interface Report {
  readonly segmentId: number;
  readonly errorMessage: string;
  readonly output: Readonly<
    Record<
      string,
      readonly {
        readonly liveId: string;
        readonly startOffsetFrame: number;
        readonly stopOffsetFrame: number;
        readonly detections: readonly {
          readonly offsetFrame: number;
          readonly x: number;
          readonly width: number;
        }[];
      }[]
    >
  >;
}

type Environment = Readonly<Record<string, string>>;

/**
 * A service that `start` starts before the tests of a suite, closed after them, with functions for its tests.
 */
export function serviceWithCameras(start: (env: Environment) => Promise<Service>) {
  let service: Service;
  before(async () => {
    // A pause of a busy machine is no stall.
    service = await start({ STREAM_RESTART_MS: '20', STREAM_STALL_ALERT_MS: '10000' });
  });
  after(async () => {
    await closeServers();
    await service?.close();
  });
  const clear = async () => {
    const active = async () =>
      ((await service.ask('GET', '/rest/streaming/jobs')).body as { jobIds: number[] }).jobIds;
    for (const id of await active()) await service.ask('POST', `/rest/streaming/jobs/${id}/cancel`);
    await until('no job is left', active, (ids) => ids.length === 0, { withinMs: 20_000 });
    await closeServers();
  };

  /** Processes few frames, for tests that do not check the detections. */
  const submit = async (streamUri: string, more: object = {}): Promise<number> => {
    const { status, text, body } = await service.ask('POST', '/rest/streaming/jobs', {
      enableOutputToDisk: true,
      stream: { streamUri, segmentSize: SIZE },
      stallTimeout: 0,
      pipelineName: 'MOTION DETECTION PIPELINE',
      jobProperties: { FRAME_INTERVAL: '10' },
      ...more,
    });
    expect(status, text).to.equal(201);
    return (body as { jobId: number }).jobId;
  };
  const info = async (id: number) =>
    (await service.ask('GET', `/rest/streaming/jobs/${id}?details=true`)).body as Info;
  const becomes = (id: number, status: string) =>
    until(
      `streaming job ${id} is ${status}`,
      () => info(id),
      ({ jobStatus }) => jobStatus === status,
      WAIT,
    );
  const reportsOf = async (id: number): Promise<readonly Report[]> => {
    const folder = join(service.dataDir, 'output-objects', String(id));
    const names = await readdir(folder).catch(() => []);
    const all = await Promise.all(
      names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as Report),
    );
    return all.toSorted((a, b) => a.segmentId - b.segmentId);
  };
  /** A camera that repeats a clip in real time until it is closed. */
  const endless = () => rtsp(CLIP, () => ({ speed: 1, after: 'stall' }));

  /** A streaming job of an endless camera. Resolves after the report of its first segment. */
  const lastingStream = async () => {
    const id = await submit((await endless()).url, { stallTimeout: -1 });
    await moreSegments(id, 1);
    return id;
  };
  const moreSegments = (id: number, least: number) =>
    until(
      `streaming job ${id} has ${least} segments`,
      () => info(id),
      ({ segments }) => segments >= least,
      WAIT,
    );
  return { service: () => service, clear, submit, info, becomes, reportsOf, lastingStream, moreSegments };
}

function codeClip(): CodedClip {
  const folder = scratchFolder();
  try {
    return accessUnits(smallClip(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
