/** Kills of many real detectors while faces are in zones: each event comes once. */
import { expect } from 'chai';
import { Service } from '../../support/processes/service.ts';
import { answer, Receiver } from '../../support/servers/receiver.ts';
import { until } from '../../support/until.ts';
import { serviceWithCameras } from '../cameras-support.ts';
import { countEvents, detectors, eventsOf, FRAME_MS, loiterJob, SEGMENT, stillFace } from './still-face.ts';

/** DETECTOR_KILLS=20 makes fewer kills. */
const KILLS = Number(process.env['DETECTOR_KILLS'] ?? 200);
const CAMERAS = 6;
/** Kills of each camera's detector in one stay, on average. */
const KILLS_OF_A_STAY = 3;
/** Seconds in the zone until the rule creates its event, which is about the time of the kills. */
const LONGER_THAN = 30;
/** Ten minutes. */
const FRAMES = 3_000;
const RESTART = { withinMs: 120_000 };

describe('Faces that stay in their zones', function () {
  this.timeout(3_600_000);
  const { service, clear, submit, info, moreSegments } = serviceWithCameras((env) => Service.start(env));
  let receiver: Receiver;
  before(async () => {
    receiver = await Receiver.start(answer(200));
  });
  after(() => receiver.close());
  afterEach(() => clear());

  const all = (ids: readonly number[], name: string) =>
    Promise.all(
      ids.map((id) =>
        until(
          `${id} has ${name}`,
          () => eventsOf(service(), id),
          (seen) => seen.includes(name),
          RESTART,
        ),
      ),
    );

  /** Kills detectors one after the other, each as soon as all cameras have one again. */
  async function stay(kills: number): Promise<void> {
    const urls = await Promise.all(Array.from({ length: CAMERAS }, () => stillFace(FRAMES)));
    const ids: number[] = [];
    for (const url of urls) ids.push(await submit(url, loiterJob(url, LONGER_THAN, receiver.url)));
    await all(ids, 'entered');
    for (let kill = 0; kill < kills; kill++) {
      const alive = await until(
        'each camera has a detector',
        () => detectors(service()),
        (alive) => alive.length >= CAMERAS,
        RESTART,
      );
      process.kill(alive[(kill * 7) % alive.length]!, 'SIGKILL');
    }
    await all(ids, 'rule');
    for (const id of ids) {
      const { segments } = await info(id);
      await moreSegments(id, segments + Math.ceil((LONGER_THAN * 1_000) / (FRAME_MS * SEGMENT)));
    }
    for (const id of ids)
      expect(countEvents(await eventsOf(service(), id)), `camera ${id}`).to.deep.equal([1, 1, 0]);
    await clear();
  }

  it(`have each event once, with ${KILLS} kills`, async () => {
    for (let left = KILLS; left > 0; left -= CAMERAS * KILLS_OF_A_STAY)
      await stay(Math.min(left, CAMERAS * KILLS_OF_A_STAY));
  });
});
