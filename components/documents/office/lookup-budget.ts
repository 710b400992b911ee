import { MAX_LOOKUP_CHARACTERS, tooLarge } from '../limits.ts';

/** Counts the memory for lookup data. */
export class LookupBudget {
  #left = MAX_LOOKUP_CHARACTERS;

  take(text: string): string {
    // An empty text also takes some memory.
    this.#left -= text.length + 16;
    if (this.#left < 0) throw tooLarge('its shared texts take too much memory');
    return text;
  }
}
