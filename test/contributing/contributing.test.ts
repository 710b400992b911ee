import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { WORK_KINDS } from '../../protocol/worker-protocol.ts';
import { copySources, edit } from './steps.ts';
import { NEW_KIND } from './new-kind.ts';

const GUIDE = readFileSync('CONTRIBUTING.md', 'utf8');
const sectionOf = (title: string) => {
  const [, section = ''] = GUIDE.split(`## ${title}\n`);
  return section.split('\n## ')[0]!;
};
/** Files and folders that a section names; those with `<...>` in them are still to be made. */
const placesIn = (section: string) =>
  [...section.matchAll(/`([\w.-]+(?:\/[\w.<>-]+)+\/?|[\w-]+\.ts)`/g)].map(([, place = '']) => place);

describe('CONTRIBUTING.md', () => {
  it('names files and folders that are there', () => {
    const whole = placesIn(GUIDE).filter((place) => place.includes('/') && !place.includes('<'));
    expect(whole.length).to.be.greaterThan(15);
    for (const place of whole) expect(existsSync(place), place).to.equal(true);
  });

  it('names for a new kind of work all files that the compiler wants changed, so that the steps suffice', function () {
    this.timeout(300_000);
    const folder = mkdtempSync(path.join(tmpdir(), 'troupe-steps-'));
    try {
      copySources(folder);
      for (const one of NEW_KIND) edit(folder, one);
      expect(problemsIn(folder)).to.deep.equal([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
    const named = placesIn(sectionOf('A new kind of work of a batch job'));
    const touched = [...new Set(NEW_KIND.map(([file]) => file.replace('/proof.ts', '/<kind>.ts')))];
    expect(named).to.include.members(touched);
    const there = new Set(NEW_KIND.filter(([, at]) => at !== '').map(([file]) => file));
    expect([...there], 'files that are there and are touched').to.have.length(3);
  });

  it('names the files that every kind of work has', () => {
    const kinds = readdirSync('actors/batch-job/kinds');
    expect(kinds).to.include.members(WORK_KINDS.map((kind) => `${kind.toLowerCase()}.ts`));
  });

  it('names for a new detector what every detector has, and the template with it', () => {
    const readme = readFileSync('README.md', 'utf8');
    const folders = readdirSync('components').map((name) => path.join('components', name));
    const own = folders.filter((folder) => existsSync(path.join(folder, 'descriptor.json')));
    expect(own.length).to.be.greaterThan(5);
    for (const folder of [...own, 'templates/component'])
      expect(readdirSync(folder), folder).to.include.members(['descriptor.json', 'detector.ts']);
    for (const folder of own) {
      const descriptor = readFileSync(path.join(folder, 'descriptor.json'), 'utf8');
      const { algorithm } = JSON.parse(descriptor) as { readonly algorithm: { readonly name: string } };
      expect(readme, `${algorithm.name} in the README`).to.include(algorithm.name);
    }
  });
});

/** What the compiler says, a line a problem. */
function problemsIn(folder: string): readonly string[] {
  const compiler = path.resolve('node_modules/typescript/bin/tsc');
  const said = spawnSync(process.execPath, [compiler, '--noEmit', '--incremental', 'false', '-p', '.'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return said.stdout.split('\n').filter((line) => /: error TS/.test(line));
}
