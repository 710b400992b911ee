/** Counts per hour on the page of a camera. */
import { expect } from 'chai';
import { countedKinds, firstHour, HOUR_MS, hourLines, HOURS } from '../../../page/streams/hours.ts';
import type { StreamAssignment } from '../../../protocol/worker-protocol.ts';
import { ZoneWalker } from '../../streaming/zones/zone-walker.ts';
import { violationsOf } from '../../support/browser/axe.ts';
import { Chromium, hasChromium } from '../../support/browser/chromium.ts';
import { claimLive, LIVE_PIPELINE, registerLivePipeline } from '../../support/live-pipeline.ts';
import { RawComponent } from '../../support/processes/raw-component.ts';
import { Service } from '../../support/processes/service.ts';

const NOON = Date.UTC(2026, 10, 22, 12);
const YARD = { name: 'yard', points: [[0.25, 0.25], [0.75, 0.25], [0.75, 0.75]] } as const; // oxfmt-ignore
const DOOR = { name: 'door', points: [[0.5, 0], [0.5, 1]] } as const; // oxfmt-ignore
const PLAN = { zones: [YARD], lines: [DOOR], rules: [{ name: 'in', zone: 'yard' }] };
const PHONE = { width: 390, height: 844 };

const hourOf = (hoursBefore: number, entered: number, left: number) => ({
  start: new Date(NOON - hoursBefore * HOUR_MS).toISOString(),
  classes: { PERSON: entered },
  zones: { yard: { entered, left, dwellMs: 100 } },
  lines: {},
  rules: {},
});

describe('The counts per hour of a camera', () => {
  const from = firstHour(NOON + 1_800_000);

  it('have a value for each of the last 24 hours, and no others', () => {
    const hours = [hourOf(24, 7, 7), hourOf(23, 1, 0), hourOf(0, 2, 4)];
    const [left, entered, ...more] = hourLines({ hours }, 'zones', from);
    expect([left!.title, entered!.title, more.length]).to.deep.equal(['yard: left', 'yard: entered', 0]);
    expect(entered!.values).to.have.length(HOURS);
    expect([entered!.values[0], entered!.values[1], entered!.values[23]]).to.deep.equal([1, 0, 2]);
    expect(left!.hue).to.not.equal(entered!.hue);
  });

  it('leave out what has no count, and name a class as elsewhere', () => {
    const hours = [hourOf(1, 2, 0)];
    expect(hourLines({ hours }, 'zones', from).map(({ title }) => title)).to.deep.equal(['yard: entered']);
    expect(hourLines({ hours }, 'classes', from)[0]).to.include({ title: 'People', hue: 'hue-1' });
    expect(countedKinds({ hours })).to.deep.equal(['zones', 'classes']);
  });
});

(hasChromium ? describe : describe.skip)('Counts per hour on the page of a camera', function () {
  this.timeout(240_000);
  let service: Service;
  let chromium: Chromium;
  let component: RawComponent;
  before(async () => {
    // The page may be slow, and the component sends nothing meanwhile.
    service = await Service.here({ LEASE_MS: '120000' });
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
      stallTimeout: 600_000,
      pipelineName: LIVE_PIPELINE,
      ...more,
    });
    expect(status, text).to.equal(201);
    const id = (body as { jobId: number }).jobId;
    return { id, assignment: await claimLive(component, id) };
  };
  const finish = async (id: number, { token }: StreamAssignment) => {
    await service.ask('POST', `/rest/streaming/jobs/${id}/cancel`);
    await component.end(token, { reason: 'cancelled', detail: '' });
  };

  it('come with the first event, for zones, lines, rules and classes, and as CSV', async () => {
    const { id, assignment } = await start(PLAN);
    const { page, complaints } = await chromium.reader(service, `#/streams/${id}`, { size: PHONE });
    const panel = page.getByRole('region', { name: 'Counts per hour' });
    await panel.getByText('Nothing was counted in the last 24 hours.').waitFor();
    const thisHour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    const walker = new ZoneWalker(component, assignment, thisHour);
    for (let frame = 0; frame <= 3; frame++) walker.see(frame, [frame < 2 ? 0.6 : 0.4, 0.4]);
    await walker.tell();
    await panel.locator('.u-legend').getByText('yard: entered').waitFor();
    const choice = panel.getByRole('combobox', { name: 'Count' });
    expect(await choice.locator('option').allTextContents()).to.deep.equal([
      'Zones',
      'Lines',
      'Rules',
      'Classes',
    ]);
    await choice.selectOption('lines');
    await panel.getByText('Numbers').click();
    await panel.getByRole('columnheader', { name: /^door: to the (left|right)$/ }).waitFor();
    await choice.selectOption('classes');
    await panel.getByRole('row', { name: 'In all 1' }).waitFor();
    expect(await violationsOf(page, 'counts per hour')).to.deep.equal([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(PHONE.width);
    const link = await panel.getByRole('link', { name: 'Download CSV' }).getAttribute('href');
    const { text } = await service.ask('GET', link!.replace(service.url, ''));
    expect(text.split('\r\n')[0]).to.equal('hour,what,name,count');
    expect(complaints).to.deep.equal([]);
    await finish(id, assignment);
    await page.getByText('Cancelled').first().waitFor();
    await panel.locator('.u-legend').waitFor();
  });

  it('show that they load, and why they cannot be loaded', async () => {
    const { id, assignment } = await start(PLAN);
    const { page } = await chromium.reader(service, '#/streams');
    let answer: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => {
      void page.route('**/counts?*', async (route) => {
        const released = new Promise<void>((release) => (answer = release));
        resolve();
        await released;
        await route.fulfill({ status: 500, json: { message: 'The store is away.' } });
      });
    });
    await page.goto(`${service.url}/#/streams/${id}`);
    const panel = page.getByRole('region', { name: 'Counts per hour' });
    await isAsked;
    await panel.getByRole('status', { name: 'Loading' }).waitFor();
    answer();
    await panel.getByRole('alert').getByText('The store is away.').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await panel.getByRole('button', { name: 'Try again' }).click();
    await panel.getByText('Nothing was counted in the last 24 hours.').waitFor();
    await finish(id, assignment);
  });

  it('are not shown for a camera without zones', async () => {
    const { id, assignment } = await start({});
    const { page } = await chromium.reader(service, `#/streams/${id}`);
    await page.getByRole('heading', { name: 'Log' }).waitFor();
    expect(await page.getByRole('region', { name: 'Counts per hour' }).count()).to.equal(0);
    await finish(id, assignment);
  });
});
