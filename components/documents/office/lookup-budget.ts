import { MAX_LOOKUP_CHARACTERS, tooLarge } from '../limits.ts';

/** Keeps count of what is held in memory to look things up. */
export class LookupBudget {
  #left = MAX_LOOKUP_CHARACTERS;

  take(text: string): string {
    // Something small is held for an empty text, too.
    this.#left -= text.length + 16;
    if (this.#left < 0) throw tooLarge('its shared texts take too much memory');
    return text;
  }
}
