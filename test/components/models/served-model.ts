/**
 * Shared by tests of models on servers: a server, the component that uses it, and the component that runs the
 * same file.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import loadKserve from '../../../components/models/kserve/detector.ts';
import loadOnnx from '../../../components/models/onnx/detector.ts';
import type { DetectionJob, Detector, FoundTrack, Frame } from '../../../components/sdk/detector.ts';
import type { Properties } from '../../../domain/types.ts';
import { KserveServer, type ServedOptions } from '../../support/servers/kserve-server.ts';
import { WHITE } from './onnx/own-model.ts';
import { all, jobOf } from '../visual.ts';

/** Both use the models in one folder. `close` removes everything. */
export class ServedFolder {
  readonly path: string;
  readonly detector: Detector;
  readonly local: Detector;
  server: KserveServer;

  private constructor(folder: string, detector: Detector, local: Detector, server: KserveServer) {
    this.path = folder;
    this.detector = detector;
    this.local = local;
    this.server = server;
  }

  static async open(waitMs = 0): Promise<ServedFolder> {
    const folder = await mkdtemp(path.join(tmpdir(), 'troupe-served-'));
    const models = { roots: [folder], loaded: 2, checkMs: 60_000 };
    const modelServers = { allowPrivate: true, allowedHosts: [], waitMs };
    const server = await KserveServer.start();
    return new ServedFolder(
      folder,
      await loadKserve({ models, modelServers }),
      await loadOnnx({ models }),
      server,
    );
  }

  async close(): Promise<void> {
    await this.detector.close!();
    await this.local.close!();
    await this.server.close();
    await rm(this.path, { recursive: true });
  }

  /** Writes the same model as a file and to the server. */
  async write(name: string, model: Buffer, options: ServedOptions = {}): Promise<void> {
    await writeFile(path.join(this.path, `${name}.onnx`), model);
    await this.server.serve(name, model, options);
  }

  job(name: string, properties: Properties = {}): Promise<DetectionJob> {
    return jobOf('kserve', {
      TRITON_SERVER: this.server.address,
      MODEL_NAME: name,
      COMPONENT_HTTP_RETRY_INITIAL_DELAY_MS: '1',
      COMPONENT_HTTP_RETRY_MAX_DELAY_MS: '5',
      COMPONENT_HTTP_RETRY_MAX_ATTEMPTS: '3',
      ...properties,
    });
  }

  async inImage(name: string, properties: Properties = {}, frame: Frame = WHITE): Promise<FoundTrack[]> {
    return all(this.detector.image!(frame, await this.job(name, properties)));
  }

  /** The error for a picture as `CODE: message`. */
  complaint(name: string, properties: Properties = {}): Promise<string> {
    return this.inImage(name, properties).then(
      (found) => `nothing, but ${JSON.stringify(found)}`,
      (error: { code?: string; message: string }) => `${error.code}: ${error.message}`,
    );
  }
}
