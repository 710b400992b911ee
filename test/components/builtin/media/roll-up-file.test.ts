import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readRollUp } from '../../../../components/builtin/media/finish/roll-up.ts';
import { track, detection } from './media-parts.ts';

describe('The file that ROLL_UP_FILE names', () => {
  let root: string;
  let data: string;
  const RULE = [{ propertyToProcess: 'KIND', groups: [{ rollUp: 'vehicle', members: ['car'] }] }];

  before(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-roll-up-')));
    data = join(root, 'data');
    mkdirSync(data);
    for (const folder of [root, data]) await writeFile(join(folder, 'rule.json'), JSON.stringify(RULE));
  });
  after(() => rm(root, { recursive: true, force: true }));

  it('may lie below a media root', async () => {
    const rollUp = await readRollUp({ file: join(root, 'rule.json'), roots: [root], excluded: [data] });
    const car = { ...track([detection(0, [0, 0, 1, 1])]), startTime: 0, stopTime: 0, type: 'X' };
    const rolled = rollUp({ ...car, detections: [], properties: { KIND: 'car' } });
    expect(rolled.properties).to.deep.equal({ KIND: 'vehicle' });
  });

  it("is never one of the service's own data", async () => {
    const file = join(data, 'rule.json');
    const error = await readRollUp({ file, roots: [root], excluded: [data] }).catch(
      (reason: unknown) => reason,
    );
    expect(error).to.include({ code: 'OTHER' });
    expect(String(error)).to.include('in DATA_DIR');
  });
});
