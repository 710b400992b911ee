/** GET /rest/jobs/{id}/issues (an extension): errors and warnings of a job that has not ended. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { errorMembers } from '../../../http/routing/errors.ts';
import type { LiveIssues } from '../../../actors/views/jobs/live-issues.ts';
import { Place } from '../../cli/support/support.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const IMAGE = sampleUri('hello-world.png');
const NOTHING = { shown: [], count: 0 };

describe('GET /rest/jobs/{id}/issues', () => {
  let service: Service;
  let place: Place;
  let empty: string;
  before(async () => {
    service = await Service.openShared();
    place = new Place();
    const file = join(service.mediaDir, 'empty.mp4');
    writeFileSync(file, '');
    empty = pathToFileURL(file).href;
  });
  after(async () => {
    await service.close();
    await place.leave();
  });

  /** Its task has no component, so the job keeps running. */
  const submit = (media: readonly string[], more = {}) =>
    service.submit({ media, pipelineName: 'ABSENT PIPELINE', ...more });
  const issues = (id: string) => service.ask('GET', `/rest/jobs/${id}/issues`);
  const findIssues = async (id: string) => (await issues(id)).body as LiveIssues;
  const isUnderWay = (id: string) =>
    until(
      'it is in its task',
      async () => (await service.detailedJob(id))?.waitingFor?.queue,
      (queue) => queue === 'TROUPE.DETECTION_ABSENT_REQUEST',
    );

  it('lists them like the document while the job runs; then 409, for the document has them', async () => {
    const id = await submit([IMAGE, empty], { jobProperties: { FRAME_INTERVALL: '2' } });
    await isUnderWay(id);
    const { errors, warnings } = await findIssues(id);
    const [error] = errors.shown;
    expect(errors.count).to.equal(1);
    expect(error).to.include({ mediaUri: empty, source: 'WORKFLOW_MANAGER', code: 'MEDIA_INSPECTION' });
    expect(warnings.count).to.equal(1);
    expect(warnings.shown[0]).to.include({ mediaId: null, mediaUri: null, code: 'OTHER' });

    const shown = await place.troupe(['jobs', 'show', id, '--url', service.url], {
      TROUPE_TOKEN: service.token,
    });
    expect(shown.stdout).to.match(/^Status +IN_PROGRESS_ERRORS$/m);
    expect(shown.stdout).to.match(
      /^error MEDIA_INSPECTION \(\S*empty\.mp4, WORKFLOW_MANAGER\): The file is empty/m,
    );
    expect(shown.stdout).to.match(/^warning OTHER \(WORKFLOW_MANAGER\): jobProperties: .*FRAME_INTERVALL/m);

    await service.cancel(id);
    await service.terminal(id);
    const document = await service.document(id);
    expect(document.errors).to.deep.equal([
      {
        mediaId: error?.mediaId,
        details: [{ source: error?.source, code: error?.code, message: error?.message }],
      },
    ]);
    const after = await issues(id);
    expect([after.status, after.body]).to.deep.equal([
      409,
      errorMembers(
        'job-finished',
        'The job has ended: its errors and warnings are in its document.',
        `${service.url}/docs`,
      ),
    ]);
  });

  it('is empty as long as nothing has gone wrong', async () => {
    const id = await submit([IMAGE]);
    await isUnderWay(id);
    expect(await findIssues(id)).to.deep.equal({ errors: NOTHING, warnings: NOTHING });
    await service.cancel(id);
    await service.terminal(id);
  });

  it('counts all, and tells the first hundred', async () => {
    const media = Array.from({ length: 103 }, () => empty);
    const id = await submit([...media, IMAGE]);
    await until('all are inspected', async () => (await findIssues(id)).errors.count === 103);
    expect((await findIssues(id)).errors.shown).to.have.lengthOf(100);
    await service.cancel(id);
    await service.terminal(id);
  });

  it('is 400 without a body for a job that nobody knows', async () => {
    for (const id of ['999', 'test-host-999', 'x']) {
      const { status, text } = await issues(id);
      expect([status, text], id).to.deep.equal([400, '']);
    }
  });
});
