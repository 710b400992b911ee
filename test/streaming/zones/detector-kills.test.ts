/** Kills of a real detector, and of its server, while a face is in a zone: each event comes once. */
import { expect } from 'chai';
import { sharp } from '../../../media/picture/sharp.ts';
import { sample } from '../../components/models/recorded-media.ts';
import { rtsp } from '../../media/live/live-watching.ts';
import { accessUnits, jpegOf } from '../../support/media/coded-media.ts';
import { jpegOver } from '../../support/media/rtp-pictures.ts';
import { Service } from '../../support/processes/service.ts';
import { answer, Receiver } from '../../support/servers/receiver.ts';
import { until } from '../../support/until.ts';
import { serviceWithCameras } from '../cameras-support.ts';

const WHOLE = { name: 'whole', points: [[0, 0], [1, 0], [1, 1], [0, 1]] }; // oxfmt-ignore
const [FRAME_MS, SEGMENT] = [200, 10];
/** Two minutes, which is longer than the test needs. */
const FRAMES = 600;
/** Seconds in the zone until the rule creates its event. */
const LONGER_THAN = 15;
const RESTART = { withinMs: 60_000 };

/** A photo with one face that does not move. */
async function portrait() {
  const picture = sharp(sample('astronaut.png')).removeAlpha().toColourspace('srgb').raw();
  const { data, info } = await picture.toBuffer({ resolveWithObject: true });
  const jpeg = jpegOf(data, info.width, info.height);
  return jpegOver(Array.from({ length: FRAMES }, (_, n) => ({ dueMs: n * FRAME_MS, data: jpeg })));
}

describe('A face that stays in a zone', function () {
  this.timeout(240_000);
  const { service, clear, submit, info, moreSegments } = serviceWithCameras((env) => Service.start(env));
  let receiver: Receiver;
  before(async () => {
    receiver = await Receiver.start(answer(200));
  });
  after(() => receiver.close());
  afterEach(() => clear());

  const detector = () =>
    service()
      .log('component process started')
      .filter(({ worker }) => String(worker).includes('FaceDetectionStreams'))
      .at(-1)!;
  const eventsOf = async (id: number) =>
    (
      (await service().ask('GET', `/rest/streaming/jobs/${id}/zone-events`)).body as {
        events: readonly { readonly event: string }[];
      }
    ).events.map(({ event }) => event);

  it('has each event once, though its detector and the server are killed meanwhile', async () => {
    const still = await portrait();
    const { url } = await rtsp(accessUnits(sample('face_move.mp4')), () => ({
      ...still,
      ...{ speed: 1, after: 'stall' },
    }));
    const id = await submit(url, {
      ...{ enableOutputToDisk: false, stallTimeout: -1, pipelineName: 'FACE DETECTION PIPELINE' },
      ...{ jobProperties: {}, stream: { streamUri: url, segmentSize: SEGMENT } },
      ...{ zones: [WHOLE], rules: [{ name: 'loiter', zone: 'whole', longerThan: LONGER_THAN }] },
      events: { callbackUri: `${receiver.url}/events` },
    });
    await until('the face has entered', () => eventsOf(id), (events) => events.includes('entered'), RESTART); // oxfmt-ignore
    for (const who of ['detector', 'server', 'detector'] as const) {
      const [{ segments }, { pid }] = [await info(id), detector()];
      if (who === 'detector') process.kill(pid, 'SIGKILL');
      else {
        await service().kill9();
        await service().start();
      }
      await until('another detector is started', () => detector().pid, (now) => now !== pid, RESTART); // oxfmt-ignore
      await moreSegments(id, segments + 1);
    }
    await until('the rule has an event', () => eventsOf(id), (events) => events.includes('rule'), RESTART); // oxfmt-ignore
    // An event of the new detector would come within the time of the rule.
    const { segments } = await info(id);
    await moreSegments(id, segments + Math.ceil((LONGER_THAN * 1_000) / (FRAME_MS * SEGMENT)));
    const events = await eventsOf(id);
    const times = (wanted: string) => events.filter((event) => event === wanted).length;
    expect([times('rule'), times('entered'), times('left')]).to.deep.equal([1, 1, 0]);
    const hooks = receiver.requests.map(
      ({ body }) => JSON.parse(body) as { data: { event: string; id: string } },
    );
    const rules = hooks.filter(({ data }) => data.event === 'rule');
    expect(new Set(rules.map(({ data }) => data.id)).size).to.equal(1);
  });
});
