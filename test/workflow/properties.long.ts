/**
 * Each level on which a property can be set. `rest/catalog/environment-properties` tests their order, and
 * `domain/properties` the rule alone.
 */
import { expect } from 'chai';
import { sampleUri, Service } from '../support/processes/service.ts';
import { LEVELS, NAME, VALUES, request } from './levels.ts';
import { looks, pipelineOf, runOne, valuesOf } from './support.ts';

describe('The value of a property that the server environment sets', () => {
  let service: Service;
  before(async () => {
    service = await Service.here({ [`TROUPE_PROP_${NAME}`]: '1' });
  });
  after(() => service.close());

  it('is that of the server environment before all others, and the document shows it', async () => {
    const document = await service.run(request(service, LEVELS));
    expect(valuesOf(document.media[0]!, 'FIRST', NAME)).to.deep.equal(['1']);
    expect(document['environmentVariableProperties']).to.deep.equal({ [NAME]: '1' });
  });
});

describe('The value of a property that is in force', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  it('is that of the job when nothing of these sets it', async () => {
    const { media } = await service.run(request(service, ['job', 'action']));
    expect(valuesOf(media[0]!, 'FIRST', NAME)).to.deep.equal([VALUES.job]);
  });

  it('is that of the action when nothing else sets it, else the default of the workflow', async () => {
    const tells = { algorithm: 'NOTING', properties: { TELL: NAME } };
    const sets = { ...tells, properties: { ...tells.properties, [NAME]: '6' } };
    const { media } = await service.run({ ...request(service, []), ...pipelineOf([sets, tells]) });
    expect(valuesOf(media[0]!, 'FIRST', NAME)).to.deep.equal(['6']);
    expect(valuesOf(media[0]!, 'FIRST 1', NAME)).to.deep.equal(['10']);
  });

  it('is the default that the algorithm declares before that of the workflow', async () => {
    const tells = pipelineOf(looks({ TELL: NAME }));
    const medium = await runOne(service, sampleUri('hello-world.png'), tells);
    expect(valuesOf(medium, 'FIRST', NAME)).to.deep.equal(['7']);
  });
});
