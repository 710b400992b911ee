/** Requests a stream: DESCRIBE, SETUP over the same connection or by UDP, PLAY; with user and password, and over redirections. */
import { authorization, credentialsOf, type Authorize } from '../input/authorization.ts';
import type { Connect, Transport } from '../input/input.ts';
import { LiveError } from '../input/live-error.ts';
import { connectRtsp, requestUri, type RtspConnection, type RtspEvents } from './connection.ts';
import type { RtspMessage } from './messages.ts';
import type { RtspVideo } from './sdp.ts';
import { UdpPorts } from './udp-ports.ts';

const MOST_REDIRECTS = 5;
/** Default session timeout of servers in seconds (RFC 2326, 12.37). */
const SESSION_S = 60;

export interface RtspSession {
  readonly video: RtspVideo;
  /** Channels of the pictures and of their control packets. */
  readonly channels: readonly [number, number];
  /** True if the server pauses while we do not read. */
  readonly waits: boolean;
  /** Asks the server to send. */
  play(): Promise<void>;
  close(): void;
  readonly connection: RtspConnection;
}

/** Opens a session. Follows redirections, and checks each address like the first. */
export async function openSession(
  uri: string,
  connect: Connect,
  signal: AbortSignal,
  events: RtspEvents,
): Promise<RtspSession> {
  let url = new URL(uri);
  if (url.protocol === 'rtsps:' && connect.transport === 'UDP') throw wouldBeOpen();
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const connection = await connectRtsp(url, connect, signal, events);
    try {
      const found = await new Opening(connection, url, connect.transport === 'UDP', events).open();
      if (!(found instanceof URL)) return found;
      // User and password are only used for the host that they were given for.
      if (found.host === url.host) [found.username, found.password] = [url.username, url.password];
      url = found;
      connection.close();
    } catch (error) {
      connection.close();
      throw error;
    }
  }
  throw new LiveError('REFUSED', `The camera redirects more than ${MOST_REDIRECTS} times.`);
}

class Opening {
  readonly #connection: RtspConnection;
  readonly #url: URL;
  readonly #byUdp: boolean;
  readonly #events: RtspEvents;
  #authorize: Authorize | undefined;

  constructor(connection: RtspConnection, url: URL, byUdp: boolean, events: RtspEvents) {
    this.#connection = connection;
    this.#url = url;
    this.#byUdp = byUdp;
    this.#events = events;
  }

  async open(): Promise<RtspSession | URL> {
    const uri = requestUri(this.#url);
    const described = await this.#ask('DESCRIBE', uri, { Accept: 'application/sdp' });
    if (isRedirection(described)) return this.#redirection(described);
    checkAnswer(described, 'DESCRIBE');
    const { videoOf } = await import('./sdp.ts');
    const video = videoOf(described.body);
    const base =
      described.headers.get('content-base')?.[0] ?? described.headers.get('content-location')?.[0] ?? uri;
    const control = controlUri(base, video.control);
    const whole = controlUri(base, video.sessionControl);
    return this.#byUdp ? this.#overUdp(video, control, whole) : this.#overTcp(video, control, whole);
  }

  async #overTcp(video: RtspVideo, control: string, whole: string): Promise<RtspSession> {
    const answer = await this.#setUp(control, 'RTP/AVP/TCP;unicast;interleaved=0-1', 'TCP');
    const transport = answer.headers.get('transport')?.[0] ?? '';
    if (!/RTP\/AVPF?\/TCP/i.test(transport)) throw sendsOtherwise('TCP');
    const [, media, about] = /interleaved=(\d+)(?:-(\d+))?/.exec(transport) ?? [];
    const channel = Number(media ?? 0);
    return this.#session(video, [channel, Number(about ?? channel + 1)], whole, answer);
  }

  /** Sets up UDP. Pictures are accepted only from the connection's address, whatever address the camera names. */
  async #overUdp(video: RtspVideo, control: string, whole: string): Promise<RtspSession> {
    const { camera } = this.#connection;
    const ports = await UdpPorts.open(camera, this.#events);
    try {
      const wanted = `RTP/AVP;unicast;client_port=${ports.port}-${ports.port + 1}`;
      const answer = await this.#setUp(control, wanted, 'UDP');
      const transport = answer.headers.get('transport')?.[0] ?? '';
      if (/RTP\/AVPF?\/TCP/i.test(transport)) throw sendsOtherwise('UDP');
      const [, media, about] = /server_port=(\d+)(?:-(\d+))?/.exec(transport) ?? [];
      const first = Number(media ?? 0);
      ports.greet(camera, [first, Number(about ?? (first === 0 ? 0 : first + 1))]);
      const session = this.#session(video, [0, 1], whole, answer);
      return {
        ...session,
        close: () => {
          session.close();
          ports.close();
        },
      };
    } catch (error) {
      ports.close();
      throw error;
    }
  }

