import type { SystemMessageService } from './service.ts';
import type { Severity } from './model.ts';

/** Messages to administrators about lasting conditions: posted once, and removed when the condition ends or changes. */
export class ConditionMessages {
  readonly #messages: Pick<SystemMessageService, 'tellAdministrators' | 'remove'>;
  /** Current messages by subject. Changes run one at a time, so that the last one wins. */
  readonly #told = new Map<string, { readonly text: string; readonly id: number | undefined }>();
  #work: Promise<void> = Promise.resolve();

  constructor(messages: Pick<SystemMessageService, 'tellAdministrators' | 'remove'>) {
    this.#messages = messages;
  }

  /** `text` undefined: the condition has ended. */
  tell(about: string, severity: Severity, text: string | undefined): void {
    this.#work = this.#work.then(() => this.#change(about, severity, text)).catch(() => undefined);
  }

  async #change(about: string, severity: Severity, text: string | undefined): Promise<void> {
    const before = this.#told.get(about);
    if (before?.text === text) return;
    if (before?.id !== undefined) await this.#messages.remove(before.id);
    this.#told.delete(about);
    if (text === undefined) return;
    const id = await this.#messages.tellAdministrators(severity, text, 'atServerStartup');
    this.#told.set(about, { text, id });
  }
}
