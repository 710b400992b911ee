/** Lines of an answer, as many as an agent should read at a time. */

/** Of an answer at most. */
export const MOST_TOKENS = 3_500;
/** For what still has to be said after the last line. */
const RESERVED_TOKENS = 150;
const CHARACTERS_A_TOKEN = 3;

/** How many tokens a text costs at most, roughly: letters of other scripts than Latin have one each. */
export function estimateTokens(text: string): number {
  const other = text.match(/[^ -~\s]/gu)?.length ?? 0;
  return Math.ceil((text.length - other) / CHARACTERS_A_TOKEN + other);
}

export class AnswerLines {
  readonly #lines: string[] = [];
  #left = MOST_TOKENS - RESERVED_TOKENS;

  /** false: there is no room for it, so it is left out. */
  add(line: string): boolean {
    const tokens = estimateTokens(line) + 1;
    if (tokens > this.#left) return false;
    this.#left -= tokens;
    this.#lines.push(line);
    return true;
  }

  /** Adds them as long as there is room. Answers how many were added. */
  addAll(lines: Iterable<string>): number {
    let count = 0;
    for (const line of lines) {
      if (!this.add(line)) break;
      count += 1;
    }
    return count;
  }

  /** Adds a short line in any case: what the agent can do next. */
  close(line: string): void {
    this.#lines.push(line);
  }

  toString(): string {
    return this.#lines.join('\n');
  }
}
