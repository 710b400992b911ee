/** Finds the most frequent script in a text, by its ISO 15924 code in capital letters. */

const SCRIPTS: readonly (readonly [code: string, name: string])[] = [
  ['LATN', 'Latin'],
  ['CYRL', 'Cyrillic'],
  ['HANI', 'Han'],
  ['ARAB', 'Arabic'],
  ['GREK', 'Greek'],
  ['HEBR', 'Hebrew'],
  ['DEVA', 'Devanagari'],
  ['BENG', 'Bengali'],
  ['TAML', 'Tamil'],
  ['TELU', 'Telugu'],
  ['KNDA', 'Kannada'],
  ['MLYM', 'Malayalam'],
  ['GUJR', 'Gujarati'],
  ['GURU', 'Gurmukhi'],
  ['ORYA', 'Oriya'],
  ['SINH', 'Sinhala'],
  ['THAI', 'Thai'],
  ['LAOO', 'Lao'],
  ['MYMR', 'Myanmar'],
  ['KHMR', 'Khmer'],
  ['TIBT', 'Tibetan'],
  ['GEOR', 'Georgian'],
  ['ARMN', 'Armenian'],
  ['ETHI', 'Ethiopic'],
  ['MONG', 'Mongolian'],
  ['HANG', 'Hangul'],
  ['HIRA', 'Hiragana'],
  ['KANA', 'Katakana'],
];
const LETTER = /\p{L}/gu;
const OF_SCRIPT = SCRIPTS.map(([code, name]) => [code, new RegExp(`\\p{Script=${name}}`, 'u')] as const);

/** Frequent characters that exist only in simplified or only in traditional Chinese, in pairs. */
const SIMPLIFIED = '们这为来国时会说对过个学发经么还没进样动现开机东车长门问间马鸟鱼书见贝页风飞龙图话语谁让认识边应该电脑红绿让几岁买卖听写读华爱乐医院儿员务实习业两'; // oxfmt-ignore
const TRADITIONAL = '們這為來國時會說對過個學發經麼還沒進樣動現開機東車長門問間馬鳥魚書見貝頁風飛龍圖話語誰讓認識邊應該電腦紅綠讓幾歲買賣聽寫讀華愛樂醫院兒員務實習業兩'; // oxfmt-ignore

/**
 * Returns the weighted number of letters. Letters of scripts with one or two letters per word count as seven. Letters that few languages
 * share, which are all except plain a to z, count as two.
 */
export function letterWeight(text: string): number {
  let weight = 0;
  for (const [letter] of text.matchAll(LETTER)) weight += isDense(letter) ? 7 : /[a-z]/i.test(letter) ? 1 : 2;
  return weight;
}

const DENSE = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const isDense = (letter: string): boolean => DENSE.test(letter);

/** Returns the script. ZYYY (undetermined) for a text without letters, ZZZZ (uncoded) for an unknown script. */
export function scriptOf(text: string): string {
  const counts = new Map<string, number>();
  for (const [letter] of text.matchAll(LETTER)) {
    const code = OF_SCRIPT.find(([, pattern]) => pattern.test(letter))?.[0] ?? 'ZZZZ';
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  const kana = (counts.get('HIRA') ?? 0) + (counts.get('KANA') ?? 0);
  const han = counts.get('HANI') ?? 0;
  // Japanese combines three scripts, of which Han is often the most frequent.
  if (kana > 0 && kana * 8 >= han) {
    for (const part of ['HIRA', 'KANA', 'HANI']) counts.delete(part);
    counts.set('JPAN', kana + han);
  }
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a);
  if (most === undefined) return 'ZYYY';
  return most[0] === 'HANI' ? chineseScript(text) : most[0];
}

/** Returns HANI if the text has no distinguishing character, or equally many of both kinds. */
function chineseScript(text: string): string {
  let balance = 0;
  for (const character of text) {
    const simplified = SIMPLIFIED.includes(character);
    const traditional = TRADITIONAL.includes(character);
    if (simplified !== traditional) balance += simplified ? 1 : -1;
  }
  return balance > 0 ? 'HANS' : balance < 0 ? 'HANT' : 'HANI';
}
