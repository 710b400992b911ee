/** A camera that shows a face which does not move, with a rule about its time in the picture. */
import { sharp } from '../../../media/picture/sharp.ts';
import { sample } from '../../components/models/recorded-media.ts';
import { rtsp } from '../../media/live/live-watching.ts';
import { accessUnits, jpegOf } from '../../support/media/coded-media.ts';
import { jpegOver } from '../../support/media/rtp-pictures.ts';
import type { Service } from '../../support/processes/service.ts';

const WHOLE = { name: 'whole', points: [[0, 0], [1, 0], [1, 1], [0, 1]] }; // oxfmt-ignore
/** Time of a frame in milliseconds, and frames of a segment. */
export const [FRAME_MS, SEGMENT] = [200, 10];

/** Returns the address of a camera with so many frames. */
export async function stillFace(frames: number): Promise<string> {
  const picture = sharp(sample('astronaut.png')).removeAlpha().toColourspace('srgb').raw();
  const { data, info } = await picture.toBuffer({ resolveWithObject: true });
  const jpeg = jpegOf(data, info.width, info.height);
  const pictures = jpegOver(Array.from({ length: frames }, (_, n) => ({ dueMs: n * FRAME_MS, data: jpeg })));
  const clip = accessUnits(sample('face_move.mp4'));
  return (await rtsp(clip, () => ({ ...pictures, speed: 1, after: 'stall' }))).url;
}

/** Members of a streaming job with a rule `loiter` for a face that stays for so many seconds. */
export const loiterJob = (url: string, longerThan: number, receiver: string) => ({
  ...{ enableOutputToDisk: false, stallTimeout: -1, pipelineName: 'FACE DETECTION PIPELINE' },
  ...{ jobProperties: {}, stream: { streamUri: url, segmentSize: SEGMENT } },
  ...{ zones: [WHOLE], rules: [{ name: 'loiter', zone: 'whole', longerThan }] },
  events: { callbackUri: `${receiver}/events` },
});

/** Processes that detect faces in streams and are alive, in the order of their start. */
export const detectors = (service: Service): readonly number[] =>
  service
    .log('component process started')
    .filter(({ worker }) => String(worker).includes('FaceDetectionStreams'))
    .map(({ pid }) => pid)
    .filter(isAlive);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Names of the zone events of a streaming job, the newest first. */
export async function eventsOf(service: Service, id: number): Promise<readonly string[]> {
  const { body } = await service.ask('GET', `/rest/streaming/jobs/${id}/zone-events`);
  return (body as { events: readonly { readonly event: string }[] }).events.map(({ event }) => event);
}

/** Numbers of events of the rule, and of faces that entered and left the zone. */
export const countEvents = (events: readonly string[]): readonly number[] =>
  ['rule', 'entered', 'left'].map((wanted) => events.filter((event) => event === wanted).length);
