/** GET /rest/failures (an extension): failures of all jobs, grouped by cause. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { FailureGroups } from '../../../client/answers.ts';
import { Place } from '../../cli/support/support.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';

const IMAGE = sampleUri('hello-world.png');
const PIPELINE = 'LIGHT PIPELINE';

describe('GET /rest/failures', () => {
  let service: Service;
  let place: Place;
  before(async () => {
    service = await Service.here();
    place = new Place();
  });
  after(async () => {
    await service.close();
    await place.leave();
  });

  const empty = (name: string) => {
    const file = join(service.mediaDir, name);
    writeFileSync(file, '');
    return pathToFileURL(file).href;
  };
  const failures = async (query = '') => {
    const { status, body, text } = await service.ask('GET', `/rest/failures${query}`);
    expect(status, text).to.equal(200);
    return body as FailureGroups;
  };
  const jobsOf = async (group: string, query = '') => {
    const { status, body, text } = await service.ask('GET', `/rest/jobs?failure=${group}${query}`);
    expect(status, text).to.equal(200);
    return body as { readonly jobs: readonly { readonly jobId: string }[]; readonly next: string | null };
  };
  const idsOf = async (group: string) => (await jobsOf(group)).jobs.map(({ jobId }) => jobId);
  const run = async (media: readonly string[], more = {}) => {
    const id = await service.submit({ media, pipelineName: PIPELINE, ...more });
    await service.terminal(id);
    return id;
  };

  it('is empty while no job has failed', async () => {
    await run([IMAGE]);
    expect(await failures()).to.deep.equal([]);
  });

  it('forgets a failure when its job succeeds on resubmission or is deleted', async () => {
    const file = empty('repaired.png');
    const id = await run([file]);
    const [group] = await failures('?code=MEDIA_INSPECTION');
    expect(await idsOf(group!.id)).to.include(id);
    copyFileSync(fileURLToPath(IMAGE), fileURLToPath(file));
    await service.resubmit(id);
    const { jobStatus } = await service.terminal(id);
    expect(jobStatus).to.equal('COMPLETE');
    expect(await idsOf(group!.id)).not.to.include(id);
    for (const job of await idsOf(group!.id)) await service.ask('DELETE', `/rest/jobs/${job}`);
    expect(await failures('?code=MEDIA_INSPECTION')).to.deep.equal([]);
  });

  describe('after jobs have failed,', () => {
    let first: string;
    let others: readonly string[];
    let broken: string;
    before(async () => {
      first = await run([IMAGE, empty('a-1.mp4'), empty('a-2.mp4')]);
      const made: string[] = [];
      for (const n of [3, 4, 5]) made.push(await run([empty(`a-${n}.mp4`)]));
      others = made;
      broken = await run([IMAGE, 'file:///nowhere/at/all.mp4']);
    });

    it('groups failures of several jobs, lists the jobs of a group, and survives a restart', async () => {
      const groups = await failures();
      expect(groups).to.have.lengthOf(2);
      const [outside, inspection] = groups;
      expect(inspection).to.deep.include({
        component: 'WORKFLOW_MANAGER',
        code: 'MEDIA_INSPECTION',
        count: 5,
        jobs: 4,
        examples: others.toReversed(),
        advice: 'The file is damaged or incomplete. Replace it with a good copy.',
      });
      expect(inspection!.message).to.match(/^The file is empty \(0 bytes\)/);
      expect(inspection!.pattern).to.match(/^The file is empty \(# bytes\)/);
      expect(Date.parse(inspection!.first)).to.be.at.most(Date.parse(inspection!.last));
      expect(outside).to.deep.include({
        code: 'MEDIA_INITIALIZATION',
        count: 1,
        jobs: 1,
        examples: [broken],
      });
      expect(await idsOf(inspection!.id)).to.deep.equal([...others.toReversed(), first]);

      await service.stop();
      await service.startHere();
      expect(await failures()).to.deep.equal(groups);
    });

    it('is listed page by page and with other filters', async () => {
      const { id } = (await failures('?code=media_inspection'))[0]!;
      const all = await idsOf(id);
      const page = await jobsOf(id, '&limit=3');
      const rest = await jobsOf(id, `&limit=3&before=${page.next}`);
      expect([...page.jobs, ...rest.jobs].map(({ jobId }) => jobId)).to.deep.equal(all);
      expect((await jobsOf(id, '&status=COMPLETE')).jobs).to.deep.equal([]);
      expect((await jobsOf(id, `&pipelineName=${PIPELINE}`)).jobs).to.have.lengthOf(all.length);
      expect((await jobsOf('0123456789abcdef')).jobs).to.deep.equal([]);
    });

    it('takes filters, and refuses wrong ones with a sentence', async () => {
      expect(await failures('?component=FACE')).to.deep.equal([]);
      expect(await failures('?limit=1')).to.have.lengthOf(1);
      expect(await failures('?from=2999-01-01T00:00:00Z')).to.deep.equal([]);
      expect(await failures('?from=2000-01-01T00:00:00Z')).to.have.lengthOf(2);
      for (const query of ['limit=0', 'limit=x', 'from=yesterday', 'code=', 'other=1']) {
        const { status, body } = await service.ask('GET', `/rest/failures?${query}`);
        expect([query, status]).to.deep.equal([query, 400]);
        expect((body as { message: string }).message).to.include(query.split('=')[0]!);
      }
      const wrong = await service.ask('GET', '/rest/jobs?failure=x');
      expect([wrong.status, wrong.text]).to.satisfy(
        ([status, text]: [number, string]) => status === 400 && text.includes('GET /rest/failures'),
      );
    });

    it('is in the metrics and in the tool', async () => {
      const [, { id, count }] = (await failures()) as [unknown, FailureGroups[number]];
      const { text } = await service.ask('GET', '/metrics');
      expect(text).to.include(
        `troupe_failures{group="${id}",component="WORKFLOW_MANAGER",code="MEDIA_INSPECTION"} ${count}`,
      );
      const connection = ['--url', service.url];
      const env = { TROUPE_TOKEN: service.token };
      const shown = await place.troupe(['failures', ...connection], env);
      expect(shown.stdout).to.match(new RegExp(`^${id} +4 +5 .*MEDIA_INSPECTION`, 'm'));
      expect(shown.stdout).to.include('Replace it with a good copy.');
      const listed = await place.troupe(['jobs', 'list', '--failure', id, ...connection], env);
      expect(listed.stdout.trim().split('\n')).to.have.lengthOf(5);
    });
  });
});
