import { expect } from 'chai';
import { colourOf, namedColour } from '../../../domain/text/colours.ts';

describe('Colours as people name them', () => {
  for (const [hex, name] of [
    ['#ff0000', 'red'],
    ['#8b0000', 'red'],
    ['#dc143c', 'red'],
    ['#ffa500', 'orange'],
    ['#8b4513', 'brown'],
    ['#ffff00', 'yellow'],
    ['#006400', 'green'],
    ['#87ceeb', 'blue'],
    ['#800080', 'purple'],
    ['#4b0082', 'purple'],
    ['#ffc0cb', 'pink'],
    ['#000000', 'black'],
    ['#808080', 'grey'],
    ['#FFFFFF', 'white'],
  ] as const)
    it(`take ${hex} for ${name}`, () => expect(colourOf(hex)).to.equal(name));

  it('are none of another text', () => {
    for (const text of ['', 'red', '#fff', '#12345', '#gggggg']) expect(colourOf(text)).to.equal(undefined);
  });

  it('are known by their names, in any case', () => {
    expect(['RED', 'gray', 'zeppelin'].map(namedColour)).to.deep.equal(['red', 'grey', undefined]);
  });
});
