/** A certificate that vouches for itself. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export interface Certificate {
  /** Files of PEM. */
  readonly key: string;
  readonly cert: string;
}

/** Made in the folder. `of`: whose it is, as a subjectAltName says it. */
export function selfSigned(folder: string, name: string, of: string): Certificate {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
  const request =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test -addext';
  const files = [`subjectAltName=${of}`, '-keyout', key, '-out', cert];
  execFileSync('openssl', [...request.split(' '), ...files], { stdio: 'ignore' });
  return { key, cert };
}
