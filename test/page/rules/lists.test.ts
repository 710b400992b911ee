/**
 * Every list of the page in a real browser: selection by pointer and keyboard, and actions on the selection.
 */
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { Chromium, hasChromium } from '../../support/browser/chromium.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const FACES = ['astronaut.png', 'face_move.mp4', 'grace_hopper_512x512.jpg'];
const PICTURES = ['astronaut.png', 'digital-clock.jpg', 'race.jpg'];

const portOf = (server: Server) => (server.address() as AddressInfo).port;

interface List {
  readonly name: string;
  readonly at: string;
  /** Name of the action bar. */
  readonly bar: string;
  /** The text for three selected entries. */
  readonly three: RegExp;
  readonly prepare: () => Promise<unknown>;
  /** An action on three entries, with a check of its effect on the server. */
  readonly act: (page: Page, bar: Locator) => Promise<unknown>;
}

(hasChromium ? describe : describe.skip)('Every list of the page', function () {
  this.timeout(240_000);
  let service: Service;
  let chromium: Chromium;
  /** A server that accepts connections and sends nothing. */
  const camera = createServer();
  before(async () => {
    service = await Service.here({
      FACE_EMBEDDING: 'true',
      STREAM_CONNECT_MS: '120000',
      STREAM_FIRST_PICTURE_MS: '120000',
    });
    camera.listen(0, '127.0.0.1');
    chromium = await Chromium.start();
  });
  after(async () => {
    await chromium?.close();
    await service.close();
    camera.close();
  });

  const body = async <T>(path: string) => (await service.ask('GET', path)).body as T;
  const media = () => body<{ media: { jobId: string }[] }>('/rest/library').then((page) => page.media);
  const jobs = () =>
    body<{ jobs: { jobId: string; labels: string[] }[] }>('/rest/jobs').then((page) => page.jobs);
  const people = () =>
    body<{ people: { id: string; tracks: number }[] }>('/rest/people').then((page) => page.people);
  const streams = (query = '') =>
    body<{ jobIds: number[] }>(`/rest/streaming/jobs${query}`).then(({ jobIds }) => jobIds);
  /** Cancels running jobs first. */
  const deleteJobs = async () => {
    const deleteSome = async () => {
      const all = await jobs();
      for (const { jobId } of all)
        if ((await service.ask('DELETE', `/rest/jobs/${jobId}`)).status !== 204) await service.cancel(jobId);
      return all;
    };
    await until('no job is left', deleteSome, (all) => all.length === 0);
    await until('the index is empty', media, (all) => all.length === 0);
  };
  const analyzePictures = async (pipelineName = 'LIGHT PIPELINE') => {
    await deleteJobs();
    for (const name of PICTURES)
      await service.terminal(await service.submit({ media: [sampleUri(name)], pipelineName }));
    await until('the index has all', media, (all) => all.length === PICTURES.length);
  };
  const analyzeFaces = async () => {
    await deleteJobs();
    const jobProperties = { FACES_PER_TRACK: '1' };
    const pipelineName = 'FACE EMBEDDING PIPELINE';
    await service.terminal(
      await service.submit({ media: FACES.map(sampleUri), pipelineName, jobProperties }),
      120_000,
    );
    await until('the faces are in groups', people, (all) => all.length === 2 && all[0]!.tracks === 2);
  };
  const track = async (id: string) =>
    (await body<{ tracks: Record<'jobId' | 'mediaId' | 'trackId', unknown>[] }>(`/rest/people/${id}`))
      .tracks[0]!;
  /** Makes a person of each of the three faces. */
  const splitPeople = async () => {
    await analyzeFaces();
    const { id } = (await people())[0]!;
    const { jobId, mediaId, trackId } = await track(id);
    await service.ask('POST', `/rest/people/${id}/split`, { tracks: [{ jobId, mediaId, trackId }] });
  };
  /** Makes one person of all three faces. */
  const mergePeople = async () => {
    await analyzeFaces();
    const [one, other] = await people();
    await service.ask('POST', `/rest/people/${one!.id}/merge`, { person: other!.id });
  };
  const connectCameras = async () => {
    for (const name of ['yard', 'street', 'door'])
      await service.ask('POST', '/rest/streaming/jobs', {
        enableOutputToDisk: false,
        pipelineName: 'MOTION DETECTION PIPELINE',
        stallTimeout: -1,
        stream: { streamUri: `http://127.0.0.1:${portOf(camera)}/${name}`, segmentSize: 100 },
      });
  };
  const storePipelines = async () => {
    for (const name of ['AAA ONE', 'AAA TWO'])
      await service.ask('POST', '/rest/pipelines', { name, description: 'Own.', tasks: ['LIGHT TASK'] });
  };
  const button = (bar: Locator, name: string) => bar.getByRole('button', { name, exact: true });
  /** The text of the file that a click downloads. */
  const download = async (page: Page, press: () => Promise<unknown>) => {
    const [file] = await Promise.all([page.waitForEvent('download'), press()]);
    return readFileSync(await file.path(), 'utf8');
  };
  const addLabel = async (bar: Locator, label: string) => {
    await bar.getByLabel('Label for the selected jobs').fill(label);
    await button(bar, 'Add label').click();
    await bar.getByText('3 of 3 jobs done.').waitFor();
    expect((await jobs()).map(({ labels }) => labels)).to.deep.equal([[label], [label], [label]]);
  };

  const lists: readonly List[] = [
    {
      name: 'the library as a grid',
      at: '#/library',
      bar: 'Selected jobs',
      three: /^3 jobs selected$/,
      prepare: analyzePictures,
      act: (_page, bar) => addLabel(bar, 'grid'),
    },
    {
      name: 'the library as a list',
      at: '#/library?view=list',
      bar: 'Selected jobs',
      three: /^3 jobs selected$/,
      prepare: analyzePictures,
      async act(page, bar) {
        await button(bar, 'Delete').click();
        await bar.getByText('3 of 3 jobs done.').waitFor();
        expect(await jobs()).to.deep.equal([]);
        await page.getByRole('button', { name: 'Choose files' }).waitFor();
      },
    },
    {
      name: 'the jobs',
      at: '#/jobs',
      bar: 'Selected jobs',
      three: /^3 jobs selected$/,
      async prepare() {
        await deleteJobs();
        for (const pipelineName of ['LIGHT PIPELINE', 'LIGHT PIPELINE', 'ABSENT PIPELINE'])
          await service.submit({ media: [sampleUri('digital-clock.jpg')], pipelineName });
        await until(
          'two have ended',
          () => body<{ jobs: unknown[] }>('/rest/jobs?terminal=true'),
          ({ jobs: ended }) => ended.length === 2,
        );
      },
      async act(_page, bar) {
        await button(bar, 'Delete').click();
        await bar.getByText('2 of 3 jobs done.').waitFor();
        const [left, ...others] = await jobs();
        expect(others).to.deep.equal([]);
        await bar.getByText(`1 job refused: The job has not ended. (${left!.jobId})`).waitFor();
        await service.cancel(left!.jobId);
        await service.terminal(left!.jobId);
        await button(bar, 'Try again').click();
        await bar.getByText('1 of 1 job done.').waitFor();
        expect(await jobs()).to.deep.equal([]);
      },
    },
    {
      name: 'hits of the search',
      at: '#/search?type=FACE',
      bar: 'Selected findings',
      three: /^3 findings selected$/,
      async prepare() {
        await deleteJobs();
        for (const name of FACES)
          await service.terminal(
            await service.submit({ media: [sampleUri(name)], pipelineName: 'FACE DETECTION PIPELINE' }),
            120_000,
          );
        await until('the index has all', media, (all) => all.length === FACES.length);
      },
      async act(page, bar) {
        const csv = await download(page, async () => {
          await bar.getByLabel('Export').click();
          await button(bar, 'Spreadsheet (CSV)').click();
        });
        const [head = '', ...rows] = csv.trimEnd().split('\r\n');
        expect(head).to.match(/^job_id,media_id,medium,.*,track_confidence,/);
        expect(rows).to.have.length(3);
        for (const name of FACES) expect(csv).to.include(`/${name},`);
        const json = await download(page, () => button(bar, 'Everything (JSON)').click());
        expect(JSON.parse(json)).to.have.length(3);
        await page.keyboard.press('Escape');
        await addLabel(bar, 'seen');
        await button(bar, 'Analyze 3 media').click();
        const sheet = page.getByRole('dialog', { name: 'New analysis' });
        for (const name of FACES) await sheet.locator('.chosen').getByText(name).waitFor();
        await sheet.getByRole('checkbox', { name: /^Faces/ }).check();
        await sheet.getByRole('button', { name: 'Start', exact: true }).click();
        await until('new jobs run', jobs, (all) => all.length > 3);
      },
    },
    {
      name: 'cameras',
      at: '#/streams',
      bar: 'Selected cameras',
      three: /^3 cameras selected$/,
      prepare: connectCameras,
      async act(page, bar) {
        const before = await streams();
        await page.route(`**/rest/streaming/jobs/${before[0]}/cancel*`, (route) => route.abort());
        await button(bar, 'Stop').click();
        await bar.getByText('2 of 3 cameras done.').waitFor();
        await bar.getByText(`(stream ${before[0]}): The service cannot be reached.`).waitFor();
        await page.unrouteAll();
        await button(bar, 'Try again').click();
        await bar.getByText('1 of 1 camera done.').waitFor();
        await until('all have ended', streams, (ids) => ids.length === 0);
        await until('the page knows', () => button(bar, 'Stop').isDisabled());
        await button(bar, 'Restart').click();
        await bar.getByText('3 of 3 cameras done.').waitFor();
        expect(await streams()).to.have.length(3);
        await button(bar, 'Select all').click();
        await bar.getByText('6 cameras selected').waitFor();
        await button(bar, 'Delete').click();
        await bar.getByText('6 of 6 cameras done.').waitFor();
        expect(await streams('?isActive=false')).to.deep.equal([]);
        await page.getByText('No camera is connected.').waitFor();
      },
    },
    {
      name: 'pipelines',
      at: '#/pipelines',
      bar: 'Selected pipelines',
      three: /^3 pipelines selected$/,
      prepare: storePipelines,
      async act(page, bar) {
        const file = JSON.parse(await download(page, () => button(bar, 'Export').click())) as Record<
          'pipelines' | 'tasks' | 'actions',
          { readonly name: string }[]
        >;
        const names = file.pipelines.map(({ name }) => name);
        expect(names.slice(0, 2)).to.deep.equal(['AAA ONE', 'AAA TWO']);
        expect(file.tasks.map(({ name }) => name)).to.include('LIGHT TASK');
        expect(file.actions.map(({ name }) => name)).to.include('LIGHT ACTION');
        for (const kind of ['pipelines', 'tasks', 'actions'] as const)
          for (const element of file[kind])
            expect((await service.ask('POST', `/rest/${kind}`, element)).status).to.equal(200);
        await button(bar, 'Delete').click();
        await bar.getByText('2 of 3 pipelines done.').waitFor();
        await bar.getByText(/: Built in\. Pipelines of components cannot be deleted\./).waitFor();
        const left = (await body<{ name: string }[]>('/rest/pipelines')).map(({ name }) => name);
        expect(left).to.include(names[2]);
        expect(left.filter((name) => name.startsWith('AAA'))).to.deep.equal([]);
      },
    },
    {
      name: 'faces of a person',
      at: '#/people',
      bar: 'Selected faces',
      three: /^3 faces selected$/,
      prepare: mergePeople,
      async act(page, bar) {
        expect(await button(bar, 'This is somebody else').isDisabled()).to.equal(true);
        await page.getByRole('checkbox').nth(2).uncheck();
        await button(bar, 'This is somebody else').click();
        await until('two are people again', people, (all) => all.length === 2);
      },
    },
    {
      name: 'people',
      at: '#/people',
      bar: 'Selected people',
      three: /^3 people selected$/,
      prepare: splitPeople,
      async act(page, bar) {
        await page.getByRole('checkbox').nth(2).uncheck();
        await button(bar, 'Merge into one person').click();
        await bar.getByText('1 of 1 person done.').waitFor();
        await until('two are left', people, (all) => all.length === 2);
        await button(bar, 'Select all').click();
        await button(bar, 'Forget').click();
        await bar.getByText('2 of 2 people done.').waitFor();
        expect(await people()).to.deep.equal([]);
      },
    },
  ];

  /** Positions of the list and its entries. */
  const placesOf = (page: Page) =>
    page.evaluate<string>(
      `JSON.stringify([...document.querySelectorAll('main :is(a, input[data-place], tr, li)')].filter((one) => one.closest('section.selection') === null)
        .map((one) => Object.values(one.getBoundingClientRect().toJSON()).map(Math.round)))`,
    );
  const isFocused = (one: Locator) =>
    one.evaluate((element) => element === element.ownerDocument.activeElement);
  /** Positions after pictures and events have been loaded. */
  const settledPlaces = async (page: Page) => {
    let last = '';
    return until(
      'nothing moves by itself',
      async () => {
        const before = last;
        last = await placesOf(page);
        return { last, isSame: last === before };
      },
      ({ isSame }) => isSame,
      { everyMs: 400 },
    ).then(({ last: places }) => places);
  };
  const open = async ({ at, bar }: List) => {
    const { page, complaints } = await chromium.reader(service, '#/account');
    page.on('dialog', (dialog) => void dialog.accept());
    await page.goto('about:blank');
    await page.goto(`${service.url}/${at}`);
    if (bar === 'Selected faces') await page.locator('ul.people a').first().click();
    const fields = page.getByRole('checkbox', { name: /^Select / });
    await fields.nth(2).waitFor();
    return { page, complaints, fields, bar: page.getByRole('region', { name: bar }) };
  };
  interface Opened {
    readonly page: Page;
    readonly fields: Locator;
    readonly bar: Locator;
  }
  const says = (bar: Locator, n: number) => bar.getByText(new RegExp(`^${n} \\w+ selected$`)).waitFor();

  const selectByKeys = async ({ page, fields, bar }: Opened) => {
    const before = await settledPlaces(page);
    await fields.first().focus();
    await page.keyboard.press('Space');
    await says(bar, 1);
    expect(await placesOf(page), 'nothing moves').to.equal(before);
    await page.keyboard.press('Shift+ArrowRight');
    await says(bar, 2);
    expect(await isFocused(fields.nth(1))).to.equal(true);
    await page.keyboard.press('Shift+ArrowLeft');
    await says(bar, 1);
    await fields.nth(2).focus();
    await page.keyboard.press('Shift+Space');
    await says(bar, 3);
    await page.keyboard.press('Escape');
    await button(bar, 'Clear').waitFor({ state: 'detached' });
    for (let n = 0; n < 3; n++) expect(await fields.nth(n).isChecked()).to.equal(false);
  };
  const selectByPointer = async ({ fields, bar }: Opened) => {
    await fields.first().press('Control+a');
    await says(bar, await fields.count());
    await button(bar, 'Clear').click();
    await until('the focus is in the list', () => isFocused(fields.first()));
    await fields.first().click();
    await fields.nth(2).click({ modifiers: ['Shift'] });
    await says(bar, 3);
  };

  for (const list of lists)
    it(`selects in ${list.name} by keys and by pointer, and acts on all that is selected`, async () => {
      await list.prepare();
      const { complaints, ...opened } = await open(list);
      await selectByKeys(opened);
      await selectByPointer(opened);
      await opened.bar.getByText(list.three).waitFor();
      // The cameras send no picture, and one request is blocked.
      const isExpected = (one: string) => /ERR_FAILED|frame\.jpg/.test(one);
      expect(complaints.filter((one) => !isExpected(one))).to.deep.equal([]);
      await list.act(opened.page, opened.bar);
      // A request for one of the entries may arrive after its deletion.
      const isOfDeleted = (one: string) => /status of 40[04] .*\/jobs\/[^/?]+[/?]/.test(one);
      expect(complaints.filter((one) => !isExpected(one) && !isOfDeleted(one))).to.deep.equal([]);
    });

  it('selects a tile by Space on its link, and a range by Shift on another one', async () => {
    await analyzePictures();
    const { page, fields, bar } = await open(lists[0]!);
    const tiles = page.locator('a.tile');
    await tiles.first().focus();
    await page.keyboard.press('Space');
    await says(bar, 1);
    await tiles.nth(2).click({ modifiers: ['Shift'] });
    await says(bar, 3);
    expect(await fields.nth(1).isChecked()).to.equal(true);
    await page.getByRole('link', { name: 'List', exact: true }).click();
    await page.locator('a.list-row').first().waitFor();
    await says(bar, 3);
  });

  it('shows check fields on tiles near the pointer or the focus, then on all', async () => {
    await analyzePictures();
    const { page, fields } = await open(lists[0]!);
    const shown = () =>
      page.evaluate<number>(
        `[...document.querySelectorAll('.item > .choose')].filter((one) => getComputedStyle(one).opacity === '1').length`,
      );
    await page.mouse.move(0, 0);
    expect(await shown()).to.equal(0);
    await page.locator('a.tile').nth(1).hover();
    expect(await shown()).to.equal(1);
    await page.mouse.move(0, 0);
    await page.locator('a.tile').first().focus();
    expect(await shown()).to.equal(1);
    await fields.first().check();
    await until('all are shown', async () => (await shown()) === 3);
  });
});
