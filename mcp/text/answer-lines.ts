/** Lines of an answer, limited to the number of tokens that an agent should read at once. */

/** Maximum number of tokens of an answer. */
export const MOST_TOKENS = 3_500;
/** Number of tokens reserved for closing lines. */
const RESERVED_TOKENS = 150;
const CHARACTERS_A_TOKEN = 3;

/** Returns an upper estimate of the tokens of a text. Characters other than ASCII count as one token each. */
export function estimateTokens(text: string): number {
  const other = text.match(/[^ -~\s]/gu)?.length ?? 0;
  return Math.ceil((text.length - other) / CHARACTERS_A_TOKEN + other);
}

export class AnswerLines {
  readonly #lines: string[] = [];
  #left = MOST_TOKENS - RESERVED_TOKENS;

  /** Adds a line. Returns false if there is no space for it. */
  add(line: string): boolean {
    const tokens = estimateTokens(line) + 1;
    if (tokens > this.#left) return false;
    this.#left -= tokens;
    this.#lines.push(line);
    return true;
  }

  /** Adds lines while there is space. Returns the number of added lines. */
  addAll(lines: Iterable<string>): number {
    let count = 0;
    for (const line of lines) {
      if (!this.add(line)) break;
      count += 1;
    }
    return count;
  }

  /** Adds a short line even without space, such as advice for the agent. */
  close(line: string): void {
    this.#lines.push(line);
  }

  toString(): string {
    return this.#lines.join('\n');
  }
}
