/** A component written for the Python API of the reference system runs unchanged. */
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { sampleUri, Service, tracksOf } from '../support/processes/service.ts';
import {
  needsPython,
  PythonComponent,
  referenceFolder,
  REFERENCE_PIPELINE,
  REFERENCE_RUNNER,
} from './support.ts';

const ASTRONAUT = sampleUri('astronaut.png');
const VIDEO = sampleUri('face_move.mp4');

describe('A component of the reference system in Python', function () {
  this.timeout(120_000);
  let service: Service;
  let component: PythonComponent | undefined;

  before(async function () {
    needsPython(this);
    service = await Service.openShared();
    component = new PythonComponent(
      path.join(referenceFolder, 'brightness_component.py'),
      { TROUPE_URL: service.url, TROUPE_TOKEN: service.token },
      REFERENCE_RUNNER,
    );
    await component.says('serving BRIGHTNESS');
  });
  after(async () => {
    await component?.close();
    await service?.ask('DELETE', '/rest/components/BrightnessComponent');
    await service?.close();
  });

  const run = (medium: string, jobProperties: Readonly<Record<string, string>> = {}) =>
    service.run({ media: [medium], pipelineName: REFERENCE_PIPELINE, jobProperties });
  const feedWith = (properties: Readonly<Record<string, string>>) => {
    const actions = [
      { name: 'FIRST', algorithm: 'BRIGHTNESS', properties: [] },
      {
        name: 'SECOND',
        algorithm: 'BRIGHTNESS',
        properties: Object.entries(properties).map(([name, value]) => ({ name, value })),
      },
    ];
    const tasks = actions.map(({ name }) => ({ name: `${name} TASK`, actions: [name] }));
    return { pipeline: tasks.map(({ name }) => name), tasks, actions };
  };

  it('registers by its own descriptor, gets its properties, and finds things in images', async () => {
    expect(component?.said).to.include('New component registered.');
    const document = await run(ASTRONAUT, { LIMIT: '7' });
    expect(document.status).to.equal('COMPLETE');
    const [small, large] = tracksOf(document.media[0], 'BRIGHTNESS').map(({ exemplar }) => exemplar);
    expect(large).to.include({ x: 10, y: 20, width: 30, height: 40, confidence: 0.75 });
    expect(large?.detectionProperties).to.deep.equal({ BYTES: '791555', LIMIT: '7' });
    expect(small).to.include({ width: 5, confidence: -1 });
    expect(component?.said).to.match(/Received image job/);
  });

  it('gets each segment of a video, and its tracks are those of the document', async () => {
    const document = await run(VIDEO, {
      FRAME_INTERVAL: '10',
      TARGET_SEGMENT_LENGTH: '50',
      MIN_SEGMENT_LENGTH: '10',
    });
    expect(document.status).to.equal('COMPLETE');
    const tracks = tracksOf(document.media[0], 'BRIGHTNESS');
    expect(
      tracks.map(({ startOffsetFrame, stopOffsetFrame }) => [startOffsetFrame, stopOffsetFrame]),
    ).to.deep.equal([
      [0, 49],
      [50, 99],
    ]);
    expect(tracks[1]?.detections.map(({ offsetFrame, x }) => [offsetFrame, x])).to.deep.equal(
      [50, 60, 70, 80, 90].map((frame) => [frame, frame]),
    );
    expect(tracks[1]).to.deep.include({ confidence: 0.09, trackProperties: { WIDTH: '640' } });
  });

  it('hears sound and reads files of any other kind', async () => {
    const [sound] = tracksOf((await run(sampleUri('goforward.wav'))).media[0], 'BRIGHTNESS');
    expect([sound?.startOffsetTime, sound?.stopOffsetTime, sound?.trackProperties]).to.deep.equal([
      0,
      2787,
      { STOP: '2787' },
    ]);
    const file = path.join(service.mediaDir, 'note.txt');
    writeFileSync(file, 'a note');
    const [text] = tracksOf((await run(pathToFileURL(file).href)).media[0], 'BRIGHTNESS');
    expect(text?.trackProperties).to.deep.equal({ TEXT: 'a note' });
  });

  it('fails with the codes that it raises', async () => {
    for (const [raised, code, message] of [
      ['GPU_ERROR', 'GPU_ERROR', 'As you like.'],
      ['IMAGE_READ_ERROR', 'COULD_NOT_READ_MEDIA', 'As you like.'],
      ['unknown', 'UNRECOGNIZED_DETECTION_ERROR', 'Something else.'],
    ] as const) {
      const document = await run(ASTRONAUT, { FAIL: raised });
      expect(document.status).to.equal('ERROR');
      const [error] = document.media[0]?.detectionProcessingErrors['BRIGHTNESS DETECTION ACTION'] ?? [];
      expect(error).to.include({ code, message });
    }
  });

  it('is fed locations and tracks one by one, and all tracks of a video together', async () => {
    const again = await service.run({
      media: [ASTRONAUT],
      pipelineDefinition: feedWith({ FEED_FORWARD_TYPE: 'REGION', IS_ANNOTATOR: 'TRUE' }),
    });
    const boxes = tracksOf(again.media[0], 'BRIGHTNESS');
    expect(
      boxes.map(({ exemplar }) => [exemplar.width, exemplar.detectionProperties['SEEN AGAIN']]),
    ).to.have.deep.members([
      [5, 'yes'],
      [30, 'yes'],
    ]);
    const jobProperties = { FRAME_INTERVAL: '10' };
    const video = async (properties: Readonly<Record<string, string>>) =>
      tracksOf(
        (await service.run({ media: [VIDEO], jobProperties, pipelineDefinition: feedWith(properties) }))
          .media[0],
        'BRIGHTNESS',
      );
    const counted = await video({ FEED_FORWARD_TYPE: 'FRAME' });
    expect(counted.map(({ trackProperties }) => trackProperties['FRAMES'])).to.include('10');
    const together = await video({ FEED_FORWARD_TYPE: 'FRAME', FEED_FORWARD_ALL_TRACKS: 'true' });
    expect(together.map(({ trackProperties }) => trackProperties['TRACKS'])).to.include('1');
  });
});