  async #setUp(control: string, transport: string, by: Transport): Promise<RtspMessage> {
    const answer = await this.#ask('SETUP', control, { Transport: transport });
    if (answer.status === 461) throw sendsOtherwise(by);
    return checkAnswer(answer, 'SETUP');
  }

  #session(
    video: RtspVideo,
    channels: readonly [number, number],
    uri: string,
    setUp: RtspMessage,
  ): RtspSession {
    const [id = '', ...parameters] = (setUp.headers.get('session')?.[0] ?? '').split(';');
    const session = id.trim();
    const timeoutS = Number(/timeout=(\d+)/.exec(parameters.join(';'))?.[1] ?? SESSION_S);
    const headers: Record<string, string> = session === '' ? {} : { Session: session };
    let alive: NodeJS.Timeout | undefined;
    return {
      video,
      channels,
      waits: !this.#byUdp,
      connection: this.#connection,
      play: async () => {
        checkAnswer(await this.#ask('PLAY', uri, { ...headers, Range: 'npt=0.000-' }), 'PLAY');
        const everyMs = Math.min(Math.max(timeoutS, 2), 3_600) * 500;
        alive = setInterval(() => this.#tell('GET_PARAMETER', uri, headers), everyMs);
      },
      close: () => {
        clearInterval(alive);
        this.#tell('TEARDOWN', uri, headers);
        this.#connection.close();
      },
    };
  }

  /** Sends a request. If the server requests user and password, sends it once more with these. */
  async #ask(method: string, uri: string, headers: Readonly<Record<string, string>>): Promise<RtspMessage> {
    const answer = await this.#connection.ask(method, uri, this.#headersWith(method, uri, headers));
    if (answer.status !== 401) return answer;
    const credentials = credentialsOf(this.#url);
    const before = this.#authorize;
    const challenges = answer.headers.get('www-authenticate') ?? [];
    this.#authorize = credentials && authorization(challenges, credentials);
    // Credentials that were refused with a fresh nonce are wrong. A stale nonce is replaced.
    const wrong = before !== undefined && !challenges.some((one) => /stale\s*=\s*"?true/i.test(one));
    if (this.#authorize === undefined || wrong) throw unauthorizedError(credentials === undefined);
    const second = await this.#connection.ask(method, uri, this.#headersWith(method, uri, headers));
    if (second.status === 401) throw unauthorizedError(false);
    return second;
  }

  #tell(method: string, uri: string, headers: Readonly<Record<string, string>>): void {
    this.#connection.tell(method, uri, this.#headersWith(method, uri, headers));
  }

  #headersWith(
    method: string,
    uri: string,
    headers: Readonly<Record<string, string>>,
  ): Readonly<Record<string, string>> {
    const authorize = this.#authorize;
    return authorize === undefined ? headers : { ...headers, Authorization: authorize(method, uri) };
  }

  #redirection(answer: RtspMessage): URL {
    const location = answer.headers.get('location')?.[0] ?? '';
    if (URL.canParse(location)) {
      const url = new URL(location);
      if (url.protocol === 'rtsps:' || url.protocol === this.#url.protocol) return url;
    }
    throw new LiveError(
      'REFUSED',
      `The camera redirects to an address that does not use ${this.#url.protocol === 'rtsps:' ? 'RTSP with encryption' : 'RTSP'}.`,
    );
  }
}

const isRedirection = ({ status = 0 }: RtspMessage): boolean =>
  [301, 302, 303, 305, 307, 308].includes(status);

function checkAnswer(answer: RtspMessage, method: string): RtspMessage {
  const { status = 0 } = answer;
  if (status === 200) return answer;
  if (status === 403) throw unauthorizedError(false);
  if (status === 404) throw new LiveError('REFUSED', 'The camera has no stream at this path (status 404).');
  throw new LiveError('REFUSED', `The camera answered ${method} with status ${status}.`);
}

const sendsOtherwise = (wanted: Transport): LiveError =>
  new LiveError(
    'UNSUPPORTED',
    `The camera does not send over ${wanted}: RTSP_TRANSPORT=${wanted === 'TCP' ? 'UDP' : 'TCP'} selects the other transport.`,
  );

const wouldBeOpen = (): LiveError =>
  new LiveError(
    'UNSUPPORTED',
    'RTSP_TRANSPORT=UDP would not encrypt the video of an rtsps address. Remove RTSP_TRANSPORT.',
  );

const unauthorizedError = (without: boolean): LiveError =>
  new LiveError(
    'UNAUTHORIZED',
    without
      ? 'The camera requires user and password, but the URI has none.'
      : 'The camera refuses the login: user or password are wrong.',
  );

/** Returns the address of a part of the session. The request uses the same connection, whatever host the address names. */
function controlUri(base: string, control: string): string {
  if (control === '' || control === '*') return base;
  if (/^rtsps?:\/\//i.test(control)) return control;
  return base.endsWith('/') ? `${base}${control}` : `${base}/${control}`;
}
