/** Warnings of components about parts of media that they could not analyze. */
import type { Issue } from '../types.ts';

/** Limit for one result, and for one action on one medium. */
export const MAX_WARNINGS = 20;
/** Maximum number of characters. Longer warnings are cut. */
export const MAX_WARNING_LENGTH = 4000;

const MORE = `There are more than ${MAX_WARNINGS} different warnings; the others are left out.`;

/** Collects each message once for all sub-jobs of a medium, up to the maximum number. */
export class ComponentWarnings {
  readonly #messages = new Set<string>();

  /** A blank message is ignored. */
  add(message: string): void {
    const text = shortenText(message.trim());
    if (text === '' || this.#messages.has(text)) return;
    if (this.#messages.size < MAX_WARNINGS) this.#messages.add(text);
    else this.#messages.add(MORE);
  }

  /** In the order of their first occurrence. */
  get messages(): readonly string[] {
    return [...this.#messages];
  }

  issues(): readonly Issue[] {
    return this.messages.map((message) => ({ code: 'OTHER', message }));
  }
}

const shortenText = (text: string): string =>
  text.length <= MAX_WARNING_LENGTH ? text : `${text.slice(0, MAX_WARNING_LENGTH - 1)}…`;
