import { expect } from 'chai';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { findComponents } from '../../actors/catalog/descriptors/find-components.ts';
import { WORK_KINDS } from '../../protocol/worker-protocol.ts';
import { placesIn } from '../house/texts.ts';
import { applyEdit } from './steps.ts';
import { NEW_KIND } from './new-kind.ts';

const GUIDE = readFileSync('CONTRIBUTING.md', 'utf8');
/** READMEs linked from it. */
const ROOMS = [...GUIDE.matchAll(/\]\(([\w/.-]+\/README\.md)\)/g)].map(([, file = '']) => file);

interface Descriptor {
  readonly algorithm: { readonly name: string };
  readonly actions?: readonly { readonly name: string }[];
  readonly tasks?: readonly { readonly name: string; readonly actions: readonly string[] }[];
  readonly pipelines?: readonly { readonly name: string; readonly tasks: readonly string[] }[];
}
const descriptorIn = (folder: string) =>
  JSON.parse(readFileSync(path.join(folder, 'descriptor.json'), 'utf8')) as Descriptor;

describe('CONTRIBUTING.md', () => {
  it('fits on one screen, and names files and folders that exist', () => {
    expect(GUIDE.trimEnd().split('\n').length).to.be.at.most(60);
    for (const place of placesIn(GUIDE)) expect(existsSync(place), place).to.equal(true);
  });

  it('links to recipes in READMEs of rooms, which name files and folders that exist', () => {
    expect(ROOMS.length).to.be.greaterThan(5);
    const texts = ROOMS.map((file) => [path.dirname(file), readFileSync(file, 'utf8')] as const);
    for (const [room, text] of texts) expect(text, room).to.include('\n## A new ');
    const places = texts.flatMap(([room, text]) => placesIn(text).map((place) => [room, place] as const));
    expect(places.length).to.be.greaterThan(15);
    for (const [room, place] of places)
      expect(existsSync(place) || existsSync(path.join(room, place)), `${place} in ${room}`).to.equal(true);
  });

  it('names for a new kind of work the files that its steps change, three that exist', () => {
    for (const step of NEW_KIND) applyEdit(step);
    const recipe = readFileSync('actors/batch-job/README.md', 'utf8').split('## A new kind of work\n')[1]!;
    const touched = [...new Set(NEW_KIND.map(([file]) => file.replace('/proof.ts', '/<kind>.ts')))];
    for (const file of touched) expect(recipe).to.include(`\`${file}\``);
    const there = new Set(NEW_KIND.filter(([, at]) => at !== '').map(([file]) => file));
    expect([...there], 'files that exist and are changed').to.have.length(3);
  });

  it('names the files that every kind of work has', () => {
    const kinds = readdirSync('actors/batch-job/kinds');
    expect(kinds).to.include.members(WORK_KINDS.map((kind) => `${kind.toLowerCase()}.ts`));
  });

  it('names for a new detector what every detector has, and the template with it', () => {
    const page = readFileSync('docs/guides/choose-a-pipeline.md', 'utf8');
    const own = findComponents('components').map(({ folder }) => folder);
    expect(own.length).to.be.greaterThan(5);
    for (const folder of [...own, 'templates/component'])
      expect(readdirSync(folder), folder).to.include.members(['descriptor.json', 'detector.ts']);
    const all = own.map((folder) => descriptorIn(folder));
    const pipelines = all.flatMap((one) => one.pipelines ?? []).filter(({ name }) => page.includes(name));
    const tasks = new Set(pipelines.flatMap((pipeline) => pipeline.tasks));
    const used = all.flatMap((one) => one.tasks ?? []).filter(({ name }) => tasks.has(name));
    const actions = new Set(used.flatMap((task) => task.actions));
    for (const { algorithm, actions: ofIt = [] } of all) {
      const isThere = page.includes(algorithm.name) || ofIt.some(({ name }) => actions.has(name));
      expect(isThere, `${algorithm.name}, or a pipeline with it, on the page`).to.equal(true);
    }
  });
});
