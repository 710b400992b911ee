/** Unknown words, found by cspell with the list of words of this folder. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('..', import.meta.url));

export function checkSpelling(files) {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [
      `${folder}node_modules/cspell/bin.mjs`,
      'lint',
      '--config',
      `${folder}cspell.json`,
      '--no-progress',
      '--no-summary',
      '--relative',
      ...files,
    ],
    { encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 },
  );
  const problems = [...stdout.matchAll(/^(.+?):(\d+):\d+ - Unknown word \((.+?)\)/gm)].map(
    ([, file, line, word]) => ({
      file: file.replace(/^\.\//, ''),
      line: Number(line),
      rule: 'spelling',
      message: `"${word}" is no known word. Correct it, mark it as code, or add it to docs/tools/words.txt.`,
    }),
  );
  if (status !== 0 && problems.length === 0) throw new Error(`cspell failed: ${stderr}`);
  return problems;
}
