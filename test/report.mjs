/** Prints the progress of a test run, and collects the results of each file. */
import Mocha from 'mocha';

const { Base, Spec } = Mocha.reporters;

/** @typedef {{ passed: number, skipped: number, failures: object[], ms: number }} Result of a file; `ms` without the time to load it. */

/**
 * A mocha reporter that adds the result of each file to `results` and prints a line for it. `spec`: prints
 * every test, and the failures at the end. `nameOf`: returns the displayed name of a file.
 */
export function reporterInto(results, { spec, nameOf }) {
  return class extends (spec ? Spec : Base) {
    constructor(runner, options) {
      super(runner, options);
      collect(runner, results, spec ? () => {} : (file, result) => console.log(lineOf(nameOf(file), result)));
    }
  };
}

/** Prints failed tests with their full errors. */
export function listFailures(results) {
  const failures = [...results.values()].flatMap((result) => result.failures);
  if (failures.length > 0) Base.list(failures);
}

export const titleOf = (failure) => failure.titlePath().join(' ');

/**
 * Calls `isThrough` when the last test of a file has ended. The events of a file are consecutive, even with
 * several processes.
 */
function collect(runner, results, isThrough) {
  let current;
  const end = () => {
    if (current !== undefined) isThrough(current, results.get(current));
    current = undefined;
  };
  // Hooks outside of every describe have no file of their own.
  const resultOf = (file = current ?? '') => {
    if (file !== current) end();
    current = file;
    if (!results.has(file)) results.set(file, { passed: 0, skipped: 0, failures: [], ms: 0 });
    return results.get(file);
  };
  runner.on('pass', ({ file }) => resultOf(file).passed++);
  runner.on('pending', ({ file }) => resultOf(file).skipped++);
  runner.on('fail', (failure) => resultOf(failure.file).failures.push(failure));
  for (const event of ['test end', 'hook end'])
    runner.on(event, ({ file = current, duration = 0 }) => {
      if (file !== undefined) resultOf(file).ms += duration;
    });
  runner.on('suite end', ({ root }) => root && end());
  runner.on('end', end);
}

function lineOf(name, { passed, skipped, failures, ms }) {
  const counts = [
    `${passed} passed`,
    ...(failures.length > 0 ? [`${failures.length} FAILED`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return `${(ms / 1_000).toFixed(1).padStart(6)} s  ${name}: ${counts.join(', ')}`;
}

/** Prints the flaky tests and the final count. Returns the exit code. */
export function conclude(results, flaky) {
  const sum = (count) => [...results.values()].reduce((total, result) => total + count(result), 0);
  const passed = sum((result) => result.passed);
  const failed = sum((result) => result.failures.length);
  const skipped = sum((result) => result.skipped);
  if (flaky.length > 0)
    console.log('\nFlaky: these tests failed at first and passed when they ran again, alone.');
  for (const test of flaky) console.log(`  ${test}`);
  const also = [
    ...(skipped > 0 ? [`, ${skipped} skipped`] : []),
    ...(flaky.length > 0 ? [`, ${flaky.length} flaky`] : []),
  ];
  console.log(`\n${passed} passed, ${failed} failed${also.join('')}`);
  return failed > 0 || passed === 0 ? 1 : 0;
}
