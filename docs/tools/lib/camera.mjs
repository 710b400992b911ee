/** A camera for pictures of the documentation: it sends JPEG pictures over HTTP again and again, until its connection is closed. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** What cameras show: the places of videos, and what is looked for in them. */
export const CAMERAS = [
  ['street', 'scenes', 'FACE DETECTION PIPELINE', {}],
  [
    'yard',
    'things',
    'OBJECT DETECTION PIPELINE',
    {
      zones: [{ name: 'table', points: [[0.06, 0.12], [0.94, 0.12], [0.94, 0.96], [0.06, 0.96]] }], // oxfmt-ignore
      lines: [{ name: 'middle', points: [[0.5, 0.12], [0.5, 0.96]] }], // oxfmt-ignore
    },
  ],
];
/** Frames of a video that its camera sends again and again. */
export const CAMERA_FRAMES = 90;

const PICTURES_A_SECOND = 10;
const BOUNDARY = 'picture';

/** `films`: by their path, the pictures that a camera sends in turn. */
export async function startCameras(films) {
  const server = createServer(({ url }, response) => {
    const film = films[url.slice(1)];
    if (film === undefined) response.writeHead(404).end();
    else void send(film, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { urlOf: (name) => `http://127.0.0.1:${server.address().port}/${name}`, close };
}

async function send(film, response) {
  response.writeHead(200, { 'content-type': `multipart/x-mixed-replace; boundary=${BOUNDARY}` });
  for (let n = 0; !response.destroyed; n = (n + 1) % film.length) {
    response.write(`--${BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: ${film[n].length}\r\n\r\n`);
    response.write(film[n]);
    response.write('\r\n');
    await pause(1_000 / PICTURES_A_SECOND);
  }
}
