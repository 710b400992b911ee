/** The views of the page that `npm run docs:pictures` shows, and what happens in each before its picture is taken. */
import path from 'node:path';

/** Jobs of the server: a name for the views, a file of `samples/`, a pipeline and a label. */
export const JOBS = [
  ['barcodes', 'gen_barcodes.png', 'BARCODE DETECTION PIPELINE', 'office'],
  ['sound', 'goforward.wav', 'SPEECH DETECTION PIPELINE'],
  ['text', 'hello-world.png', 'TEXT DETECTION PIPELINE', 'office'],
  ['document', 'text-embedded-and-images.pdf', 'DOCUMENT IMAGES THEN TEXT DETECTION PIPELINE', 'office'],
  ['scenes', 'scenes_pd.mp4', 'SCENE CHANGE DETECTION PIPELINE'],
  ['failed', 'video_01_invalid.mp4', 'FACE DETECTION PIPELINE'],
  ['cars', 'red-car.jpg', 'OBJECT DETECTION PIPELINE', 'street'],
  ['hopper', 'grace_hopper_512x512.jpg', 'FACE EMBEDDING PIPELINE'],
  ['astronaut', 'astronaut.png', 'FACE EMBEDDING PIPELINE'],
  ['image', 'race.jpg', 'OBJECT DETECTION PIPELINE', 'street'],
  ['things', 'face_move.mp4', 'OBJECT DETECTION PIPELINE'],
  ['video', 'face_move.mp4', 'FACE EMBEDDING PIPELINE'],
];

/** `isStored`: in the repository; the others are for a look at them. */
export const SIZES = [
  { name: '', width: 1400, height: 900, isStored: true },
  { name: '-phone', width: 390, height: 844, isStored: true },
  { name: '-dark', width: 1400, height: 900, colorScheme: 'dark' },
  { name: '-phone-dark', width: 390, height: 844, colorScheme: 'dark' },
  { name: '-4k', width: 3840, height: 2160 },
  { name: '-4k-dark', width: 3840, height: 2160, colorScheme: 'dark' },
];

const visible = (selector) => (page) => page.locator(selector).first().waitFor({ timeout: 90_000 });

/** Only for a look at it. */
const other = (name, at, selector) => ({ name, at, ready: visible(selector), isStored: false });

/** `isStored`: false: only for a look at it. `places`: by the name of a job, the part of the address of its first medium. */
export const viewsOf = (jobs, places) => [
  { name: 'library', at: 'library', ready: visible('.tile img') },
  { name: 'library-list', at: 'library?view=list&sort=name', ready: visible('.list-row img') },
  other('library-jobs', 'library?group=job', '.tile img'),
  other('library-labels', 'library?group=label', '.tile img'),
  other('library-label', 'library?label=office', '.tile img'),
  { name: 'new-analysis', at: 'library', ready: openSheet, leave: closeSheet },
  { name: 'jobs', at: 'jobs', ready: visible('tr[data-job] .thumbnail') },
  { name: 'job', at: `jobs/${jobs.video}`, ready: visible('h1 .status') },
  other('job-failed', `jobs/${jobs.failed}`, 'h1 .status'),
  other('job-unknown', 'jobs/host-999', '.problem'),
  { name: 'viewer', at: `${places.video}?t=1600`, ready: visible('.boxes path') },
  { name: 'viewer-image', at: places.image, ready: visible('.boxes path') },
  { name: 'viewer-document', at: places.document, ready: visible('.tracks li') },
  { name: 'viewer-sound', at: places.sound, ready: visible('.tracks li') },
  { name: 'comparison', at: `${places.video}?t=1600`, ready: compareWith(jobs.things) },
  { name: 'search', at: 'search?class=person', ready: visible('ul.hits li') },
  other('search-nothing', 'search?text=zeppelin', '.empty'),
  { name: 'similar', at: 'search?type=FACE', ready: openSimilar, isStored: false },
  { name: 'people', at: 'people', ready: namePerson },
  { name: 'person', at: 'people', ready: openPerson },
  { name: 'pipelines', at: 'pipelines', ready: visible('.pipelines .card') },
  {
    name: 'pipeline-editor',
    at: 'pipelines/new?from=FACE+DETECTION+WITH+MARKUP+PIPELINE',
    ready: tryPipeline,
  },
  { name: 'streams', at: 'streams', ready: watchWall },
  { name: 'camera', at: 'streams', ready: openCamera },
  { name: 'system', at: 'operation', ready: visible('main section table') },
  other('nodes', 'nodes', 'main table'),
  other('components', 'components', 'main table'),
  other('algorithm', 'components/FACE', 'main table'),
  other('pipeline', 'pipelines/MOTION%20THEN%20OBJECT%20DETECTION%20PIPELINE', '.drawn'),
  { name: 'account', at: 'account', ready: visible('main section table') },
];

/** Both cameras have a picture. The boxes of the first frames come a moment later. */
async function watchWall(page) {
  await page.locator('.wall .tile img').nth(1).waitFor({ timeout: 90_000 });
  await page.waitForTimeout(4_000);
}

async function openCamera(page) {
  await watchWall(page);
  await page.locator('.wall .tile', { hasText: 'yard' }).first().click();
  await page.locator('.zone-canvas img').waitFor({ timeout: 30_000 });
  await page.locator('.zone-events img').nth(3).waitFor({ timeout: 30_000 });
}

async function openSheet(page) {
  await page.getByRole('button', { name: 'New analysis' }).click();
  const files = ['samples/race.jpg', 'samples/goforward.wav'].map((file) => path.resolve(file));
  await page.locator('dialog input[type=file]').setInputFiles(files);
  await page.locator('dialog .primary:enabled').waitFor();
}

const closeSheet = (page) => page.keyboard.press('Escape');

async function namePerson(page) {
  const people = page.locator('ul.people > li');
  await people.nth(1).waitFor({ timeout: 60_000 });
  await people.first().getByRole('link').click();
  await page.getByLabel('Name', { exact: true }).fill('Eileen');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Eileen' }).waitFor();
  await page.goBack();
  await people.nth(1).waitFor();
}

async function openPerson(page) {
  await page.getByRole('link', { name: /Eileen/ }).click();
  await page.getByRole('heading', { name: 'Eileen' }).waitFor();
}

async function openSimilar(page) {
  await page.locator('ul.hits .similar').first().click();
  await page.locator('ul.hits:not(.like) li').first().waitFor();
}

const compareWith = (job) => async (page) => {
  await visible('.boxes path, video')(page);
  await page.getByText('Compare', { exact: true }).click();
  await page.getByLabel('Compare with').selectOption(job);
  await page.locator('.compare table.cards').waitFor();
};

async function tryPipeline(page) {
  await page.locator('.graph .choice').first().click();
  await page.getByRole('button', { name: 'astronaut.png' }).first().click();
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.locator('.trial-result').waitFor({ timeout: 60_000 });
  await page.evaluate('scrollTo(0, 0)');
}
