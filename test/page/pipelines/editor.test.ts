/** The graph editor of pipelines in a real browser with a real service. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { Chromium, hasChromium } from '../../support/browser/chromium.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const pathOf = (name: string) => sampleUri(name).replace('file://', '');

(hasChromium ? describe : describe.skip)('The editor of pipelines', function () {
  this.timeout(240_000);
  let service: Service;
  let chromium: Chromium;
  before(async () => {
    service = await Service.here();
    chromium = await Chromium.start();
  });
  after(async () => {
    await chromium?.close();
    await service.close();
  });

  const save = (page: Page) => page.getByRole('button', { name: 'Save pipeline' });
  /** Opens an empty editor. */
  const fresh = async () => {
    const { page } = await chromium.reader(service, '#/pipelines');
    await page.getByRole('link', { name: 'New pipeline' }).click();
    return page;
  };
  const choose = async (page: Page, text: string) => {
    await page.getByLabel('Find an action').fill(text);
    await page.locator('.offer button').first().click();
  };
  const titles = (page: Page) => page.locator('.graph .choice > span:not(.unseen)').allInnerTexts();
  const bodyOf = async (path: string) =>
    (await service.ask('GET', `/rest/${path}`)).body as Readonly<Record<string, unknown>>;

  it('stores a pipeline of two tasks that was made by keyboard alone', async () => {
    const { page, complaints } = await chromium.reader(service, '#/pipelines');
    await page.getByRole('link', { name: 'New pipeline' }).press('Enter');
    // The search field of the list of actions has the focus.
    await page.getByLabel('Find an action').waitFor();
    await until('the field has the focus', () =>
      page.evaluate(`document.activeElement.getAttribute('type') === 'search'`),
    );
    await page.keyboard.type('face detection');
    await until(
      'the action comes first',
      () => page.locator('.offer li').first().innerText(),
      (text) => text.startsWith('Face detection'),
    );
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add a task' }).press('Enter');
    await page.keyboard.type('markup');
    await until(
      'the action comes first',
      () => page.locator('.offer li').first().innerText(),
      (text) => text.includes('arkup'),
    );
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Give the pipeline a name.').waitFor();
    await page.getByLabel('Name', { exact: true }).focus();
    await page.keyboard.type('drawn faces');
    await page.getByText('The server accepts this pipeline.').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Drawn faces' }).waitFor();
    const { tasks } = await bodyOf('pipelines/DRAWN%20FACES');
    expect(tasks).to.deep.equal(['DRAWN FACES 1 TASK', 'DRAWN FACES 2 TASK']);
    expect((await bodyOf('tasks/DRAWN%20FACES%201%20TASK'))['actions']).to.deep.equal([
      'FACE DETECTION ACTION',
    ]);
    expect(complaints.filter((one) => !one.includes(' 400 '))).to.deep.equal([]);
  });

  it('shows what the server refuses while it is typed, at the action', async () => {
    const page = await fresh();
    await page.getByLabel('Name', { exact: true }).fill('wrong');
    await choose(page, 'face detection');
    await page.getByText('The server accepts this pipeline.').waitFor();
    await page.getByLabel('MIN_FACE_SIZE').fill('many');
    await page.locator('.verdict .bad', { hasText: 'MIN_FACE_SIZE' }).waitFor();
    expect(await page.locator('.action.wrong').count()).to.equal(1);
    expect(await save(page).isDisabled()).to.equal(true);
    await page.getByLabel('MIN_FACE_SIZE').fill('8');
    await page.getByText('The server accepts this pipeline.').waitFor();
    expect(await page.locator('.action.wrong').count()).to.equal(0);
    expect(await save(page).isEnabled()).to.equal(true);
  });

  it('refuses a name that another pipeline has', async () => {
    const page = await fresh();
    await choose(page, 'face detection');
    await page.getByLabel('Name', { exact: true }).fill('face detection pipeline');
    await page.getByText('A pipeline named FACE DETECTION PIPELINE exists.').waitFor();
    expect(await save(page).isDisabled()).to.equal(true);
  });

  it('moves tasks by buttons and by dragging', async () => {
    const page = await fresh();
    await choose(page, 'face detection');
    for (const text of ['text detection', 'barcode']) {
      await page.getByRole('button', { name: 'Add a task' }).click();
      await choose(page, text);
    }
    const before = await titles(page);
    expect(before).to.have.length(3);
    const [first, second, third] = before;
    await page.getByRole('button', { name: 'Move task 1 later' }).click();
    expect(await titles(page)).to.deep.equal([second, first, third]);
    await page.locator('.task header').nth(2).dragTo(page.locator('.task header').nth(0));
    await until(
      'the last task is the first one',
      () => titles(page),
      (order) => order.join() === [third, second, first].join(),
    );
  });

  it('copies a pipeline with another value, and deletes the copy with its parts', async () => {
    const { page } = await chromium.reader(service, '#/pipelines/FACE%20DETECTION%20PIPELINE', {
      as: 'USER',
    });
    await page.getByRole('link', { name: 'Copy and change' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Small faces');
    await page.locator('.graph .choice').click();
    await page.getByLabel('MIN_FACE_SIZE').fill('8');
    await until('it can be saved', () => save(page).isEnabled());
    await save(page).click();
    await page.getByText('MIN_FACE_SIZE = 8').waitFor();
    expect((await service.ask('GET', '/rest/actions/SMALL%20FACES%20ACTION')).status).to.equal(200);
    page.on('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: 'New pipeline' }).waitFor();
    for (const path of [
      'pipelines/SMALL%20FACES',
      'tasks/SMALL%20FACES%20TASK',
      'actions/SMALL%20FACES%20ACTION',
    ])
      expect((await service.ask('GET', `/rest/${path}`)).status, path).to.equal(404);
  });

  it('offers no removal of a pipeline of a component to a user', async () => {
    const { page } = await chromium.reader(service, '#/pipelines/FACE%20DETECTION%20PIPELINE', {
      as: 'USER',
    });
    await page.getByRole('link', { name: 'Copy and change' }).waitFor();
    expect(await page.getByRole('button', { name: 'Delete' }).count()).to.equal(0);
  });

  it('draws what a pipeline finds in one picture, and leaves no job', async () => {
    const jobs = async () => (await bodyOf('jobs'))['jobs'];
    const before = await jobs();
    const page = await fresh();
    await choose(page, 'face detection');
    await page.locator('.trial input[type=file]').setInputFiles(pathOf('astronaut.png'));
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByText(/^Found 1 face in /).waitFor();
    await page.locator('.trial svg.boxes path').waitFor({ state: 'attached' });
    expect(
      await page
        .locator('.trial .picture img')
        .evaluate((image: { naturalWidth: number }) => image.naturalWidth),
    ).to.equal(512);
    expect(await jobs()).to.deep.equal(before);
  });

  it('tries a pipeline on a frame of a video of the library', async () => {
    const job = await service.submit({
      media: [sampleUri('face_move.mp4')],
      pipelineName: 'FACE DETECTION PIPELINE',
    });
    await service.terminal(job, 120_000);
    await until(
      'the index has the job',
      async () => (await service.ask('GET', '/rest/library')).body as { media: readonly unknown[] },
      ({ media }) => media.length > 0,
    );
    const page = await fresh();
    await choose(page, 'motion');
    await page.getByRole('button', { name: 'face_move.mp4' }).click();
    await page.getByLabel('Number of the frame').fill('3');
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.locator('.trial-result [role=status]').waitFor();
    expect(await page.locator('.trial > .problem').count()).to.equal(0);
  });
});
