/** Records a command in a terminal (script of util-linux) and turns it into an animated SVG. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const COLUMNS = 96;
const CHARACTER = { width: 8.4, height: 19 };
const MARGIN = 16;
const LONGEST_PAUSE_S = 1.2;
const LAST_S = 5;
const STEP_S = 0.12;

/** `shown` replaces what differs from machine to machine. @returns {string} the SVG: a prompt with the command, then its output as it came. */
export function recordCommand(command, { folder, env, shown }) {
  const output = path.join(folder, '.recording');
  const timing = path.join(folder, '.timing');
  const words = [
    '-q',
    '-e',
    '--log-out',
    output,
    '--log-timing',
    timing,
    '-c',
    `stty cols ${COLUMNS} rows 40; ${command}`,
  ];
  const { status } = spawnSync('script', words, {
    cwd: folder,
    env: { ...env, TERM: 'xterm' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`The command ended with exit code ${status}: ${command}`);
  return svgOf(framesOf(command, piecesOf(output, timing), shown));
}

/** The log of `script` has a line before the output, and one after it. */
function piecesOf(output, timing) {
  const bytes = readFileSync(output);
  let at = bytes.indexOf('\n') + 1;
  return readFileSync(timing, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [seconds, length] = line.split(' ').map(Number);
      const text = bytes.subarray(at, at + length).toString('utf8');
      at += length;
      return { seconds: Math.min(seconds, LONGEST_PAUSE_S), text };
    });
}

/** Screens with the time at which they appear; those that follow at once are left out. */
function framesOf(command, pieces, shown) {
  const screen = new Screen();
  const frames = [];
  const prompt = `$ ${command}`;
  for (let length = 2; length <= prompt.length; length += 3)
    frames.push({ at: frames.length * 0.06, lines: [prompt.slice(0, length)] });
  let at = frames.length * 0.06 + 0.4;
  screen.write(`${prompt}\r\n`);
  for (const { seconds, text } of pieces) {
    at += seconds;
    screen.write(shown(text));
    const last = frames.at(-1);
    if (at - last.at < STEP_S) last.lines = screen.lines();
    else frames.push({ at, lines: screen.lines() });
  }
  return { frames, duration: at + LAST_S };
}

const ESCAPE = String.fromCodePoint(27);
/** Sequences that steer a terminal, and single characters. */
const TOKENS = new RegExp(String.raw`${ESCAPE}\[[?\d;]*[A-Za-z]|${ESCAPE}.|[\s\S]`, 'gu');

/** As much of a terminal as progress bars need. */
class Screen {
  #rows = [''];
  #row = 0;
  #column = 0;

  write(text) {
    for (const [token] of text.matchAll(TOKENS)) this.#take(token);
  }

  lines() {
    return this.#rows.map((row) => row.trimEnd());
  }

  #take(token) {
    if (token === '\r') this.#column = 0;
    else if (token === '\n') this.#moveTo(this.#row + 1);
    else if (token.startsWith(ESCAPE)) this.#control(token);
    else if (token >= ' ') {
      const row = this.#rows[this.#row].padEnd(this.#column);
      this.#rows[this.#row] = row.slice(0, this.#column) + token + row.slice(this.#column + 1);
      this.#column++;
    }
  }

  #control(token) {
    const [, given, name] = /^.\[(\d*)[\d;]*([A-Za-z])$/.exec(token) ?? [];
    const count = Number(given || 1);
    if (name === 'A') this.#moveTo(Math.max(0, this.#row - count));
    if (name === 'B') this.#moveTo(this.#row + count);
    if (name === 'G') this.#column = count - 1;
    if (name === 'K')
      this.#rows[this.#row] = given === '2' ? '' : this.#rows[this.#row].slice(0, this.#column);
    if (name === 'J') this.#rows.length = this.#row + 1;
  }

  #moveTo(row) {
    this.#row = row;
    while (this.#rows.length <= row) this.#rows.push('');
  }
}

function svgOf({ frames, duration }) {
  const rows = Math.max(...frames.map(({ lines }) => lines.length));
  const width = Math.ceil(COLUMNS * CHARACTER.width + 2 * MARGIN);
  const height = rows * CHARACTER.height + 2 * MARGIN;
  const percent = (seconds) => ((100 * seconds) / duration).toFixed(2);
  const rules = frames.map(({ at }, i) => {
    const until = frames[i + 1]?.at ?? duration;
    const before = i === 0 ? '' : `0%,${percent(at)}%{visibility:hidden}`;
    const after = i === frames.length - 1 ? '' : `${percent(until)}%,100%{visibility:hidden}`;
    return `@keyframes f${i}{${before}${percent(at + 0.001)}%,${percent(until - 0.001)}%{visibility:visible}${after}}#f${i}{animation:f${i} ${duration.toFixed(1)}s step-end infinite}`;
  });
  const groups = frames.map(({ lines }, i) => {
    const texts = lines.flatMap((line, row) =>
      line === '' ? [] : [`<text y="${row * CHARACTER.height + MARGIN + 13}">${escaped(line)}</text>`],
    );
    return `<g id="f${i}">${texts.join('')}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="Recording of a terminal">
<style>text{font:14px ui-monospace,Menlo,Consolas,monospace;fill:#e6eaef;white-space:pre}g{visibility:hidden}g:last-of-type{visibility:visible}${rules.join('')}</style>
<rect width="100%" height="100%" rx="8" fill="#14181d"/>
<svg x="${MARGIN}" overflow="visible">${groups.join('\n')}</svg>
</svg>
`;
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
