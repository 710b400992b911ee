/** The events in the zones of a job in its viewer. A face is visible from 0.40 s to 3.56 s. */
import { expect } from 'chai';
import { violationsOf } from '../../support/browser/axe.ts';
import { Chromium, hasChromium } from '../../support/browser/chromium.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const ALL = { name: 'all', points: [[0, 0], [1, 0], [1, 1], [0, 1]] }; // oxfmt-ignore
const NOWHERE = { name: 'nowhere', points: [[0, 0.99], [0.01, 0.99], [0.01, 1], [0, 1]] }; // oxfmt-ignore
const RULE = { name: 'short', zone: 'all', longerThan: 2 };
const FACES = { media: [sampleUri('face_move.mp4')], pipelineName: 'FACE DETECTION PIPELINE' };

(hasChromium ? describe : describe.skip)('Events in the zones of a job', function () {
  this.timeout(240_000);
  let service: Service;
  let chromium: Chromium;
  before(async () => {
    service = await Service.openShared();
    chromium = await Chromium.start();
  });
  after(async () => {
    await chromium?.close();
    await service.close();
  });

  const placeOf = async (more: object) => {
    const id = await service.submit({ ...FACES, ...more });
    expect((await service.terminal(id, 120_000)).jobStatus).to.equal('COMPLETE');
    return `jobs/${id}/${await service.placeOf(id)}`;
  };
  const viewer = async (place: string) => {
    const reader = await chromium.reader(service, `#/${place}`);
    await reader.page.locator('.tracks li').first().waitFor();
    return reader;
  };

  it('are listed with their times, and a click shows their frame', async () => {
    const place = await placeOf({ zones: [ALL, NOWHERE], rules: [RULE], anchor: 'CENTER' });
    const { body } = await service.ask('GET', `/rest/${place}/zone-events`);
    const [, stays] = (body as { events: readonly { frame: number }[] }).events;
    const { page, complaints } = await viewer(place);
    await page.getByRole('button', { name: 'Zone events' }).click();
    const events = page.getByRole('region', { name: 'Zone events' });
    const shown = events.getByRole('listitem');
    await shown.first().waitFor();
    expect(await shown.allTextContents()).to.deep.equal([
      '0:00.4Face entered allFrame 10',
      `0:02.4short: Face is in all for 2.0 sFrame ${stays!.frame}`,
      '0:03.6Face left all after 3.2 sFrame 89',
    ]);
    await events.getByRole('button', { name: /short: / }).click();
    await until(
      'the frame is shown',
      () => page.locator('.where').textContent(),
      (text) => text?.endsWith(`, frame ${stays!.frame}`) === true,
    );
    await events.locator('[aria-current=time]', { hasText: 'short' }).waitFor();
    expect(await violationsOf(page, 'events in the zones of a job')).to.deep.equal([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(390);
    expect(complaints).to.deep.equal([]);
  });

  it('are none where nothing happened', async () => {
    const { page } = await viewer(await placeOf({ zones: [NOWHERE] }));
    await page.getByRole('button', { name: 'Zone events' }).click();
    await page.getByText('Nothing happened in the zones.').waitFor();
  });

  it('are not offered for a job without zones, and REST says why', async () => {
    const place = await placeOf({});
    const { page } = await viewer(place);
    await page.getByRole('button', { name: 'Chart' }).waitFor();
    expect(await page.getByRole('button', { name: 'Zone events' }).count()).to.equal(0);
    const { status, text } = await service.ask('GET', `/rest/${place}/zone-events`);
    expect([status, text.includes('The job has no zones')]).to.deep.equal([400, true]);
  });
});
