/** Shared by the tests of user-supplied models, run by the whole service. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { NAMES, yoloModel } from '../../components/models/onnx/own-model.ts';
import { crashingModel } from '../../support/media/onnx-model.ts';
import {
  sampleUri,
  tracksOf,
  type DetectionDocument,
  type Service,
} from '../../support/processes/service.ts';

/** The model files of a service, and jobs that use them. */
export class OwnModels {
  readonly #service: Service;
  readonly #folder: string;

  private constructor(service: Service) {
    this.#service = service;
    this.#folder = path.join(service.dataDir, 'models');
  }

  /** Creates the suite with the model `pets`. */
  static async of(service: Service): Promise<OwnModels> {
    const models = new OwnModels(service);
    await mkdir(models.#folder, { recursive: true });
    await models.write('pets', yoloModel());
    return models;
  }

  write(name: string, model: Buffer): Promise<void> {
    return writeFile(path.join(this.#folder, `${name}.onnx`), model);
  }

  /**
   * Writes a model that ends its process when it is loaded, or at the first picture that is not black; x64
   * only.
   */
  writeCrashing(name: string, when: 'loaded' | 'not black'): Promise<void> {
    return this.write(name, crashingModel({ name: 'images', dims: [1, 3, 8, 8] }, when, NAMES));
  }

  async remove(): Promise<void> {
    for (const name of (await readdir(this.#folder)).filter((one) => one.endsWith('.onnx')))
      await rm(path.join(this.#folder, name));
  }

  run(medium: string, name: string): Promise<DetectionDocument> {
    return this.#service.run({
      media: [sampleUri(medium)],
      pipelineName: 'ONNX DETECTION PIPELINE',
      // The test network finds the same objects in every picture, so it would also find them in every tile.
      jobProperties: { MODEL_NAME: name, TILE_SIZE: '0' },
    });
  }

  /** The status and message of a job request, or dry run, with this model. */
  async statusOf(name: string, more: object = {}, query = ''): Promise<{ status: number; message: string }> {
    const request = {
      media: [{ mediaUri: sampleUri('hello-world.png') }],
      pipelineName: 'ONNX DETECTION PIPELINE',
      jobProperties: { MODEL_NAME: name },
      ...more,
    };
    const { status, body } = await this.#service.ask('POST', `/rest/jobs${query}`, request);
    return { status, message: (body as { coreResponse: { message: string } }).coreResponse.message };
  }

  /** Also returns the attempts for its one picture. */
  async runWithAttempts(name: string): Promise<[DetectionDocument, readonly number[]]> {
    const before = this.#service.handedOut().length;
    const document = await this.run('hello-world.png', name);
    const detecting = this.#service
      .handedOut()
      .slice(before)
      .filter(({ subJob }) => /(\.\d+){5}$/.test(subJob));
    return [document, detecting.map(({ attempt }) => attempt)];
  }

  async goesOn(): Promise<void> {
    const after = await this.run('hello-world.png', 'pets');
    expect(tracksOf(after.media[0], 'CLASS')).to.have.length(2);
  }
}
