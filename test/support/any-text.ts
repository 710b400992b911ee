/** Texts of any characters. The generator of the library needs a second in each file, because it first reads a million characters. */
import * as fc from 'fast-check';

const characters = (min: number, max: number) => fc.integer({ min, max });

/** All characters except halves of surrogate pairs. */
const anyCharacter = fc.oneof(characters(0, 0x7f), characters(0, 0xd7ff), characters(0xe000, 0x10ffff)).map(
  (code) => String.fromCodePoint(code),
  (character) => {
    const code = typeof character === 'string' ? character.codePointAt(0) : undefined;
    if (code === undefined || String.fromCodePoint(code) !== character) throw new Error('No character.');
    return code;
  },
);

export const anyText = (maxLength?: number): fc.Arbitrary<string> =>
  fc.string({ unit: anyCharacter, ...(maxLength === undefined ? {} : { maxLength }) });
