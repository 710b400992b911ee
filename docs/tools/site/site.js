/** Search in the pages of the site: the index is loaded when the reader first types. */
import MiniSearch from './minisearch.js';
import { searchOptions } from './options.mjs';

const MOST = 10;
const here = new URL('.', import.meta.url);
const form = document.querySelector('form[role=search]');
const input = form.querySelector('input');
const results = document.querySelector('#results');
let loading;

input.addEventListener('input', () => void show());
form.addEventListener('submit', (event) => {
  event.preventDefault();
  results.querySelector('a')?.click();
});
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === 'Escape') results.hidden = true;
});

async function show() {
  const question = input.value.trim();
  results.hidden = question === '';
  if (question === '') return;
  loading ??= load();
  const search = await loading;
  if (question !== input.value.trim()) return;
  const found = search.search(question).slice(0, MOST);
  results.replaceChildren(
    ...(found.length === 0 ? [line('No page contains these words.')] : found.map(entry)),
  );
}

async function load() {
  const answer = await fetch(new URL('search.json', here));
  return MiniSearch.loadJSON(await answer.text(), searchOptions);
}

function entry({ id, title, description }) {
  const link = document.createElement('a');
  link.href = new URL(id, here).href;
  link.append(title);
  const text = document.createElement('small');
  text.append(description);
  const item = document.createElement('li');
  item.append(link, text);
  return item;
}

function line(text) {
  const item = document.createElement('li');
  item.append(text);
  return item;
}
