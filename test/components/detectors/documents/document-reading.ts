/** Reads documents with the DOCUMENT TEXT component, from files or bytes, in a temporary folder. */
import { expect } from 'chai';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import load from '../../../../components/detectors/document-text/detector.ts';
import { mimeTypeOf } from '../../../../media/inspect/mime.ts';
import { scratchFolder } from '../../../media/support/samples.ts';
import { all, jobOf } from '../../visual.ts';

export class Reading {
  #folder = '';

  open(): void {
    this.#folder = scratchFolder();
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  path(name: string): string {
    return join(this.#folder, name);
  }

  /** "page.section text" of each result. */
  async file(path: string, mimeType?: string): Promise<string[]> {
    const detector = await load();
    const source = { path, mimeType: mimeType ?? (await mimeTypeOf(path)), outputFolder: this.#folder };
    const parts = await all(detector.generic!(source, await jobOf('document-text')));
    return parts.map(({ type, confidence, properties }) => {
      expect([type, confidence]).to.deep.equal(['TEXT', -1]);
      return `${properties['PAGE_NUM']}.${properties['SECTION_NUM']} ${properties['TEXT']}`;
    });
  }

  async bytes(content: string | Uint8Array, mimeType?: string): Promise<string[]> {
    await writeFile(this.path('document'), content);
    return this.file(this.path('document'), mimeType);
  }

  /** Code and message of the refusal. */
  async refusal(content: string | Uint8Array, mimeType?: string): Promise<readonly [string, string]> {
    return this.bytes(content, mimeType).then(
      (texts) => ['accepted', texts.join()] as const,
      (error: { code?: string; message: string }) => [error.code ?? 'no code', error.message] as const,
    );
  }
}
