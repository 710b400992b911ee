/**
 * Runs the commands of guides: each ```sh block in order, in an empty folder, and compares the output with the ```text block directly after
 * it. `...` matches any text, `<n>` a number. A block ```sh no-run is skipped, and one
 * ```sh fails must end with an exit code other than 0. Front matter: `samples:` copies media into the folder,
 * `server: true` uses the server that all these guides share, at 127.0.0.1:8080 as the guides write it. `packages:` names folders of
 * packages of this checkout that are installed in the folder.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { end, environment, startServer, workplace } from './server.mjs';

const GUIDE_MS = 300_000;
const WRITTEN_ADDRESS = /(?:127\.0\.0\.1|localhost):8080/g;

export async function checkCommands(pages, print) {
  const guides = pages
    .map((page) => ({ ...page, steps: stepsOf(page.tree) }))
    .filter(({ file, steps }) => /^docs\/(?:start|guides)\//.test(file) && steps.length > 0);
  if (guides.length === 0) return [];
  const place = workplace();
  const { root, bin } = place;
  const needsServer = guides.some(({ front }) => front.server === true);
  const server = needsServer ? await startServer(place, path.join(root, 'guides')) : undefined;
  const problems = [];
  try {
    // In turn: guides of one server show "the last job".
    for (const guide of guides) {
      const found = await runGuide(guide, root, bin, server);
      problems.push(...found);
      found.forEach(print);
    }
  } finally {
    await server?.stop();
    rmSync(root, { recursive: true, force: true });
  }
  return problems;
}

/** Blocks that run, each with the output that is expected. */
function stepsOf(tree) {
  const steps = [];
  const walk = ({ children = [] }) => {
    for (const [i, node] of children.entries()) {
      if (node.type === 'code' && node.lang === 'sh' && !/\bno-run\b/.test(node.meta ?? '')) {
        const next = children[i + 1];
        const expected = next?.type === 'code' && next.lang === 'text' ? next : undefined;
        const fails = /\bfails\b/.test(node.meta ?? '');
        steps.push({ command: node.value, line: node.position.start.line, expected, fails });
      }
      walk(node);
    }
  };
  walk(tree);
  return steps;
}

async function runGuide({ file, front, steps }, root, bin, server) {
  const name = path.basename(file, '.md');
  const folder = path.join(root, 'guides', name);
  const own = path.join(root, 'steps', name);
  mkdirSync(folder, { recursive: true });
  mkdirSync(own, { recursive: true });
  for (const sample of front.samples ?? []) {
    const source = path.join('samples', sample);
    if (!existsSync(source))
      return [{ file, line: 1, rule: 'commands', message: `${source} does not exist.` }];
    copyFileSync(source, path.join(folder, sample));
  }
  for (const one of front.packages ?? []) installPackage(one, folder);
  const shared = front.server === true ? server : undefined;
  const script = steps.map(({ command }, n) => {
    const text = shared === undefined ? command : command.replaceAll(WRITTEN_ADDRESS, shared.address);
    return `{\n${text}\n} >"${own}/${n}.out" 2>"${own}/${n}.err"\necho $? >"${own}/${n}.code"`;
  });
  const env = {
    ...environment(bin),
    DATA_DIR: shared?.dataDir ?? path.join(root, 'data', name),
    ...(shared === undefined ? {} : { TROUPE_URL: `http://${shared.address}` }),
  };
  const child = spawn('bash', ['-c', script.join('\n')], {
    cwd: folder,
    env,
    stdio: 'ignore',
    detached: true,
  });
  const timer = setTimeout(() => end(child.pid), GUIDE_MS);
  await once(child, 'exit');
  clearTimeout(timer);
  end(child.pid);
  return steps.flatMap((step, n) => {
    const problem = problemOf(step, readResult(own, n), shared?.address);
    return problem === undefined ? [] : [{ file, line: step.line, rule: 'commands', ...problem }];
  });
}

/** As `npm install` would, but with the code that is built already. */
function installPackage(from, folder) {
  const { name } = JSON.parse(readFileSync(path.join(from, 'package.json'), 'utf8'));
  const to = path.join(folder, 'node_modules', name);
  mkdirSync(to, { recursive: true });
  copyFileSync(path.join(from, 'package.json'), path.join(to, 'package.json'));
  symlinkSync(path.resolve('dist'), path.join(to, 'dist'));
}

function readResult(folder, n) {
  const read = (ending) => {
    const file = path.join(folder, `${n}.${ending}`);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  return { out: read('out'), err: read('err'), code: read('code').trim() };
}

export function problemOf({ command, expected, fails = false }, { out, err, code }, address) {
  const shown = (text) =>
    (address === undefined ? text : text.replaceAll(address, '127.0.0.1:8080'))
      .replaceAll('\r\n', '\n')
      .trim();
  const first = command.split('\n')[0];
  if (code === '') return { message: `The command did not end, or an earlier one did not: ${first}` };
  if (fails !== (code !== '0'))
    return { message: `The command ended with exit code ${code}: ${first}\n${indented(shown(err || out))}` };
  if (expected === undefined) return undefined;
  const texts = [out, err, `${out}\n${err}`, `${err}\n${out}`].map(shown);
  const lines = expected.value.trim().split('\n');
  if (texts.some((text) => new RegExp(`^${patternOf(lines)}$`).test(text))) return undefined;
  // The first line without which the beginning would be as expected.
  const wrong = lines.findIndex((_, n) => {
    const beginning = new RegExp(`^${patternOf(lines.slice(0, n + 1))}(?:\\n|$)`);
    return !texts.some((text) => beginning.test(text));
  });
  const where = wrong === -1 ? 'the output goes beyond the block' : `not found: ${lines[wrong]}`;
  return {
    ...(wrong === -1 || expected.position === undefined
      ? {}
      : { line: expected.position.start.line + wrong + 1 }),
    message: `The output of this command differs (${where}): ${first}\n${indented(shown(`${out}\n${err}`))}`,
  };
}

/** Of lines of output; trailing spaces do not count. */
function patternOf(lines) {
  return lines
    .map((line) => {
      if (line.trim() === '...') return String.raw`(?:[^\n]*\n)*?(?:[^\n]*)?`;
      return line
        .trimEnd()
        .split(/(\.\.\.|<n>)/)
        .map((part) => {
          if (part === '...') return String.raw`[\s\S]*?`;
          if (part === '<n>') return String.raw`-?\d[\d.,]*`;
          return part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
        })
        .join('');
    })
    .join(String.raw`[ \t]*\n?`);
}

const indented = (text) => text.split('\n').slice(0, 30).map((line) => `    ${line}`).join('\n'); // oxfmt-ignore
