/** Media selectors with real detectors. `selectors.test.ts` tests them with the test components. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Service } from '../support/processes/service.ts';
import { uriOf } from './results.ts';
import { annotates, entriesOf, pipelineOf, runOne, valuesOf } from './support.ts';

describe('Media selectors', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  it('work with real detectors: the language of texts, and tags in them', async () => {
    const texts = {
      a: 'The meeting takes place tomorrow at the airport, please bring your passport and the tickets.',
      b: 'La reunión será mañana en el aeropuerto, por favor traiga su pasaporte y los billetes de avión.',
    };
    writeFileSync(join(service.mediaDir, 'texts.json'), JSON.stringify(texts));
    const selector = { type: 'JSON_PATH', expression: '$.*', resultDetectionProperty: 'ISO_LANGUAGE' };
    const medium = await runOne(
      service,
      {
        mediaUri: uriOf(service, 'texts.json'),
        mediaSelectorsOutputAction: 'FIRST',
        mediaSelectors: [selector],
      },
      pipelineOf({ algorithm: 'LANGUAGE' }, { ...annotates(), algorithm: 'KEYWORD TAGGING' }),
    );
    expect(entriesOf(medium).map((entry) => entry.split(' | ').slice(1).join())).to.deep.equal([
      'FIRST,2,by SECOND',
    ]);
    expect(valuesOf(medium, 'FIRST', 'TAGS')).to.not.include(undefined);
    const output = readFileSync(fileURLToPath(medium['mediaSelectorsOutputUri'] as string), 'utf8');
    expect(
      Object.values(JSON.parse(output) as object).map((text) => String(text).toLowerCase()),
    ).to.deep.equal(
      valuesOf(medium, 'FIRST', 'ISO_LANGUAGE')
        .map((code = '') => code.toLowerCase())
        .toSorted(),
    );
  });
});
