/** The web page in a real browser, on a real service. */
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { packageRoot } from '../../config/info.ts';
import { violationsOf, WIDE } from '../support/browser/axe.ts';
import { Chromium, hasChromium } from '../support/browser/chromium.ts';
import { answer, inTurn, Receiver } from '../support/servers/receiver.ts';
import { sampleUri, Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { SHOWN } from './frame-truth-suite.ts';
import { viewerOfVideos } from './viewer/viewer-suite.ts';

const sample = (name: string) => join(packageRoot, 'samples', name);
interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}
const FACE = 'FACE DETECTION PIPELINE';
const TRICK = '<img src=x onerror="window.tricked=true"><b>bold</b>';

(hasChromium ? describe : describe.skip)('The page in a browser', function () {
  this.timeout(240_000 + SHOWN * 200);
  let service: Service;
  let chromium: Chromium;
  /** Id of a completed job. */
  let done: string;
  before(async () => {
    service = await Service.here();
    done = await light({ externalId: TRICK });
    chromium = await Chromium.start();
    await service.terminal(done);
  });
  after(async () => {
    await chromium?.close();
    await service.close();
  });

  const row = (page: Page, job: string) => page.locator(`tr[data-job="${job}"]`);
  const light = (more: object = {}) =>
    service.submit({ media: [sampleUri('digital-clock.jpg')], pipelineName: 'LIGHT PIPELINE', ...more });
  /** Creates a job that runs until it is cancelled. */
  const waitingJob = () =>
    service.submit({ media: [sampleUri('digital-clock.jpg')], pipelineName: 'ABSENT PIPELINE' });

  it('lets nobody see anything before the login, and comes back to the place that was asked for', async () => {
    const { page, complaints } = await chromium.stranger(service, '#/pipelines');
    await page.getByRole('link', { name: 'Log in' }).waitFor();
    expect(await page.getByRole('link', { name: 'Log in' }).getAttribute('href')).to.include(
      encodeURIComponent('#/pipelines'),
    );
    expect(await page.getByText(FACE).count()).to.equal(0);
    // This request fails by design when nobody is logged in.
    expect(complaints.filter((one) => !one.includes('/rest/session'))).to.deep.equal([]);
  });

  it('takes a file from the reader to the box on its face, without an error or a foreign request', async () => {
    const { page, complaints, foreign } = await chromium.reader(service, '#/new');
    await page.locator('input[type=file]:not([webkitdirectory])').setInputFiles(sample('astronaut.png'));
    await page.getByRole('button', { name: /^Choose a pipeline/ }).click();
    await page.getByLabel('Pipeline').selectOption(FACE);
    await page.getByText('FACE DETECTION TASK').waitFor();
    await page.getByText('Properties of FACE').click();
    await page.getByLabel('MIN_FACE_SIZE').fill('60');
    await page.getByRole('button', { name: 'Validate' }).click();
    await page.getByText('Everything is ready.').waitFor();
    // The job does not process images in parts, so there is no choice of a range.
    expect(await page.locator('.chosen .range').count()).to.equal(0);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.locator('h1 .status', { hasText: /^Complete$/ }).waitFor();

    const job = /#\/jobs\/([^/?]+)/.exec(page.url())![1]!;
    const document = await service.document(job);
    const [track] = document.media[0]!.output['FACE']![0]!.tracks!;
    await page.getByRole('link', { name: /astronaut\.png/ }).click();
    const boxes = page.locator('svg.boxes[data-frame="0"][data-known="true"]');
    await boxes.waitFor({ state: 'attached' });
    const { x, y, width, height } = track!.exemplar;
    await until('the box is drawn', async () =>
      (await boxes.locator('path').first().getAttribute('d'))?.includes(`M${x} ${y}h${width}v${height}`),
    );
    await page.locator('.picture img').evaluate((image: { decode(): Promise<void> }) => image.decode());
    // Without the width of the line.
    const placeOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => element.getBoundingClientRect().toJSON() as Place);
    // An outline that is being redrawn has no position.
    const drawn = await until(
      'the box has a place',
      () => placeOf('svg.boxes path'),
      ({ width: wide }) => wide > 0,
    );
    const picture = await placeOf('.picture img');
    const scale = picture.width / 512;
    expect((drawn.x - picture.x) / scale, 'left edge in pixels of the image').to.be.closeTo(x, 1);
    expect((drawn.y - picture.y) / scale, 'upper edge').to.be.closeTo(y, 1);
    expect(drawn.width / scale, 'width').to.be.closeTo(width, 1);

    await page.getByRole('button', { name: /^Face .* %$/ }).click();
    await boxes.locator('path.selected').waitFor({ state: 'attached' });
    await page.waitForURL(/track=0/);
    // A job may end while the page requests its current issues.
    expect(complaints.filter((one) => !/ 409 .*\/issues$/.test(one))).to.deep.equal([]);
    expect(foreign).to.deep.equal([]);
  });

  it('opens the library with a picture of each medium and what was found in it', async () => {
    const job = await service.submit({ media: [sampleUri('astronaut.png')], pipelineName: FACE });
    await service.terminal(job);
    await until(
      'the index has both jobs',
      async () => (await service.ask('GET', '/rest/library')).text,
      (media) => ['astronaut.png', 'digital-clock.jpg'].every((name) => media.includes(name)),
    );
    const { page, complaints } = await chromium.reader(service, '');
    const tile = page.locator('a.tile', { hasText: 'astronaut.png' }).filter({ hasText: '1 face' }).first();
    await tile.waitFor();
    const picture = tile.locator('img');
    await until('the picture is loaded', () =>
      picture.evaluate((image: { complete: boolean; naturalWidth: number }) => image.naturalWidth > 0),
    );
    expect(await tile.locator('svg rect').count()).to.equal(1);
    await page.getByRole('link', { name: /^Faces/ }).click();
    await page.waitForURL(/type=face/);
    await page.locator('a.tile', { hasText: 'digital-clock.jpg' }).first().waitFor({ state: 'detached' });
    await tile.click();
    await page.locator('svg.boxes path').first().waitFor({ state: 'attached' });
    expect(complaints).to.deep.equal([]);
  });

  it('starts an analysis from the sheet, as a job for each kind of medium', async () => {
    const { page } = await chromium.reader(service, '#/library');
    await page.getByRole('button', { name: 'New analysis' }).click();
    const sheet = page.getByRole('dialog', { name: 'New analysis' });
    await sheet
      .locator('input[type=file]:not([webkitdirectory])')
      .setInputFiles([sample('astronaut.png'), sample('green.wav')]);
    const goal = (name: RegExp) => sheet.getByRole('checkbox', { name });
    await until('speech is chosen for the sound', () => goal(/^Speech/).isChecked());
    await goal(/^People and things/).uncheck();
    await goal(/^Faces/).check();
    await sheet.getByText('This starts 2 jobs.').waitFor();
    await sheet.getByRole('button', { name: 'Start', exact: true }).click();
    await sheet.waitFor({ state: 'hidden' });
    const { body } = await service.ask('GET', '/rest/jobs?limit=2');
    const started = (body as { jobs: readonly { pipelineName: string }[] }).jobs;
    expect(started.map(({ pipelineName }) => pipelineName)).to.have.members([
      FACE,
      'SPEECH DETECTION PIPELINE',
    ]);
  });

  it('offers samples where there are no media yet, and opens what was found in one', async () => {
    const empty = await Service.here();
    try {
      const { page, complaints } = await chromium.reader(empty, '');
      await page.getByRole('button', { name: 'Text in a picture' }).click();
      await page.locator('h1 .status', { hasText: /^Complete$/ }).waitFor();
      await page.getByRole('link', { name: 'text.png' }).waitFor();
      expect(complaints.filter((one) => !/ 409 .*\/issues$/.test(one))).to.deep.equal([]);
    } finally {
      await empty.close();
    }
  });

  it('shows jobs of others as they come, go on and end, without being loaded again', async () => {
    const { page } = await chromium.reader(service, '#/jobs');
    const job = await light({ externalId: 'case 7' });
    await row(page, job).getByText('Complete').waitFor();
    expect(await row(page, job).textContent())
      .to.include('case 7')
      .and.to.include('digital-clock.jpg');
    await page.getByLabel('Status').selectOption('ERROR');
    await row(page, job).waitFor({ state: 'detached' });
    expect(page.url()).to.include('status=ERROR');
    await page.goBack();
    await row(page, job).waitFor();
  });

  it('cancels, runs again and deletes after a question that names the job', async () => {
    const { page } = await chromium.reader(service, '#/jobs');
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.accept();
    });
    const job = await waitingJob();
    await row(page, job).getByRole('button', { name: 'Cancel' }).click();
    await row(page, job).getByText('Cancelled').waitFor();
    await row(page, job).getByRole('button', { name: 'Run again' }).click();
    await row(page, job).getByRole('button', { name: 'Cancel' }).click();
    await row(page, job).getByText('Cancelled').waitFor();
    await row(page, job).getByRole('button', { name: 'Delete' }).click();
    await row(page, job).waitFor({ state: 'detached' });
    expect(asked.every((question) => question.includes(job))).to.equal(true);
    expect((await service.ask('GET', `/rest/jobs/${job}`)).status).to.equal(400);
  });

  it('selects jobs, and runs those again that can be, after a question that counts them', async () => {
    const broken = {
      media: [sampleUri('video_01_invalid.mp4')],
      pipelineName: 'LIGHT PIPELINE',
      externalId: 'the broken ones',
    };
    const jobs = [
      await service.submit(broken),
      await service.submit(broken),
      await light({ externalId: 'the broken ones' }),
    ];
    for (const job of jobs) await service.terminal(job);
    const { page } = await chromium.reader(service, '#/jobs?externalId=the+broken+ones');
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.accept();
    });
    const documents = async () => Promise.all(jobs.map(async (job) => (await service.job(job))?.startDate));
    const before = await documents();
    await page.getByLabel(`Select ${jobs[0]!}`).check();
    await page.getByLabel(`Select ${jobs[1]!}`).press('Space');
    await page.getByText('2 jobs selected').waitFor();
    await page.getByLabel('Selected jobs').getByRole('button', { name: 'Run again' }).click();
    const [first, second, third] = await until(
      'both have begun anew',
      documents,
      (after) => after[0] !== before[0] && after[1] !== before[1],
    );
    expect([first, second]).to.not.include(undefined);
    expect(third).to.equal(before[2]);
    expect(asked[0]).to.match(/^2 jobs\. Run them again/);
    await page.getByText('2 of 2 jobs done.').waitFor();
    await page.getByRole('button', { name: 'Select all', exact: true }).click();
    await page.getByLabel('Label for the selected jobs').fill('seen:today');
    await page.getByRole('button', { name: 'Add label' }).click();
    await page.getByText('3 of 3 jobs done.').waitFor();
    await row(page, jobs[2]!).getByRole('link', { name: 'seen:today' }).click();
    await row(page, jobs[0]!).waitFor();
    expect(page.url()).to.include('label=seen');
  });

  it('shows the attempts to deliver a callback and sends it again', async () => {
    const receiver = await Receiver.start(inTurn(answer(404), answer(204)));
    const job = await light({ callbackURL: receiver.url });
    const { page } = await chromium.reader(service, `#/jobs/${job}`);
    const callback = page.locator('section.callback');
    await callback.getByText('the receiver answered with status 404').waitFor();
    page.once('dialog', (dialog) => void dialog.accept());
    await callback.getByRole('button', { name: 'Send again' }).click();
    await callback.getByText('accepted with status 204').waitFor();
    expect(receiver.requests).to.have.length(2);
    await receiver.close();
  });

  it('changes how many of a service there are to be, down to none and back', async () => {
    const { page } = await chromium.reader(service, '#/nodes');
    const light = page.getByRole('row', { name: /TestLight/ });
    const less = light.getByRole('button', { name: /less$/ });
    const more = light.getByRole('button', { name: /more$/ });
    const readConfiguration = async () => {
      const { body } = await service.ask('GET', '/rest/nodes/config');
      const [node] = body as readonly {
        services: readonly { serviceName: string; serviceCount: number }[];
      }[];
      return node?.services.find(({ serviceName }) => serviceName === 'TestLight')?.serviceCount;
    };
    const before = (await readConfiguration())!;
    for (let n = 0; n < before; n++) await less.click();
    await until('there are none', async () => (await readConfiguration()) === 0);
    await until('no process is shown', async () => !(await light.textContent())!.includes('Configured'));
    for (let n = 0; n < before + 1; n++) await more.click();
    await until('two clicks count twice', async () => (await readConfiguration()) === before + 1);
    await less.click();
    await until('as before', async () => (await readConfiguration()) === before);
  });

  it('shows the last lines of a service to an administrator, as they come', async () => {
    await service.terminal(await light());
    const { page, complaints } = await chromium.reader(service, '#/nodes');
    await page.getByRole('button', { name: 'Log of test-host:TestLight:1' }).click();
    const dialog = page.getByRole('dialog', { name: 'Last lines of test-host:TestLight:1' });
    await dialog
      .getByText(/The process was started, with pid \d+/)
      .last()
      .waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(complaints).to.deep.equal([]);
  });

  it('offers the models of one’s own that lie below MODEL_ROOTS', async () => {
    const models = join(service.dataDir, 'models');
    mkdirSync(models, { recursive: true });
    for (const name of ['pets.onnx', 'ggml-base.bin']) writeFileSync(join(models, name), 'model');
    const { page, complaints } = await chromium.reader(service, '#/new');
    await page.getByRole('button', { name: /^Choose a pipeline/ }).click();
    await page.getByLabel('Pipeline').selectOption('ONNX DETECTION PIPELINE');
    await page.getByText('Properties of ONNX').click();
    const field = page.getByRole('combobox', { name: /^MODEL_NAME/ });
    const list = page.locator(`datalist[id="${await field.getAttribute('list')}"] option`);
    expect(await list.count()).to.equal(1);
    expect(await list.getAttribute('value')).to.equal('pets.onnx');
    await field.fill('pets.onnx');
    await page.getByText('1 set').waitFor();
    expect(complaints).to.deep.equal([]);
  });

  it('offers subtitles only for a medium that has cues', async () => {
    const spoken = await service.submit({
      media: [sampleUri('green.wav')],
      pipelineName: 'SPEECH DETECTION PIPELINE',
    });
    await service.terminal(spoken);
    const { page } = await chromium.reader(service, '#/jobs');
    const offeredNames = async (job: string) => {
      await page.goto(`${service.url}/#/jobs/${job}/${await service.placeOf(job)}`);
      await page.getByRole('link', { name: job }).waitFor();
      const menu = page.locator('details:has(summary[aria-label="Export"])');
      await menu.locator('summary').click();
      await menu.getByRole('link', { name: 'NDJSON' }).waitFor();
      return menu.getByRole('link').allTextContents();
    };
    const tables = ['Spreadsheet (CSV)', 'Data analysis (Parquet)', 'Programs (NDJSON)'];
    const start = ['Original file', 'Report to share or print (HTML)'];
    expect(await offeredNames(spoken)).to.deep.equal([
      ...start,
      'Subtitles (WebVTT)',
      'Subtitles (SubRip)',
      ...tables,
    ]);
    expect(await offeredNames(done)).to.deep.equal([
      ...start,
      ...tables,
      'Correct in CVAT',
      'Correct in Label Studio',
      'Train a model (YOLO)',
      'Train a model, with pictures (YOLO)',
      'Train a model (COCO)',
    ]);
    const menu = page.locator('details:has(summary[aria-label="Export"])');
    const download = page.waitForEvent('download');
    await menu.getByRole('link', { name: 'Report to share' }).click();
    expect((await download).suggestedFilename()).to.match(/-medium-\d+\.html$/);
  });

  it('opens the exports of a medium and of a job inside the window, also of a phone', async () => {
    for (const size of [
      { width: 1280, height: 720 },
      { width: 390, height: 844 },
    ])
      for (const view of [`jobs/${done}`, `jobs/${done}/${await service.placeOf(done)}`]) {
        const { page } = await chromium.reader(service, `#/${view}`, { size });
        const menu = page.locator('details:has(summary[aria-label="Export"])');
        await menu.locator('summary').click();
        const list = menu.locator('.menu-list');
        await list.waitFor();
        const { x, width } = (await list.boundingBox())!;
        expect(x, `${view} at ${size.width}`).to.be.at.least(0);
        expect(x + width, `${view} at ${size.width}`).to.be.at.most(size.width);
      }
  });

  it('shows the slide on which a text was found, and no time', async () => {
    const id = await service.submit({
      media: [sampleUri('slides.odp')],
      pipelineName: 'DOCUMENT TEXT DETECTION PIPELINE',
    });
    await service.terminal(id);
    const { page } = await chromium.reader(service, '#/jobs');
    const first = page.locator('ul.hits li small').first();
    await until('the text is found', async () => {
      await page.goto(`${service.url}/#/search?type=TEXT`);
      await page.reload();
      await page.locator('ul.hits li, .empty').first().waitFor();
      return (await first.count()) > 0;
    });
    expect(await first.textContent()).to.match(/^slides\.odp, slide \d+ · /);
  });

  it('shows a camera on the wall while it is live, then in a list, however long its address is', async () => {
    // Accepts connections and sends nothing.
    const camera = createServer().listen(0, '127.0.0.1');
    await once(camera, 'listening');
    const host = `127.0.0.1:${(camera.address() as AddressInfo).port}`;
    const { status, body } = await service.ask('POST', '/rest/streaming/jobs', {
      enableOutputToDisk: false,
      pipelineName: 'MOTION DETECTION PIPELINE',
      stallTimeout: 0,
      stream: { streamUri: `http://${host}/${'street/'.repeat(40)}`, segmentSize: 100 },
    });
    expect(status).to.equal(201);
    const { page } = await chromium.reader(service, '#/streams');
    const tile = page.locator('.wall .tile', { hasText: host });
    await tile
      .getByText('Motion · since')
      .or(tile.getByText(/connect/i))
      .first()
      .waitFor();
    const { width } = (await tile.boundingBox())!;
    expect(width).to.be.below(700);
    const { jobId } = body as { jobId: number };
    await service.ask('POST', `/rest/streaming/jobs/${jobId}/cancel`);
    const ended = page.getByRole('region', { name: 'Ended' });
    await ended.getByRole('row', { name: host }).getByText('Cancelled', { exact: true }).waitFor();
    await ended.getByRole('heading', { name: 'Ended (1)' }).waitFor();
    await tile.waitFor({ state: 'detached' });
    await page.getByText('No camera is live.').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(1280);
    camera.close();
  });

  it('shows what others have written as text, and runs nothing of it', async () => {
    const { page } = await chromium.reader(service, '#/jobs');
    await row(page, done).getByText(TRICK).waitFor();
    await page.goto(`${service.url}/#/jobs/${done}`);
    await page.getByText(TRICK).waitFor();
    expect(await page.evaluate('window.tricked')).to.equal(undefined);
  });

  it('can be read on a narrow screen, in every view, without moving it sideways', async () => {
    const { page } = await chromium.reader(service, '#/jobs', { size: { width: 320, height: 640 } });
    for (const view of [
      'library',
      'search?text=zeppelin',
      'jobs',
      `jobs/${done}`,
      `jobs/${done}/${await service.placeOf(done)}`,
      'new',
      'streams',
      'pipelines',
      'pipelines/new',
      'components',
      'nodes',
      'operation',
      'account',
    ]) {
      await page.goto(`${service.url}/#/${view}`);
      await page.locator('main h1').first().waitFor();
      await page.waitForLoadState('networkidle').catch(() => undefined);
      const wide = await page.evaluate('document.documentElement.scrollWidth');
      expect(wide, view).to.be.at.most(320);
    }
  });

  it('creates an API key, shows it once, and revokes it', async () => {
    const size = { width: 320, height: 640 };
    const { page } = await chromium.reader(service, '#/account', { size });
    await page.getByText('Scripts send a key as their bearer token.').waitFor();
    await page.getByLabel('What the new key is for').fill('nightly import');
    await page.getByRole('button', { name: 'Create' }).click();
    const shown = page.getByRole('status').locator('code');
    const key = (await shown.textContent()) ?? '';
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(320);
    const as = { authorization: `Bearer ${key}` };
    const statusOf = async () => (await service.ask('GET', '/rest/info', undefined, as)).status;
    expect(await statusOf()).to.equal(200);
    await page.reload();
    await page.getByRole('rowheader', { name: 'nightly import' }).waitFor();
    expect(await shown.count()).to.equal(0);
    page.once('dialog', (question) => void question.accept());
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Scripts send a key as their bearer token.').waitFor();
    expect(await statusOf()).to.equal(401);
  });

  it('is used by keys alone: to the content, to a job and to its button', async () => {
    const { page } = await chromium.reader(service, '#/jobs');
    await row(page, done).waitFor();
    const focusedLink = () => page.evaluate('document.activeElement?.getAttribute("href")');
    const wanted = `#/jobs/${done}`;
    await page.keyboard.press('Tab');
    // Newer jobs of other tests come first.
    for (let n = 0; n < 200 && (await focusedLink()) !== wanted; n++) await page.keyboard.press('Tab');
    expect(await focusedLink()).to.equal(wanted);
    await page.keyboard.press('Enter');
    await page.locator('main').getByText(done, { exact: true }).waitFor();
  });

  describe('shows a video and', () => viewerOfVideos(() => ({ service, chromium })));

  // Mocha runs a nested `describe` after the tests above. These tests end the server and the login session.
  describe('at last', () => {
    it('says that nothing new can come when the service is gone, and goes on when it is back', async () => {
      const { page } = await chromium.reader(service, '#/jobs');
      await row(page, await waitingJob()).waitFor();
      await service.stop();
      await page.getByText('The connection is lost; last seen').waitFor();
      await service.startHere({ PORT: new URL(service.url).port });
      await page.getByText('The connection is lost').waitFor({ state: 'detached' });
      await row(page, await waitingJob()).waitFor();
    });

    it('logs out here', async () => {
      const { page } = await chromium.reader(service, '#/jobs');
      await page.getByLabel(/^Account of /).click();
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByRole('link', { name: 'Log in' }).waitFor();
      await page.reload();
      await page.getByRole('link', { name: 'Log in' }).waitFor();
      chromium.loggedOut(service, 'ADMIN');
    });

    it('gives users no button that only administrators may press', async () => {
      const { page: admin } = await chromium.reader(service, '#/nodes');
      await admin.getByRole('row', { name: /TroupeFaceDetection/ }).waitFor();
      expect(await admin.getByRole('button', { name: /less$/ }).count()).to.be.above(0);
      const { page, complaints } = await chromium.reader(service, '', { as: 'USER' });
      expect(await page.getByRole('link', { name: 'System' }).count()).to.equal(0);
      for (const view of ['nodes', 'operation', 'components']) {
        await page.goto(`${service.url}/#/${view}`);
        await page.getByText('This view needs the role ADMIN, which your account does not have.').waitFor();
        expect(await page.getByRole('navigation', { name: 'System' }).count()).to.equal(0);
        expect(await page.getByRole('button', { name: /less$/ }).count()).to.equal(0);
        expect(await page.getByRole('button', { name: /^Log of/ }).count()).to.equal(0);
      }
      expect(await violationsOf(page, 'a system view for a user')).to.deep.equal([]);
      expect(complaints).to.deep.equal([]);
      await page.setViewportSize(WIDE);
      await page.goto(`${service.url}/#/components/FACE`);
      await page.getByRole('rowheader', { name: 'MIN_FACE_SIZE' }).waitFor();
      await page.getByRole('link', { name: 'Pipelines' }).click();
      await page.getByRole('link', { name: /^Face detection Finds/ }).click();
      await page.getByText(FACE, { exact: true }).waitFor();
      await page.getByText('FACE DETECTION TASK').waitFor();
      expect(await page.getByRole('button', { name: 'Delete' }).count()).to.equal(0);
    });
  });
});
