/** The descriptors of all built-in components together: pipelines connect several components. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { BUILT_IN } from '../../../config/places.ts';
import { findComponents } from '../../../actors/catalog/descriptors/find-components.ts';
import { elementsOf } from '../../../actors/catalog/descriptors/elements.ts';
import { install } from '../../../actors/catalog/install.ts';
import { EMPTY_CATALOG } from '../../../actors/catalog/state.ts';
import type { CatalogLookup } from '../../../domain/plan/plan-lookup.ts';
import loadFaces from '../../../components/detectors/faces/detector.ts';
import loadObjects from '../../../components/detectors/objects/detector.ts';
import type { FoundDetection, LoadDetector } from '../../../components/sdk/detector.ts';
import { readImage } from '../../../media/picture/image-frame.ts';
import { jobNotes } from '../../../domain/job/job-notes.ts';
import { resolvePlan } from '../../../domain/plan/plan-checks.ts';
import { WORKFLOW_PROPERTIES } from '../../../domain/properties/workflow-properties.ts';
import { sample } from '../models/recorded-media.ts';
import { all, jobOf, picture } from '../visual.ts';

const descriptors = findComponents('components').map(({ descriptor }) => descriptor);
const state = install(EMPTY_CATALOG, descriptors).state!;
const catalog: CatalogLookup = {
  pipeline: (name) => state.pipeline.get(name)?.element,
  task: (name) => state.task.get(name)?.element,
  action: (name) => state.action.get(name)?.element,
  algorithm: (name) => state.algorithm.get(name)?.element,
};

describe('The pipelines of the built-in components', () => {
  it('have names of their own, as have tasks, actions and algorithms', () => {
    const names = descriptors
      .map(elementsOf)
      .flatMap(({ algorithm, action, task, pipeline }) => [
        `algorithm ${algorithm.name}`,
        ...action.map(({ name }) => `action ${name}`),
        ...task.map(({ name }) => `task ${name}`),
        ...pipeline.map(({ name }) => `pipeline ${name}`),
      ]);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).to.deep.equal([]);
    expect(state.pipeline.size).to.equal(names.filter((name) => name.startsWith('pipeline ')).length);
  });

  it('tell the types of media that their detectors process', async function () {
    this.timeout(60_000);
    for (const { folder, descriptor } of findComponents('components')) {
      const module = pathToFileURL(
        path.join(BUILT_IN.code, path.relative('components', folder), 'detector.js'),
      ).href;
      const { default: load } = (await import(module)) as { readonly default: LoadDetector };
      const detector = await load({ models: { roots: [], loaded: 1, checkMs: 1_000 } });
      const hears = detector.audio !== undefined || detector.soundFile !== undefined;
      const types = [
        ...(detector.video === undefined && !hears ? [] : ['VIDEO']),
        ...(detector.image === undefined ? [] : ['IMAGE']),
        ...(hears ? ['AUDIO'] : []),
        ...(detector.generic === undefined ? [] : ['UNKNOWN']),
      ];
      await detector.close?.();
      const told = descriptor.algorithm.mediaTypes ?? [];
      expect(told, descriptor.componentName).to.have.members(types);
    }
  });

  for (const name of state.pipeline.keys())
    it(`can be run: ${name}`, () => {
      const plan = resolvePlan(catalog, { pipelineName: name });
      expect('refused' in plan ? plan.refused : undefined).to.equal(undefined);
    });

  for (const name of state.pipeline.keys())
    it(`give no false alarm when every default is stated: ${name}`, () => {
      const plan = resolvePlan(catalog, { pipelineName: name });
      if ('refused' in plan) throw new Error(plan.refused);
      const stated = plan.ok.tasks
        .flatMap(({ actions }) => actions)
        .map(({ algorithm }) => [
          algorithm.name,
          Object.fromEntries(
            [...WORKFLOW_PROPERTIES, ...algorithm.providesCollection.properties].map((property) => [
              property.name,
              property.defaultValue ?? '',
            ]),
          ),
        ]);
      const algorithmProperties = Object.fromEntries(stated) as Record<string, Record<string, string>>;
      expect(
        jobNotes({ plan: plan.ok, jobProperties: {}, algorithmProperties, media: [{ properties: {} }] }),
      ).to.deep.equal([]);
    });

  for (const [name, steps] of [
    ['FACE DETECTION WITH MARKUP PIPELINE', ['FACE', 'MARKUP']],
    ['MOTION THEN FACE DETECTION PIPELINE', ['MOTION', 'FACE']],
    ['MOTION THEN OBJECT DETECTION PIPELINE', ['MOTION', 'OBJECT']],
    ['PERSON THEN FACE DETECTION PIPELINE', ['OBJECT', 'FACE REGION']],
    ['PERSON DETECTION WITH TRACKING AND MARKUP PIPELINE', ['OBJECT', 'MARKUP']],
  ] as const)
    it(`lead from algorithm to algorithm: ${name}`, () => {
      const plan = resolvePlan(catalog, { pipelineName: name });
      if ('refused' in plan) throw new Error(plan.refused);
      const told = plan.ok.tasks.map(({ actions }) => {
        const { algorithm, properties } = actions[0]!;
        return [algorithm.name, properties['FEED_FORWARD_TYPE']]
          .filter((word) => word !== undefined)
          .join(' ');
      });
      expect(told).to.deep.equal(steps);
    });

  it('look for persons alone where they look for persons, and merge their tracks', () => {
    for (const name of ['PERSON DETECTION PIPELINE', 'PERSON DETECTION WITH TRACKING AND MARKUP PIPELINE']) {
      const tasks = state.pipeline.get(name)!.element.tasks;
      const action = catalog.action(catalog.task(tasks[0]!)!.actions[0]!)!;
      expect(Object.fromEntries(action.properties.map((p) => [p.name, p.value]))).to.deep.equal({
        CLASS_ALLOW_LIST: 'person',
        MERGE_TRACKS: 'TRUE',
      });
    }
  });

  it('find in the region of a person a face that is too small for the whole image', async () => {
    const [objects, faces] = [await loadObjects(), await loadFaces()];
    const race = await readImage(sample('race.jpg'));
    const region = ({ x: left, y: top, width, height }: FoundDetection) =>
      picture(width, height, (x, y) => {
        const i = ((top + y) * race.width + left + x) * 3;
        return [race.data[i]!, race.data[i + 1]!, race.data[i + 2]!];
      });
    const found = [];
    for (const person of await all(
      objects.image!(race, await jobOf('objects', { CLASS_ALLOW_LIST: 'person' })),
    ))
      found.push(...(await all(faces.image!(region(person.detections[0]!), await jobOf('faces')))));
    const whole = await all(faces.image!(race, await jobOf('faces', { TILE_SIZE: '0' })));
    expect(whole).to.have.length(2);
    expect(found.length).to.be.greaterThan(whole.length);
    await objects.close!();
    await faces.close!();
  });
});
