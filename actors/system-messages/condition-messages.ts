import type { SystemMessageService } from './service.ts';
import type { Severity } from './model.ts';

/** Messages to administrators about lasting conditions: posted once, and removed when the condition ends or changes. */
export class ConditionMessages {
  readonly #messages: Pick<SystemMessageService, 'tellAdministrators' | 'remove'>;
  /** By what they are about. One change at a time, so that what is told last is what stays. */
  readonly #told = new Map<string, { readonly text: string; readonly id: number | undefined }>();
  #work: Promise<void> = Promise.resolve();

  constructor(messages: Pick<SystemMessageService, 'tellAdministrators' | 'remove'>) {
    this.#messages = messages;
  }

  /** `text` undefined: it is over. */
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
