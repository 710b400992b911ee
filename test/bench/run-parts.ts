/** Runs the parts of the benchmark one after the other, even if some fail. */

/** Returns the names of failed parts. `run` returns whether a part succeeded. */
export function runParts(
  names: readonly string[],
  run: (name: string) => boolean,
  log: (line: string) => void,
): readonly string[] {
  const failed = names.filter((name) => {
    log(`\n### ${name}\n`);
    const isDone = run(name);
    if (!isDone) log(`\nThe part ${name} failed. Run it alone with: npm run bench ${name}`);
    return !isDone;
  });
  log(
    `\n${names.length - failed.length} of ${names.length} parts completed${failed.length > 0 ? `; failed: ${failed.join(', ')}` : ''}`,
  );
  return failed;
}
