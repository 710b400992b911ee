/** Kills of a real detector, and of its server, while a face is in a zone: each event comes once. */
import { expect } from 'chai';
import { Service } from '../../support/processes/service.ts';
import { answer, Receiver } from '../../support/servers/receiver.ts';
import { until } from '../../support/until.ts';
import { serviceWithCameras } from '../cameras-support.ts';
import { countEvents, detectors, eventsOf, FRAME_MS, loiterJob, SEGMENT, stillFace } from './still-face.ts';

/** Two minutes, which is longer than the test needs. */
const FRAMES = 600;
/** Seconds in the zone until the rule creates its event. */
const LONGER_THAN = 15;
const RESTART = { withinMs: 60_000 };

describe('A face that stays in a zone', function () {
  this.timeout(240_000);
  const { service, clear, submit, info, moreSegments } = serviceWithCameras((env) => Service.start(env));
  let receiver: Receiver;
  before(async () => {
    receiver = await Receiver.start(answer(200));
  });
  after(() => receiver.close());
  afterEach(() => clear());

  const hasEvent = (id: number, name: string) =>
    until(`there is an event: ${name}`, () => eventsOf(service(), id), (all) => all.includes(name), RESTART); // oxfmt-ignore

  it('has each event once, though its detector and the server are killed meanwhile', async () => {
    const url = await stillFace(FRAMES);
    const id = await submit(url, loiterJob(url, LONGER_THAN, receiver.url));
    await hasEvent(id, 'entered');
    for (const who of ['detector', 'server', 'detector'] as const) {
      const { segments } = await info(id);
      const pid = detectors(service()).at(-1)!;
      if (who === 'detector') process.kill(pid, 'SIGKILL');
      else {
        await service().kill9();
        await service().start();
      }
      await until(
        'another detector is started',
        () => detectors(service()).at(-1) ?? pid,
        (newest) => newest !== pid,
        RESTART,
      );
      await moreSegments(id, segments + 1);
    }
    await hasEvent(id, 'rule');
    // An event of the new detector would come within the time of the rule.
    const { segments } = await info(id);
    await moreSegments(id, segments + Math.ceil((LONGER_THAN * 1_000) / (FRAME_MS * SEGMENT)));
    expect(countEvents(await eventsOf(service(), id))).to.deep.equal([1, 1, 0]);
    const hooks = receiver.requests.map(
      ({ body }) => JSON.parse(body) as { data: { event: string; id: string } },
    );
    const rules = hooks.filter(({ data }) => data.event === 'rule');
    expect(new Set(rules.map(({ data }) => data.id)).size).to.equal(1);
  });
});
