/** What components say of the parts of media that they could not look at. */
import type { Issue } from '../types.ts';

/** Of one result, and of one action on one medium. */
export const MAX_WARNINGS = 20;
/** Characters; what is longer is cut. */
export const MAX_WARNING_LENGTH = 4000;

const MORE = `There are more than ${MAX_WARNINGS} different warnings; the others are left out.`;

/** Keeps each message once, for all pieces of a medium, and at most as many as are reported. */
export class ComponentWarnings {
  readonly #messages = new Set<string>();

  /** A blank message says nothing and is left out. */
  add(message: string): void {
    const text = shortenText(message.trim());
    if (text === '' || this.#messages.has(text)) return;
    if (this.#messages.size < MAX_WARNINGS) this.#messages.add(text);
    else this.#messages.add(MORE);
  }

  /** In the order in which they were said first. */
  get messages(): readonly string[] {
    return [...this.#messages];
  }

  issues(): readonly Issue[] {
    return this.messages.map((message) => ({ code: 'OTHER', message }));
  }
}

const shortenText = (text: string): string =>
  text.length <= MAX_WARNING_LENGTH ? text : `${text.slice(0, MAX_WARNING_LENGTH - 1)}…`;
