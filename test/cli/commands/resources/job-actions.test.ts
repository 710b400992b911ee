/** One command for many jobs, selected by ids or filters. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { bitmapOf } from '../../../support/media/bitmap.ts';
import { Place } from '../../support/support.ts';

const PICTURES = 'IMAGE PROPERTIES DETECTION PIPELINE';

describe('troupe jobs, with many jobs', () => {
  let place: Place;
  let jobs: readonly string[];
  before(async () => {
    place = new Place({ warm: true });
    const media = path.join(place.folder, 'media');
    mkdirSync(media);
    const picture = path.join(media, 'picture.bmp');
    writeFileSync(picture, bitmapOf(new Uint8Array(16 * 16 * 3), 16, 16));
    await place.serveHere({ MEDIA_ROOTS: media, JOB_ID_HOST: 'cli-host' });
    const request = {
      media: [{ mediaUri: pathToFileURL(picture).href }],
      pipelineName: PICTURES,
      labels: ['set:night'],
    };
    writeFileSync(path.join(place.folder, 'job.json'), JSON.stringify(request));
    const made: string[] = [];
    for (let n = 0; n < 3; n++) {
      const { stdout } = await place.troupe(['jobs', 'create', 'job.json', '--json']);
      made.push((JSON.parse(stdout) as { jobId: string }).jobId);
      await place.troupe(['jobs', 'watch', made.at(-1)!]);
    }
    jobs = made;
  });
  after(() => place.leave());

  const troupe = (...words: readonly string[]) => place.troupe(words);

  it('shows with --dry-run what would be done, and does nothing', async () => {
    const { code, stdout } = await troupe('jobs', 'delete', '--label', 'set:night', '--dry-run');
    expect([code, stdout]).to.deep.equal([0, '3 of 3 jobs would be deleted.\n']);
    expect((await troupe('jobs', 'list', '--label', 'set:night')).stdout).to.include(jobs[0]);
  });

  it('asks for --yes where nobody can be asked, and for ids or a filter', async () => {
    const unasked = await troupe('jobs', 'delete', '--label', 'set:night');
    expect([unasked.code, unasked.stderr]).to.deep.equal([
      2,
      'Add --yes to change the jobs of a filter without confirmation, or --dry-run to see which they are.\n',
    ]);
    expect((await troupe('jobs', 'delete')).stderr).to.include('Say which jobs: their ids, a filter');
    expect((await troupe('jobs', 'delete', jobs[0]!, '--status', 'ERROR')).stderr).to.include('not by both');
    expect((await troupe('jobs', 'label', jobs[0]!)).stderr).to.include('Say which labels');
    expect((await troupe('jobs', 'list', '--since', 'yesterday')).stderr).to.include('an age (2d, 12h, 30m)');
  });

  it('labels jobs by a filter with an age, and shows the labels', async () => {
    const { code, stdout } = await troupe('jobs', 'label', '--since', '1d', '--add', 'seen', '--yes');
    expect([code, stdout]).to.deep.equal([0, '3 of 3 jobs were labelled.\n']);
    expect((await troupe('jobs', 'show', jobs[0]!)).stdout).to.match(/Labels +set:night, seen/);
  });

  it('resubmits several ids, and counts those that are refused by reason', async () => {
    const { code, stdout } = await troupe('jobs', 'resubmit', jobs[0]!, jobs[1]!, 'cli-host-999');
    expect(code).to.equal(1);
    expect(stdout.split('\n').slice(0, 2)).to.deep.equal([
      '2 of 3 jobs were resubmitted.',
      '1 job was refused: There is no such job. (cli-host-999)',
    ]);
    for (const id of jobs) await troupe('jobs', 'watch', id);
  });

  it('changes no priority of a job that has ended', async () => {
    const { code, stdout } = await troupe('jobs', 'priority', '7', jobs[0]!);
    expect([code, stdout]).to.deep.equal([
      1,
      `0 of 1 job was given the new priority.\n1 job was refused: The job has ended already. (${jobs[0]!})\n`,
    ]);
  });

  it('lists operations, shows one, and does not cancel one that has ended', async () => {
    await troupe('jobs', 'priority', '8', jobs[2]!);
    const list = await troupe('operations', 'list');
    expect(list.stdout).to.match(/op-\d+ +priority +COMPLETE +100 +1 +0 +1/);
    const id = /op-\d+/.exec(list.stdout)![0];
    expect((await troupe('operations', 'show', id)).stdout).to.include('The job has ended already.');
    const { code, stderr } = await troupe('operations', 'cancel', id);
    expect([code, stderr]).to.deep.equal([
      2,
      `Operation ${id} cannot be cancelled: its status is COMPLETE.\n`,
    ]);
    expect((await troupe('operations', 'show', 'op-999')).stderr).to.include('There is no operation op-999');
  });
});
