/** Corrects readings of right-to-left scripts. A network reads a line visually from left to right. Pure. */

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
/** Latin words and numbers within such a line, which run from left to right. */
const PIECES = /[\p{Script=Latin}\p{N}:*./%+-]+(?: +[\p{Script=Latin}\p{N}:*./%+-]+)*|\P{M}\p{M}*|\p{M}/gu;

/** Returns the reading in logical order. */
export const inSpokenOrder = (text: string): string =>
  RIGHT_TO_LEFT.test(text) ? (text.match(PIECES) ?? []).toReversed().join('') : text;
