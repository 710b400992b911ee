/** Zones of a camera on the page: drawn on its picture, saved with the stream, and their events. */
import { expect } from 'chai';
import { newAlert, withTime, type Alert } from '../../../page/streams/zones/alert.ts';
import {
  addPoint,
  addShape,
  changeShape,
  draftOf,
  movePoint,
  planOf,
  type Draft,
} from '../../../page/streams/zones/draft.ts';
import { ZoneWalker } from '../../streaming/zones/zone-walker.ts';
import { violationsOf } from '../../support/browser/axe.ts';
import { Chromium, hasChromium } from '../../support/browser/chromium.ts';
import { claimLive, LIVE_PIPELINE, registerLivePipeline } from '../../support/live-pipeline.ts';
import { RawComponent } from '../../support/processes/raw-component.ts';
import { Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const AT = Date.UTC(2026, 10, 22, 12, 30);
const YARD = { name: 'yard', points: [[0.25, 0.25], [0.75, 0.25], [0.75, 0.75]] } as const; // oxfmt-ignore
const LOITER = { name: 'yard', zone: 'yard', event: 'DWELL' as const, longerThan: 2, classes: ['person'] };
const DOOR = { name: 'door', points: [[0.5, 0], [0.5, 1]] } as const; // oxfmt-ignore
const NIGHT = {
  ...{ name: 'night', zone: 'yard', longerThan: 2, classes: ['person'], minConfidence: 0.5, coolDown: 60 },
  between: { from: '22:00', to: '06:00', timeZone: 'Europe/Berlin', days: ['FRI' as const, 'SAT' as const] },
};
const CROWD = { name: 'crowd', zone: 'yard', atLeast: 3, coolDown: 30 };
const GATE = { name: 'gate', line: 'door', direction: 'TO_LEFT' as const, minConfidence: 0.3 };
const FULL = { zones: [YARD], lines: [DOOR], rules: [NIGHT, CROWD, GATE], anchor: 'CENTER' as const };
const PLAN = { zones: [YARD], lines: [], rules: [LOITER] };

function changeAlert(draft: Draft, place: number, change: Partial<Alert>): Draft {
  const { alert } = draft.shapes[place]!;
  return changeShape(draft, place, { alert: { ...alert!, ...change } });
}

describe('The draft of zones', () => {
  it('is the plan of the stream, whatever was not changed', () =>
    expect(planOf(draftOf(PLAN))).to.deep.equal(PLAN));

  it('keeps what has no fields, all rules of a place, and the anchor', () => {
    const kept = planOf(draftOf(FULL));
    expect(kept).to.deep.equal(FULL);
    const draft = changeShape(draftOf(FULL), 0, { name: 'garden' });
    const [night, count, gate] = planOf(changeAlert(draft, 0, { least: 5, coolDown: undefined })).rules;
    const { coolDown: _, ...others } = NIGHT;
    expect(night).to.deep.equal({ ...others, zone: 'garden', event: 'DWELL', longerThan: 5 });
    expect(count).to.deep.equal({ ...CROWD, zone: 'garden' });
    expect(gate).to.deep.equal(GATE);
  });

  it('gives a rule a schedule in the time zone of the reader, and takes it away again', () => {
    const draft = draftOf(PLAN);
    const alert = withTime(draft.shapes[0]!.alert!, 'from', '22:00');
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const between = { from: '22:00', to: '00:00', timeZone };
    expect(planOf(changeShape(draft, 0, { alert })).rules).to.deep.equal([{ ...LOITER, between }]);
    const without = withTime(alert, 'to', '');
    expect(planOf(changeShape(draft, 0, { alert: without })).rules).to.deep.equal([LOITER]);
  });

  it('names a new rule as its place, and as no other rule', () => {
    const rule = { name: 'Gate', zone: 'yard' };
    const { shapes, ...draft } = draftOf({ zones: [YARD], lines: [DOOR], rules: [rule] });
    const named = shapes.map((shape) => (shape.kind === 'LINE' ? { ...shape, name: 'gate' } : shape));
    const alert = newAlert('CROSS');
    const plan = planOf(changeShape({ ...draft, shapes: named }, 1, { alert }));
    expect(plan.rules).to.deep.equal([rule, { name: 'gate 2', line: 'gate', event: 'CROSS' }]);
  });

  it('keeps points within the picture, and gives a line two of them', () => {
    let draft = addShape(draftOf(PLAN), 'LINE', 'yard');
    for (const x of [0.5, 0.6, 0.7]) draft = addPoint(draft, [x, 1.2]);
    draft = movePoint(draft, 0, [-1, 0.123456]);
    expect(planOf(draft).lines).to.deep.equal([{ name: 'yard 2', points: [[0, 0.1235], [0.6, 1]] }]); // oxfmt-ignore
  });
});

(hasChromium ? describe : describe.skip)('Zones of a camera on the page', function () {
  this.timeout(240_000);
  let service: Service;
  let chromium: Chromium;
  let component: RawComponent;
  before(async () => {
    service = await Service.here();
    await registerLivePipeline(service);
    component = new RawComponent(service);
    chromium = await Chromium.start();
  });
  after(async () => {
    await chromium?.close();
    await service.close();
  });

  const start = async (more: object) => {
    const { status, text, body } = await service.ask('POST', '/rest/streaming/jobs', {
      enableOutputToDisk: false,
      stream: { streamUri: 'rtsp://camera.example/live', segmentSize: 10 },
      stallTimeout: 60_000,
      pipelineName: LIVE_PIPELINE,
      ...more,
    });
    expect(status, text).to.equal(201);
    return (body as { jobId: number }).jobId;
  };
  const zonesOf = async (id: number) => {
    const { body } = await service.ask('GET', `/rest/streaming/jobs/${id}?details=true`);
    return (body as { zones: object }).zones;
  };

  it('are drawn by mouse and keys, and saved with a new stream in place of the old one', async () => {
    const id = await start(PLAN);
    const { page, complaints } = await chromium.reader(service, `#/streams/${id}`);
    await page.locator('.zone-name', { hasText: 'yard' }).waitFor();
    await page.getByRole('button', { name: 'Zones' }).click();
    const panel = page.getByRole('region', { name: 'Zones and lines' });
    await panel.getByRole('button', { name: 'Line', exact: true }).click();
    await panel.getByRole('button', { name: 'Save and restart' }).click();
    await panel.getByText('Line needs more points').waitFor();
    const canvas = (await page.locator('.zone-canvas').boundingBox())!;
    await page.mouse.click(canvas.x + canvas.width / 4, canvas.y + canvas.height / 2);
    await panel.getByRole('button', { name: 'Add point' }).last().click();
    await page.getByRole('button', { name: 'Point 2 of Line' }).focus();
    for (let n = 0; n < 3; n++) await page.keyboard.press('ArrowRight');
    await panel.getByLabel('Event when something').last().selectOption('CROSS');
    expect(await violationsOf(page, 'the editor of zones')).to.deep.equal([]);
    await panel.getByRole('button', { name: 'Save and restart' }).click();
    await page.waitForURL((url) => /#\/streams\/\d+$/.test(url.hash) && !url.hash.endsWith(`/${id}`));
    const saved = Number(page.url().split('/').at(-1));
    const kept = await zonesOf(saved);
    expect(kept).to.deep.include({ zones: [YARD] });
    const [line] = (kept as { lines: readonly { points: number[][] }[] }).lines;
    expect(line!.points[0]![0]).to.be.closeTo(0.25, 0.01);
    expect(line!.points[1]).to.deep.equal([0.53, 0.5]);
    await until('the old stream has ended', async () => {
      const { body } = await service.ask('GET', `/rest/streaming/jobs/${id}`);
      return /CANCEL/.test((body as { jobStatus: string }).jobStatus);
    });
    await service.ask('POST', `/rest/streaming/jobs/${saved}/cancel`);
    expect(complaints.filter((one) => !one.includes('live.mjpeg'))).to.deep.equal([]);
  });

  it('keep all that the panel does not change, and get a schedule and a cool-down', async () => {
    const recording = { days: 2, bytes: 20_000_000 };
    const stream = { streamUri: 'rtsp://camera.example/live', segmentSize: 10, recording };
    const id = await start({ ...FULL, stream, externalId: 'gate 3' });
    const { page } = await chromium.reader(service, `#/streams/${id}`);
    await page.getByRole('button', { name: 'Zones' }).click();
    const panel = page.getByRole('region', { name: 'Zones and lines' });
    await panel.getByText('Other rules here stay as they are: crowd.').waitFor();
    await panel.getByLabel('until (Europe/Berlin)').fill('05:30');
    const coolDowns = panel.getByLabel('Seconds until the next event');
    expect(await coolDowns.first().inputValue()).to.equal('60');
    await coolDowns.first().fill('90');
    await coolDowns.first().press('Tab');
    await panel.getByRole('button', { name: 'Save and restart' }).click();
    await page.waitForURL((url) => /#\/streams\/\d+$/.test(url.hash) && !url.hash.endsWith(`/${id}`));
    const saved = Number(page.url().split('/').at(-1));
    const night = { ...NIGHT, event: 'DWELL', coolDown: 90, between: { ...NIGHT.between, to: '05:30' } };
    expect(await zonesOf(saved)).to.deep.include({ ...FULL, rules: [night, CROWD, GATE] });
    const { body } = await service.ask('GET', `/rest/streaming/jobs/${saved}?details=true`);
    expect(body).to.deep.include({ recording, externalId: 'gate 3', outputObjectDirectory: null });
    await service.ask('POST', `/rest/streaming/jobs/${saved}/cancel`);
  });

  it('show who is in them, and what happens as it happens', async () => {
    const id = await start(PLAN);
    const { page } = await chromium.reader(service, `#/streams/${id}`);
    await page.getByText('No event yet.').waitFor();
    const walker = new ZoneWalker(component, await claimLive(component, id), AT);
    for (let frame = 0; frame <= 12; frame++) walker.see(frame, [0.6, 0.4]);
    await walker.tell();
    const events = page.getByRole('list', { name: 'Events' });
    await events.getByText('Person entered yard').waitFor();
    await events.locator('.alert', { hasText: 'Person is in yard for 2.0 s' }).waitFor();
    expect(await events.locator('img.crop').count()).to.be.greaterThan(0);
    await page.locator('.zone-name', { hasText: 'yard · 1' }).waitFor();
    walker.ended();
    await walker.tell();
    await events.getByText(/^Person left yard after /).waitFor();
    await page.locator('.zone-name', { hasText: 'yard · 0' }).waitFor();
    await service.ask('POST', `/rest/streaming/jobs/${id}/cancel`);
    await component.end(walker.token, { reason: 'cancelled', detail: '' });
  });
});
