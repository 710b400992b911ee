/** Media selectors with many values, tested one by one. `npm test` has a test with all of them together. */
import { expect } from 'chai';
import { selectStrings } from '../../../domain/text/media-selectors.ts';

describe('A media selector', () => {
  it('that looks at too many values in filters within filters gives up with a sentence', () => {
    const list = Array.from({ length: 3_000 }, () => 1);
    const found = selectStrings(list, {
      type: 'JSON_PATH',
      expression: '$[?$[?$[?@.x]]]',
      selectionProperties: {},
      resultDetectionProperty: 'TRANSLATION',
    });
    expect(found).to.have.property('refused').that.contains('Select less');
  });
});
