/** Texts that make a regular expression backtrack: repeated matches, then a mismatch. */

/** One part of an expression: a text that matches it, and whether it can repeat. */
interface Atom {
  readonly samples: readonly string[];
}

const CLASSES: Readonly<Record<string, readonly string[]>> = {
  s: [' ', '\n'],
  d: ['1'],
  w: ['a', '1'],
  S: ['a'],
  D: ['a'],
  W: [' ', '-'],
  n: ['\n'],
  r: ['\r'],
  t: ['\t'],
  f: ['\f'],
  v: ['\v'],
  0: ['\0'],
  b: [''],
  B: [''],
};

/** The atoms of the expression in order, without groups and quantifiers. */
function atomsOf(source: string): readonly Atom[] {
  const atoms: Atom[] = [];
  for (let at = 0; at < source.length; at++) {
    const one = source[at]!;
    if (one === '\\') {
      const [samples, length] = readEscape(source, at);
      atoms.push({ samples });
      at += length - 1;
    } else if (one === '[') {
      const end = endOfClass(source, at);
      atoms.push({ samples: samplesOfClass(source.slice(at + 1, end)) });
      at = end;
    } else if (one === '(' && source[at + 1] === '?')
      at += /^\(\?(<?[=!]|:|<\w+>)/.exec(source.slice(at))![0].length - 1;
    else if (one === '{') at = source.indexOf('}', at);
    else if (one === '.') atoms.push({ samples: ['a', ' '] });
    else if (!'()|*+?^$'.includes(one)) atoms.push({ samples: [one] });
  }
  return atoms.filter(({ samples }) => samples.some((sample) => sample !== ''));
}

function readEscape(source: string, at: number): readonly [readonly string[], number] {
  const rest = source.slice(at);
  const property = /^\\[pP]\{([^}]*)\}/.exec(rest);
  if (property !== null)
    return [[property[1]!.startsWith('L') ? 'a' : property[1] === 'N' ? '1' : '\u0001'], property[0].length];
  const code = /^\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))/.exec(rest);
  if (code !== null)
    return [[String.fromCodePoint(parseInt(code[1] ?? code[2] ?? code[3]!, 16))], code[0].length];
  return [CLASSES[source[at + 1]!] ?? [source[at + 1]!], 2];
}

function endOfClass(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === ']') return at;
  }
  return source.length;
}

function samplesOfClass(inside: string): readonly string[] {
  const matching = new RegExp(`^[${inside}]$`, inside.includes('\\p{') || inside.includes('\\u{') ? 'u' : '');
  return [
    'a',
    '1',
    ' ',
    '/',
    '.',
    '-',
    '"',
    '\n',
    '&',
    'é',
    '\u0001',
    '。',
    '𝒳',
    '\ufeff',
    ...Array.from(inside),
  ]
    .filter((one) => matching.test(one))
    .slice(0, 4);
}

/** The contents of all groups, including nested ones. */
function groupsOf(source: string): readonly string[] {
  const open: number[] = [];
  const found: string[] = [];
  for (let at = 0; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === '[') at = endOfClass(source, at);
    else if (source[at] === '(') open.push(at + 1);
    else if (source[at] === ')') found.push(source.slice(open.pop(), at).replace(/^\?(:|<?[=!]|<\w+>)/, ''));
  }
  return found;
}

/**
 * Leads and repeated texts for an expression: every sequence of up to three atoms after the atoms before it,
 * and the whole expression.
 */
export function pumpsOf(source: string): readonly { readonly lead: string; readonly pump: string }[] {
  const atoms = atomsOf(source);
  const first = atoms.map(({ samples }) => samples[0] ?? '');
  const pumps = new Map<string, { lead: string; pump: string }>();
  const add = (lead: string, pump: string) => pump !== '' && pumps.set(`${lead}\0${pump}`, { lead, pump });
  for (const [at, { samples }] of atoms.entries()) {
    const lead = first.slice(0, at).join('');
    for (const sample of samples) {
      add(lead, sample);
      add('', sample);
    }
    for (const length of [2, 3, 4]) {
      const run = first.slice(at, at + length).join('');
      add(lead, run);
      add('', run);
    }
  }
  add('', first.join(''));
  for (const inside of groupsOf(source)) {
    const atoms = atomsOf(inside);
    const lead = source.slice(0, source.indexOf(inside));
    for (const choice of [0, 1])
      for (const start of [
        '',
        atomsOf(lead)
          .map(({ samples }) => samples[0] ?? '')
          .join(''),
      ])
        add(start, atoms.map(({ samples }) => samples[choice] ?? samples[0] ?? '').join(''));
  }
  return [...pumps.values()];
}

/** Ends that prevent a match. */
export const TAILS = ['', '\0', '!x'];
