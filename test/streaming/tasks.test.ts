/**
 * Streams with several tasks and the whole service: real camera protocols, detectors and processes, and known
 * paths of objects.
 */
import { expect } from 'chai';
import { sharp } from '../../media/picture/sharp.ts';
import { sample } from '../components/models/recorded-media.ts';
import { rtsp } from '../media/live/live-watching.ts';
import { registerLivePipeline } from '../support/live-pipeline.ts';
import { accessUnits, jpegOf, type CodedClip } from '../support/media/coded-media.ts';
import { jpegOver } from '../support/media/rtp-pictures.ts';
import { Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { serviceWithCameras, type Report } from './cameras-support.ts';

type ReportedTrack = Report['output'][string][number] & {
  readonly task?: string;
  readonly action?: string;
};

const MOTION_THEN_OBJECT = 'MOTION THEN OBJECT DETECTION PIPELINE';
const [WIDTH, HEIGHT] = [640, 360];
/** Pixels and milliseconds between two frames. */
const STEP = 8;
const FRAME_MS = 400;
/** A part of a photo of people: still for some frames, then moving to the right on grey. */
const [STILL, MOVING] = [4, 16];

async function walk() {
  const people = await sharp(sample('race.jpg'))
    .resize(320, 214)
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer();
  const frames = Array.from({ length: STILL + MOVING }, async (_, n) => {
    const left = 20 + STEP * Math.max(0, n - STILL);
    const picture = await sharp({
      create: { width: WIDTH, height: HEIGHT, channels: 3, background: '#707070' },
    })
      .composite([{ input: people, raw: { width: 320, height: 214, channels: 3 }, left, top: 80 }])
      .removeAlpha()
      .raw()
      .toBuffer();
    return { dueMs: n * FRAME_MS, data: jpegOf(picture, WIDTH, HEIGHT) };
  });
  return jpegOver(await Promise.all(frames));
}

async function standStill(frames: number) {
  const { data, info } = await sharp(sample("race.jpg")).resize(640, 424, { fit: "cover" }).removeAlpha().toColourspace('srgb').raw().toBuffer({ resolveWithObject: true }); // oxfmt-ignore
  const picture = jpegOf(data, info.width, info.height);
  return jpegOver(Array.from({ length: frames }, (_, n) => ({ dueMs: n * FRAME_MS, data: picture })));
}

const NO_CLIP: CodedClip = accessUnits(sample('face_move.mp4'));

describe('A streaming job with several tasks', function () {
  this.timeout(300_000);
  const { service, clear, submit, info, becomes, reportsOf, moreSegments } = serviceWithCameras((env) =>
    Service.start(env),
  );
  afterEach(() => clear());

  const tracksOf = async (id: number, type: string) =>
    (await reportsOf(id)).flatMap(({ output }) => (output[type] ?? []) as readonly ReportedTrack[]);
  /** All events of the job until it ends. */
  const eventsOf = async (id: number) => {
    const { url, token } = service();
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${url}/rest/streaming/jobs/${id}/events`, { headers })).text();
  };
  const refusalOf = async (pipelineName: string, jobProperties: object = {}) => {
    const { status, body } = await service().ask('POST', '/rest/streaming/jobs', {
      ...{ enableOutputToDisk: false, stallTimeout: 0, pipelineName, jobProperties },
      stream: { streamUri: 'rtsp://camera.example/live', segmentSize: 20 },
    });
    expect(status).to.equal(400);
    return (body as { coreResponse: { message: string } }).coreResponse.message;
  };
  const streamProcess = () =>
    service()
      .log('component process started')
      .filter(({ worker }) => String(worker).includes('Streams'))
      .at(-1)!;

  it('looks for objects while something moves, and follows them', async () => {
    const moving = await walk();
    const camera = await rtsp(NO_CLIP, () => ({ ...moving, speed: 1 }));
    const id = await submit(camera.url, {
      pipelineName: MOTION_THEN_OBJECT,
      jobProperties: { LEARNING_FRAMES: '1', MIN_GAP_BETWEEN_SEGMENTS: '0' },
      zones: [{ name: 'picture', points: [[0, 0], [1, 0], [1, 1], [0, 1]] }], // oxfmt-ignore
    });
    const events = eventsOf(id);
    await becomes(id, 'TERMINATED');
    const [motion, objects] = [await tracksOf(id, 'MOTION'), await tracksOf(id, 'CLASS')];
    expect(motion.length, 'tracks of MOTION').to.be.above(0);
    expect(objects.length, 'tracks of OBJECT').to.be.above(0);
    const firstMotion = Math.min(...motion.map(({ startOffsetFrame }) => startOffsetFrame));
    for (const { startOffsetFrame } of objects) expect(startOffsetFrame).to.be.at.least(firstMotion);
    for (const one of [...motion, ...objects]) {
      const task = motion.includes(one) ? 'MOTION DETECTION TASK' : 'OBJECT DETECTION TASK';
      expect([one.task, one.action]).to.deep.equal([task, task.replace('TASK', 'ACTION')]);
    }
    const speeds = objects.flatMap(({ detections }) => {
      const [first, last] = [detections[0]!, detections.at(-1)!];
      const frames = last.offsetFrame - first.offsetFrame;
      return frames < 4 ? [] : [(last.x + last.width / 2 - first.x - first.width / 2) / frames];
    });
    expect(speeds.length, 'tracks of at least five frames').to.be.above(0);
    const middle = speeds.toSorted((a, b) => a - b)[speeds.length >> 1]!;
    expect(Math.abs(middle - STEP), `pixels a frame: ${speeds.join(', ')}`).to.be.below(2);
    const { frames } = await info(id);
    expect(frames.read).to.equal(STILL + MOVING);
    const told = [...(await events).matchAll(/"type":"trackBegan".*"task":"(\w+) DETECTION TASK"/g)];
    expect(new Set(told.map(([, task]) => task))).to.deep.equal(new Set(['MOTION', 'OBJECT']));
    const { body } = await service().ask('GET', `/rest/streaming/jobs/${id}/zone-events?limit=100`);
    const classes = (body as { events: readonly { class: string }[] }).events.map((one) => one.class);
    expect(classes).to.include('MOTION');
    expect(
      classes.some((name) => name !== 'MOTION'),
      'objects enter the zone',
    ).to.equal(true);
  });

  it('looks for faces in the boxes of persons, and finds each where it is', async () => {
    const still = await standStill(4);
    const camera = await rtsp(NO_CLIP, () => ({ ...still, speed: 0.5 }));
    const id = await submit(camera.url, {
      ...{ pipelineName: 'PERSON THEN FACE DETECTION PIPELINE', jobProperties: { OUTPUT_DETAILS: 'TRUE' } },
    });
    await becomes(id, 'TERMINATED');
    const [persons, faces] = [await tracksOf(id, 'CLASS'), await tracksOf(id, 'FACE')];
    expect([persons.length, faces.length].every((count) => count > 0)).to.equal(true);
    type Box = { x: number; y: number; width: number; height: number };
    const boxes = persons.flatMap(({ detections }) => detections as readonly unknown[] as readonly Box[]);
    for (const face of faces.flatMap(
      ({ detections }) => detections as readonly unknown[] as readonly Box[],
    )) {
      const [x, y] = [face.x + face.width / 2, face.y + face.height / 2];
      const holds = (box: Box) =>
        x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
      expect(boxes.some(holds), `a person around the face at ${x}, ${y}`).to.equal(true);
    }
    expect(new Set(faces.map(({ action }) => action))).to.deep.equal(
      new Set(['FACE DETECTION IN REGIONS ACTION']),
    );
  });

  it('resumes after kill -9 of its process and of its server, without a segment twice', async () => {
    const camera = await rtsp(accessUnits(sample('face_move.mp4')), () => ({ speed: 0.5, after: 'stall' }));
    const id = await submit(camera.url, {
      pipelineName: 'MOTION THEN FACE DETECTION PIPELINE',
      ...{ stallTimeout: -1, jobProperties: { FRAME_INTERVAL: '2', LEARNING_FRAMES: '1' } },
    });
    await moreSegments(id, 1);
    const killed = streamProcess();
    process.kill(killed.pid, 'SIGKILL');
    await until('another process is started', () => streamProcess().pid, (pid) => pid !== killed.pid, { withinMs: 60_000 }); // oxfmt-ignore
    await moreSegments(id, (await info(id)).segments + 1);
    await service().kill9();
    await service().start();
    await moreSegments(id, (await info(id)).segments + 1);
    const ids = (await reportsOf(id)).map(({ segmentId }) => segmentId);
    expect(ids).to.deep.equal([...new Set(ids)]);
    // A busy machine drops many frames, so it detects motion later and may detect no face.
    const motion = await until('motion is reported', () => tracksOf(id, 'MOTION'), (all) => all.length > 0); // oxfmt-ignore
    const faces = await tracksOf(id, 'FACE');
    const tasks = [...motion, ...faces].map(({ task }) => task);
    const expected = faces.length > 0 ? ['FACE DETECTION TASK'] : [];
    expect(new Set(tasks)).to.deep.equal(new Set(['MOTION DETECTION TASK', ...expected]));
  });

  it('finds objects in one process for all streams, also after kill -9 of that process', async () => {
    const FRAMES = 80;
    const still = await standStill(FRAMES);
    const cameras = await Promise.all([0, 1].map(() => rtsp(NO_CLIP, () => ({ ...still, speed: 2 }))));
    const networks = () => service().log('process of the networks started');
    const before = networks().length;
    const ids: number[] = [];
    for (const { url } of cameras)
      ids.push(await submit(url, { pipelineName: 'OBJECT DETECTION PIPELINE', jobProperties: { FRAME_INTERVAL: '2' } })); // oxfmt-ignore
    await Promise.all(ids.map((id) => moreSegments(id, 1)));
    // The process of an earlier test may still run.
    expect(networks().length - before).to.be.at.most(1);
    process.kill(networks().at(-1)!.pid, 'SIGKILL');
    await until('another process is started', () => networks().length > Math.max(1, before));
    await Promise.all(ids.map((id) => becomes(id, 'TERMINATED')));
    for (const id of ids) {
      for (const { output } of await reportsOf(id)) expect(output['CLASS']).to.not.equal(undefined);
      const { frames, segments } = await info(id);
      expect([frames.read, segments]).to.deep.equal([FRAMES, FRAMES / 20]);
    }
  });

  it('is refused with a component that does not ship with the service', async () => {
    await registerLivePipeline(service());
    const tasks = ['MOTION DETECTION TASK', 'LIVE TASK'];
    await service().ask('POST', '/rest/pipelines', { name: 'MIXED PIPELINE', description: 'Two.', tasks });
    expect(await refusalOf('MIXED PIPELINE')).to.match(
      /The action "LIVE ACTION" of the pipeline MIXED PIPELINE uses LIVE, which cannot share a stream .* FACE, /,
    );
  });

  it('is refused if its actions do not fit together', async () => {
    const pipeline = 'PERSON THEN FACE DETECTION PIPELINE';
    expect(await refusalOf(pipeline, { IS_ANNOTATOR: 'TRUE' })).to.contain('IS_ANNOTATOR');
    expect(await refusalOf(pipeline, { SUPPRESS_TRACKS: 'TRUE' })).to.contain('SUPPRESS_TRACKS');
    expect(await refusalOf(pipeline, { TRIGGER: 'person' })).to.contain('TRIGGER');
  });
});
