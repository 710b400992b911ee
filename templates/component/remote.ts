/** Runs this component on any host: `TROUPE_URL=https://media.example node dist/remote.js`. The README says what else it reads. */
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runComponent } from '@troupe/sdk';

const {
  TROUPE_URL: serverUrl = 'http://127.0.0.1:8080',
  TROUPE_TOKEN: token,
  TROUPE_ISSUER_URI: issuer = `${serverUrl}/oidc`,
  TROUPE_CLIENT_ID: clientId = '',
  TROUPE_CLIENT_SECRET: clientSecret = '',
  PROCESSES = String(availableParallelism()),
  MEDIA_CACHE_FOLDER,
  MEDIA_CACHE_BYTES,
} = process.env;

await runComponent({
  // Where descriptor.json lies: beside dist/.
  folder: dirname(dirname(fileURLToPath(import.meta.url))),
  serverUrl,
  access: token ?? { issuer, clientId, clientSecret },
  processes: Number(PROCESSES),
  mediaCache: {
    ...(MEDIA_CACHE_FOLDER === undefined ? {} : { folder: MEDIA_CACHE_FOLDER }),
    ...(MEDIA_CACHE_BYTES === undefined ? {} : { bytes: Number(MEDIA_CACHE_BYTES) }),
  },
  log: (message) => console.error(message),
});
