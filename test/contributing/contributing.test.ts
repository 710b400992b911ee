import { expect } from 'chai';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { findComponents } from '../../actors/catalog/descriptors/installed.ts';
import { WORK_KINDS } from '../../protocol/worker-protocol.ts';
import { edited } from './steps.ts';
import { NEW_KIND } from './new-kind.ts';

const GUIDE = readFileSync('CONTRIBUTING.md', 'utf8');
const sectionOf = (title: string) => {
  const [, section = ''] = GUIDE.split(`## ${title}\n`);
  return section.split('\n## ')[0]!;
};
/** Files and folders that a section names; those with `<...>` in them are still to be made. */
const placesIn = (section: string) =>
  [...section.matchAll(/`([\w.-]+(?:\/[\w.<>-]+)+\/?|[\w-]+\.ts)`/g)].map(([, place = '']) => place);

interface Descriptor {
  readonly algorithm: { readonly name: string };
  readonly actions?: readonly { readonly name: string }[];
  readonly tasks?: readonly { readonly name: string; readonly actions: readonly string[] }[];
  readonly pipelines?: readonly { readonly name: string; readonly tasks: readonly string[] }[];
}
const descriptorIn = (folder: string) =>
  JSON.parse(readFileSync(path.join(folder, 'descriptor.json'), 'utf8')) as Descriptor;

describe('CONTRIBUTING.md', () => {
  it('names files and folders that are there', () => {
    const whole = placesIn(GUIDE).filter((place) => place.includes('/') && !place.includes('<'));
    expect(whole.length).to.be.greaterThan(15);
    for (const place of whole) expect(existsSync(place), place).to.equal(true);
  });

  it('names for a new kind of work the files that its steps change, three that are there', () => {
    for (const step of NEW_KIND) edited(step);
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
    const own = findComponents('components').map(({ folder }) => folder);
    expect(own.length).to.be.greaterThan(5);
    for (const folder of [...own, 'templates/component'])
      expect(readdirSync(folder), folder).to.include.members(['descriptor.json', 'detector.ts']);
    const all = own.map((folder) => descriptorIn(folder));
    const pipelines = all.flatMap((one) => one.pipelines ?? []).filter(({ name }) => readme.includes(name));
    const tasks = new Set(pipelines.flatMap((pipeline) => pipeline.tasks));
    const used = all.flatMap((one) => one.tasks ?? []).filter(({ name }) => tasks.has(name));
    const actions = new Set(used.flatMap((task) => task.actions));
    for (const { algorithm, actions: ofIt = [] } of all) {
      const isThere = readme.includes(algorithm.name) || ofIt.some(({ name }) => actions.has(name));
      expect(isThere, `${algorithm.name}, or a pipeline with it, in the README`).to.equal(true);
    }
  });
});
