/** Readings of scripts that run from right to left. A network reads a line from left to right, as it is seen. Pure. */

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
/** Latin words and numbers within such a line run from left to right. */
const PIECES = /[\p{Script=Latin}\p{N}:*./%+-]+(?: +[\p{Script=Latin}\p{N}:*./%+-]+)*|\P{M}\p{M}*|\p{M}/gu;

/** The reading in the order in which a person reads it. */
export const inSpokenOrder = (text: string): string =>
  RIGHT_TO_LEFT.test(text) ? (text.match(PIECES) ?? []).toReversed().join('') : text;
