/** How pages are indexed and searched; the site and its build share it. */

/** Words of questions that say nothing about the answer. */
const COMMON = new Set(
  'a an and are at be can do does for from how i if in is it its me my of on one or own so that the there this to what when where which why will with you your'.split(
    ' ',
  ),
);
/** Words of readers, with the one that pages use. */
const SAME = new Map(
  Object.entries({
    detector: 'component',
    kill: 'restart',
    crash: 'restart',
    webhook: 'callback',
    webhooks: 'callback',
    ssl: 'tls',
    https: 'tls',
    login: 'log',
    sso: 'openid',
    transcript: 'transcribe',
    subtitles: 'transcribe',
    remove: 'delete',
    stuck: 'wait',
    slow: 'cores',
    k8s: 'kubernetes',
    docker: 'compose',
  }),
);

/** The same form for `wait`, `waits`, `waiting` and `waited`. */
function stem(word) {
  const short = word
    .replace(/(?:ies|ied)$/, 'y')
    .replace(/(?<=[a-z]{3})(?:ing|ed|es|s)$/, '')
    .replace(/(?<=[a-z]{3})e$/, '');
  return short.replace(/([b-df-hj-kmnp-rtv-z])\1$/, '$1');
}

function processTerm(term) {
  const word = term.toLowerCase();
  if (COMMON.has(word)) return null;
  return stem(SAME.get(word) ?? word);
}

/** A reader who asks how something is done wants a path first, and every detail last. */
const BOOST = { start: 1.3, reference: 0.6 };

export const searchOptions = {
  fields: ['title', 'description', 'keywords', 'headings', 'text'],
  storeFields: ['title', 'description', 'section'],
  // Names of settings stay whole.
  tokenize: (text) => text.split(/[^\p{L}\p{N}_]+/u),
  processTerm,
  searchOptions: {
    prefix: (term) => term.length > 3,
    fuzzy: (term) => (term.length > 5 ? 0.15 : false),
    boost: { title: 8, description: 4, keywords: 4, headings: 2 },
    boostDocument: (_, __, { section }) => BOOST[section] ?? 1,
  },
};
