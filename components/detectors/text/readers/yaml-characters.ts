/** Reads the list `character_dict` of a YAML file from PaddleOCR, with one item per line. Other YAML is not supported. */

const KEY = /^( *)character_dict: *$/;
const ITEM = /^( *)- (.*)$/s;
/** Escapes of one letter in double quotes. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ '0': '\0', a: '\u0007', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r', e: '\u001b' },
  ...{ N: '\u0085', _: '\u00a0', L: '\u2028', P: '\u2029' },
};
const ESCAPE = /\\(?:x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|(.))/gs;
const LAST_CODE_POINT = 0x10ffff;

/** Returns undefined if there is no such list. Spaces other than the normal one are characters. */
export function charactersInYaml(text: string): readonly string[] | undefined {
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => KEY.test(line));
  if (start === -1) return undefined;
  const least = KEY.exec(lines[start]!)![1]!.length;
  const characters: string[] = [];
  for (const line of lines.slice(start + 1)) {
    const [, indent, item] = ITEM.exec(line) ?? [];
    if (indent === undefined || item === undefined || indent.length < least) break;
    characters.push(scalarOf(item));
  }
  return characters.length === 0 ? undefined : characters;
}

function scalarOf(item: string): string {
  const quote = item[0];
  const inside = item.length >= 2 && item.endsWith(quote ?? ' ') ? item.slice(1, -1) : undefined;
  if (quote === "'" && inside !== undefined) return inside.replaceAll("''", "'");
  if (quote === '"' && inside !== undefined) return inside.replaceAll(ESCAPE, unescape);
  return item;
}

function unescape(all: string, x?: string, u?: string, long?: string, letter?: string): string {
  const digits = x ?? u ?? long;
  if (digits === undefined) return LETTERS[letter!] ?? letter!;
  const code = Number.parseInt(digits, 16);
  return code > LAST_CODE_POINT ? all : String.fromCodePoint(code);
}
