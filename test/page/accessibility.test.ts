/**
 * Checks every view of the page with the rules of axe-core, in both colour schemes and on a narrow screen.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { packageRoot } from '../../config/info.ts';
import { violationsOf, WIDE } from '../support/browser/axe.ts';
import { Chromium, hasChromium, loginLinkOf } from '../support/browser/chromium.ts';
import { sampleUri, Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

/** Whether `npm run docs:site` has been run. */
const hasDocs = existsSync(join(packageRoot, 'dist', 'docs-site', 'index.html'));
interface View {
  readonly name: string;
  /** The fragment of the URL after `#`, or a path on the server. */
  readonly at: string;
  /** Selector of an element that exists when the view is ready. */
  readonly shows: string;
  /** Actions before the check. */
  readonly act?: (page: Page) => Promise<unknown>;
}

(hasChromium ? describe : describe.skip)('Every view of the page', function () {
  this.timeout(300_000);
  let service: Service;
  let empty: Service;
  let chromium: Chromium;
  /** A server that accepts connections and sends nothing. */
  const camera = createServer();
  const jobs: Record<string, string> = {};
  /** Addresses of the media of jobs. */
  const places: Record<string, string> = {};
  before(async () => {
    const env = {
      FACE_EMBEDDING: 'true',
      STREAM_CONNECT_MS: '600000',
      STREAM_FIRST_PICTURE_MS: '600000',
    };
    [service, empty] = await Promise.all([Service.here(env), Service.here(env)]);
    chromium = await Chromium.start();
    const start = async (name: string, sample: string, pipelineName: string) =>
      (jobs[name] = await service.submit({ media: [sampleUri(sample)], pipelineName }));
    await start('image', 'astronaut.png', 'FACE EMBEDDING PIPELINE');
    await start('video', 'face_move.mp4', 'FACE DETECTION PIPELINE');
    await start('document', 'slides.odp', 'DOCUMENT TEXT DETECTION PIPELINE');
    await start('sound', 'green.wav', 'SPEECH DETECTION PIPELINE');
    await start('failed', 'video_01_invalid.mp4', 'LIGHT PIPELINE');
    for (const [name, job] of Object.entries(jobs)) {
      await service.terminal(job, 120_000);
      places[name] = await service.placeOf(job);
    }
    await start('running', 'digital-clock.jpg', 'ABSENT PIPELINE');
    camera.listen(0, '127.0.0.1');
    await once(camera, 'listening');
    const connect = async (address: string) => {
      const { body } = await service.ask('POST', '/rest/streaming/jobs', {
        enableOutputToDisk: false,
        pipelineName: 'MOTION DETECTION PIPELINE',
        stallTimeout: 0,
        stream: { streamUri: `http://127.0.0.1:${address}`, segmentSize: 100 },
      });
      return String((body as { jobId: number }).jobId);
    };
    await connect('1/ended');
    jobs['camera'] = await connect(`${(camera.address() as AddressInfo).port}/street`);
    await service.ask('POST', '/rest/keys', { name: 'nightly import' });
    await until(
      'the index has the media',
      async () => (await service.ask('GET', '/rest/library')).body as { media: readonly unknown[] },
      ({ media }) => media.length >= 4,
    );
    await until(
      'the face is a person',
      async () => (await service.ask('GET', '/rest/people')).body as { people: readonly unknown[] },
      ({ people }) => people.length > 0,
    );
  });
  after(async () => {
    await chromium?.close();
    await Promise.all([service.close(), empty.close()]);
    camera.close();
  });

  const emptyViews: readonly View[] = [
    { name: 'library', at: '#/library', shows: '.empty.first' },
    { name: 'jobs', at: '#/jobs', shows: '.empty, main .hint' },
    { name: 'search', at: '#/search', shows: 'form[role=search]' },
    { name: 'streams', at: '#/streams', shows: 'main h1' },
    { name: 'people', at: '#/people', shows: '.empty' },
  ];
  const chooseMedia = async (page: Page) => {
    const sheet = page.getByRole('dialog', { name: 'New analysis' });
    await page.getByRole('button', { name: 'New analysis' }).click();
    await sheet
      .locator('input[type=file]:not([webkitdirectory])')
      .setInputFiles(sampleUri('race.jpg').replace('file://', ''));
    await until('it is sent', () => sheet.getByRole('button', { name: 'Start', exact: true }).isEnabled());
    await sheet.getByText('Options').click();
  };
  const selectAll = async (page: Page) => {
    const fields = page.getByRole('checkbox', { name: /^Select / });
    await fields.first().check();
    await fields.first().press('Control+a');
    await page.locator('section.selection').getByRole('button', { name: 'Clear' }).waitFor();
  };
  /** Makes deletions fail, so that the error message is shown. */
  const refuseToDelete = async (page: Page) => {
    await selectAll(page);
    await page.locator('section.selection').getByRole('button', { name: 'Delete' }).click();
    await page.getByText(/Built in\./).waitFor();
  };
  const fullViews = (): readonly View[] => [
    { name: 'the library', at: '#/library', shows: 'a.tile img' },
    { name: 'the library as a list', at: '#/library?view=list&group=job', shows: 'a.list-row' },
    { name: 'the sheet', at: '#/library', shows: 'a.tile img', act: chooseMedia },
    { name: 'a pipeline in the sheet', at: '#/new?pipeline=FACE+DETECTION+PIPELINE', shows: '.drawn' },
    { name: 'the jobs', at: '#/jobs', shows: `tr[data-job]` },
    {
      name: 'selected jobs',
      at: '#/jobs',
      shows: 'tr[data-job]',
      act: selectAll,
    },
    { name: 'selected media', at: '#/library', shows: 'a.tile img', act: selectAll },
    { name: 'selected lines', at: '#/library?view=list', shows: 'a.list-row', act: selectAll },
    { name: 'selected hits', at: '#/search?type=FACE', shows: 'ul.hits li', act: selectAll },
    { name: 'selected cameras', at: '#/streams', shows: '.wall .tile', act: selectAll },
    { name: 'selected pipelines', at: '#/pipelines', shows: '.pipelines .card', act: refuseToDelete },
    { name: 'selected people', at: '#/people', shows: 'ul.people li', act: selectAll },
    { name: 'a running job', at: `#/jobs/${jobs['running']}`, shows: 'h1 .status' },
    { name: 'an ended job', at: `#/jobs/${jobs['image']}`, shows: 'h1 .status' },
    { name: 'a failed job', at: `#/jobs/${jobs['failed']}`, shows: 'h1 .status' },
    { name: 'an unknown job', at: '#/jobs/nobody-99999', shows: '.problem' },
    { name: 'a video', at: `#/jobs/${jobs['video']}/${places['video']}`, shows: '.tracks li' },
    {
      name: 'a video with a chart, a heat map and a comparison',
      at: `#/jobs/${jobs['video']}/${places['video']}`,
      shows: '.tracks li',
      act: async (page) => {
        for (const name of ['Chart', 'Heat map', 'Compare'])
          await page.getByRole('button', { name, exact: true }).click();
        await page.locator('.chart canvas').waitFor();
      },
    },
    {
      name: 'the keys of the viewer',
      at: `#/jobs/${jobs['video']}/${places['video']}`,
      shows: '.tracks li',
      act: (page) => page.keyboard.press('?'),
    },
    { name: 'an image', at: `#/jobs/${jobs['image']}/${places['image']}`, shows: '.tracks li' },
    { name: 'a document', at: `#/jobs/${jobs['document']}/${places['document']}`, shows: '.tracks li' },
    { name: 'a sound', at: `#/jobs/${jobs['sound']}/${places['sound']}`, shows: '.tracks li' },
    { name: 'the search', at: '#/search', shows: '.facets a' },
    { name: 'hits', at: '#/search?type=TEXT', shows: 'ul.hits li' },
    { name: 'people', at: '#/people', shows: 'ul.people li' },
    {
      name: 'a person',
      at: '#/people',
      shows: 'ul.people li',
      act: async (page) => {
        await page.locator('ul.people li a').first().click();
        await page.getByRole('button', { name: 'Forget' }).waitFor();
      },
    },
    { name: 'a search by a picture or words', at: '#/search/similar', shows: 'form.find.large' },
    {
      name: 'similar findings',
      at: '#/search?type=FACE',
      shows: '.similar',
      act: async (page) => {
        await page.locator('.similar').first().click();
        await page.getByLabel('Compared with').waitFor();
      },
    },
    { name: 'no hits', at: '#/search?text=zeppelin', shows: 'main .hint' },
    {
      name: 'cameras',
      at: '#/streams',
      shows: '.wall .tile',
      act: (page) => page.locator('.ended tbody tr').first().waitFor(),
    },
    { name: 'a camera', at: `#/streams/${jobs['camera']}`, shows: 'h1' },
    { name: 'the pipelines', at: '#/pipelines', shows: '.pipelines .card' },
    { name: 'a pipeline', at: '#/pipelines/FACE%20DETECTION%20PIPELINE', shows: '.drawn' },
    { name: 'a new pipeline', at: '#/pipelines/new', shows: '.offer button' },
    {
      name: 'a copy of a pipeline',
      at: '#/pipelines/new?from=FACE+DETECTION+PIPELINE',
      shows: '.graph .choice',
      act: async (page) => {
        await page.locator('.graph .choice').first().click();
        await page.locator('.trial-medium').first().click();
        await page.getByRole('button', { name: 'Try it' }).click();
        await page.locator('.trial-result').waitFor();
      },
    },
    { name: 'the nodes', at: '#/nodes', shows: 'main table' },
    { name: 'the components', at: '#/components', shows: 'main table' },
    { name: 'an algorithm', at: '#/components/FACE', shows: 'main table' },
    { name: 'the account', at: '#/account', shows: 'main section table' },
    { name: 'the system', at: '#/operation', shows: 'main section table' },
    {
      name: 'the menu of the account',
      at: '#/pipelines',
      shows: 'header.top',
      act: (page) => page.getByLabel(/^Account of /).click(),
    },
    { name: 'the API', at: 'docs/api/', shows: '#notice' },
    ...(hasDocs ? [{ name: 'the documentation', at: 'docs/', shows: 'main' }] : []),
  ];

  /** The rule violations of a view, one line each. */
  async function look(page: Page, on: Service, { name, at, shows, act }: View) {
    await page.setViewportSize(WIDE);
    await page.goto('about:blank');
    await page.goto(`${on.url}/${at}`);
    await page.locator(shows).first().waitFor();
    await act?.(page);
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    return violationsOf(page, name);
  }

  /** Two pages share the views: one is checked while the other waits for the server. */
  async function violations(page: Page, on: Service, views: readonly View[]): Promise<string> {
    const left = [...views];
    const work = async (one: Page): Promise<readonly string[]> => {
      const wrong: string[] = [];
      for (let view = left.shift(); view !== undefined; view = left.shift())
        wrong.push(...(await look(one, on, view)));
      return wrong;
    };
    const other = await page.context().newPage();
    const wrong = await Promise.all([page, other].map(work));
    await other.close();
    await page.emulateMedia({ colorScheme: null, reducedMotion: null });
    return wrong.flat().join('\n');
  }

  it('follows the rules of axe-core while there is nothing', async () => {
    const { page } = await chromium.reader(empty, '');
    expect(await violations(page, empty, emptyViews)).to.equal('');
  });

  // Split into parts, because all views together exceed the time limit of a test on a busy machine.
  for (const part of [0, 1, 2, 3])
    it(`follows the rules of axe-core with jobs, media and a camera, part ${part + 1}`, async () => {
      const { page } = await chromium.reader(service, '');
      const views = fullViews().filter((_, n) => n % 4 === part);
      expect(await violations(page, service, views)).to.equal('');
    });

  it('follows the rules of axe-core before the login', async () => {
    const { page } = await chromium.stranger(service, '#/jobs');
    const link = await loginLinkOf(service);
    const views = [
      { name: 'the way in', at: '#/jobs', shows: '.login a' },
      { name: 'no link', at: 'login', shows: 'h1' },
      { name: 'a link', at: link.slice(service.url.length + 1), shows: 'button' },
      { name: 'a used link', at: 'login?code=used', shows: 'h1' },
    ];
    expect(await violations(page, service, views)).to.equal('');
  });
});
