import { expect } from 'chai';
import { Catalog } from '../../../actors/catalog/catalog.ts';
import { install } from '../../../actors/catalog/install.ts';
import { EMPTY_CATALOG } from '../../../actors/catalog/state.ts';
import { NOOP } from '../../bench/parts.ts';

const LIMITS = { actions: 10, planLength: 10_000 };
const stored = { pipelineName: ' noop pipeline' };
const own = { pipelineDefinition: { pipeline: ['NOOP TASK'] } };

describe('The plan of a stored pipeline', () => {
  const state = install(EMPTY_CATALOG, [NOOP]).state!;

  it('is the same for all jobs while the catalog stays as it is', () => {
    const catalog = new Catalog({}, state);
    const plan = catalog.batchPlan(stored, LIMITS);
    expect(plan).to.have.nested.property('ok.name', 'NOOP PIPELINE');
    catalog.publish(state);
    expect(catalog.batchPlan({ pipelineName: 'NOOP PIPELINE' }, LIMITS)).to.equal(plan);
  });

  it('is worked out anew when the catalog has changed', () => {
    const catalog = new Catalog({}, state);
    catalog.batchPlan(stored, LIMITS);
    const [action] = NOOP.actions!;
    const described = { ...NOOP, actions: [{ ...action!, description: 'Does something else.' }] };
    catalog.publish(install(EMPTY_CATALOG, [described]).state!);
    const changed = catalog.batchPlan(stored, LIMITS);
    expect(changed).to.have.nested.property('ok.tasks[0].actions[0].description', 'Does something else.');
    catalog.publish(EMPTY_CATALOG);
    expect(catalog.batchPlan(stored, LIMITS)).to.have.property('refused').that.includes('No pipeline named');
  });

  it('is refused by the given limits, and is none of a definition that comes with the job', () => {
    const catalog = new Catalog({}, state);
    catalog.batchPlan(stored, LIMITS);
    expect(catalog.batchPlan(stored, { ...LIMITS, planLength: 1 })).to.have.property('refused');
    const first = catalog.batchPlan(own, LIMITS);
    expect(first).to.have.nested.property('ok.name', 'JOB SPECIFIED TRANSIENT PIPELINE');
    expect(catalog.batchPlan(own, LIMITS)).not.to.equal(first);
    expect(catalog.batchPlan({}, LIMITS)).to.have.property('refused').that.includes('must contain either');
  });
});
