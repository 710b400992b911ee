/**
 * Records calls between rooms in this process with breakpoints of the V8 debugger. Their conditions record
 * the caller and are always false, so the code never stops.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Session, type Debugger } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { namedFunctions, type NamedFunction } from './functions.ts';
import { MAILBOX, REPLY, type Room } from './paths.ts';

export type Call = readonly [from: string, to: string];

interface Script {
  readonly scriptId: string;
  readonly functions: readonly NamedFunction[];
}

/** The start of a path. */
export const REQUEST = 'request';
const GLOBAL = '__recordCall';
const FRAME = /\(?(file:\/\/[^()]+?):(\d+):(\d+)\)?$/;
const MOST_FRAMES = 60;
const REQUESTS = 'http.server.request.start';
/** Requests with this header are recorded. */
export const RECORDED = { 'x-request-id': 'recorded-path' };

/** Setting a breakpoint is slow in a large process, so breakpoints stay until `close`. */
export class PathRecorder {
  readonly #session = new Session();
  /** Scripts of this process by file. */
  readonly #loaded = new Map<string, Debugger.ScriptParsedEventDataType>();
  /** Scripts of rooms by file. */
  readonly #scripts = new Map<string, Script>();
  /** Functions with a breakpoint. */
  readonly #watched = new Set<NamedFunction>();
  #rooms: readonly Room[] = [];
  /** Absent: nothing is recorded now. */
  #calls: Call[] | undefined;
  /** The calls of the recording to which the asynchronous context belongs, up to a mailbox. */
  readonly #recorded = new AsyncLocalStorage<readonly Call[] | undefined>();
  readonly #onRequest = (message: unknown) => {
    const { headers } = (message as { readonly request: IncomingMessage }).request;
    this.#recorded.enterWith(headers['x-request-id'] === RECORDED['x-request-id'] ? this.#calls : undefined);
  };

  static async open(): Promise<PathRecorder> {
    const recorder = new PathRecorder();
    await recorder.#open();
    return recorder;
  }

  async #open(): Promise<void> {
    subscribe(REQUESTS, this.#onRequest);
    Reflect.set(globalThis, GLOBAL, () => this.#note());
    this.#session.connect();
    this.#session.on('Debugger.scriptParsed', ({ params }) => {
      const file = sourceOf(params.url);
      if (file !== undefined) this.#loaded.set(file, params);
    });
    await this.#post('Debugger.enable', {});
  }

  /** The calls between these rooms during `work`, in order. `work` sends one recorded request. */
  async record(rooms: readonly Room[], work: () => Promise<unknown>): Promise<readonly Call[]> {
    this.#rooms = [...rooms, MAILBOX];
    await this.#watchRooms();
    const calls: Call[] = (this.#calls = []);
    try {
      await work();
      return calls;
    } finally {
      this.#calls = undefined;
    }
  }

  /** Finds the functions of the rooms in all loaded code. */
  async #watchRooms(): Promise<void> {
    for (const [file, { scriptId, url }] of this.#loaded) {
      if (!this.#rooms.some(({ code }) => code.some((one) => isIn(file, one)))) continue;
      const script = this.#scripts.get(file) ?? {
        scriptId,
        functions: namedFunctions(readFileSync(fileURLToPath(url), 'utf8')),
      };
      this.#scripts.set(file, script);
      for (const one of script.functions) {
        const room = this.#roomOf(file, one.name);
        if (room === undefined || (room === MAILBOX.name && one.name !== 'ask')) continue;
        if (!this.#watched.has(one)) await this.#watch(script, one);
        this.#watched.add(one);
      }
    }
  }

  close(): void {
    this.#session.disconnect();
    unsubscribe(REQUESTS, this.#onRequest);
    Reflect.deleteProperty(globalThis, GLOBAL);
  }

  async #watch({ scriptId }: Script, { body }: NamedFunction): Promise<void> {
    const place = ({ line, column }: NamedFunction['body']['start']) => ({
      scriptId,
      lineNumber: line - 1,
      columnNumber: column,
    });
    const { locations } = (await this.#post('Debugger.getPossibleBreakpoints', {
      start: place(body.start),
      end: place(body.end),
    })) as Debugger.GetPossibleBreakpointsReturnType;
    const [first] = locations;
    if (first === undefined) return;
    const condition = `globalThis.${GLOBAL}()`;
    await this.#post('Debugger.setBreakpoint', { location: first, condition });
  }

  /**
   * Returns undefined, so that the breakpoint does not stop. A call back into a waiting room is not recorded.
   */
  #note(): void {
    const calls = this.#calls;
    if (calls === undefined) return;
    const [to, ...places] = this.#roomsNow();
    if (to === undefined) return;
    const callers = places.filter((room) => room !== undefined);
    if (this.#recorded.getStore() !== calls && !this.#isInMailbox(calls, callers)) return;
    const from = callerAmong(callers);
    // A message from actor to actor belongs to another path.
    if (to === MAILBOX.name ? from === MAILBOX.name : callers.includes(to)) return;
    this.#noteMissed(calls, callers);
    const last = calls.at(-1);
    if (last?.[0] !== from || last[1] !== to) calls.push([from, to]);
  }

  /** V8 may pass over a breakpoint: a room that waits for this call was entered, too. */
  #noteMissed(calls: Call[], callers: readonly string[]): void {
    for (let place = callers.length - 1; place >= 0; place--) {
      const room = callers[place]!;
      if (room === MAILBOX.name || calls.some(([, to]) => to === room)) continue;
      const from = callerAmong(callers.slice(place + 1).filter((one) => one !== room));
      calls.push([from, room]);
    }
  }

  /**
   * A mailbox loses the asynchronous context. While the request waits for an actor, all calls that did not
   * start in the first room belong to it.
   */
  #isInMailbox(calls: readonly Call[], callers: readonly string[]): boolean {
    const isAsked = calls.some(([, to]) => to === MAILBOX.name);
    const isAnswered = calls.some(([from, to]) => from === this.#rooms[0]?.name && to === REPLY.name);
    return isAsked && !isAnswered && callers.length > 0 && !callers.includes(this.#rooms[0]?.name ?? '');
  }

  /** The rooms on the call stack, innermost first; undefined for other code. */
  #roomsNow(): readonly (string | undefined)[] {
    return framesNow().map(({ file, line, column }) => {
      const script = this.#scripts.get(file);
      const name = script && innermost(script.functions, line, column);
      return script && this.#roomOf(file, name ?? '');
    });
  }

  #roomOf(file: string, name: string): string | undefined {
    return this.#rooms.find(({ code }) =>
      code.some((one) => (one.includes('#') ? one === `${file}#${name}` : isIn(file, one))),
    )?.name;
  }

  #post(method: string, params: object): Promise<object | undefined> {
    return new Promise((resolve, reject) =>
      this.#session.post(method, params, (error, result) =>
        error === null ? resolve(result) : reject(new Error(error.message)),
      ),
    );
  }
}

/** The room that the others were called from, the innermost first. */
const callerAmong = (callers: readonly string[]) =>
  callers.find((room) => room !== MAILBOX.name) ?? callers[0] ?? REQUEST;

const isIn = (file: string, code: string) =>
  code.endsWith('/') ? file.startsWith(code) : file === code.split('#')[0];

/** The source of a built module, relative to the root of the repository. */
function sourceOf(url: string): string | undefined {
  const [, file] = /\/dist\/(?!test\/)(.+)\.js$/.exec(url) ?? [];
  return file === undefined ? undefined : `${file}.ts`;
}

function framesNow(): readonly { readonly file: string; readonly line: number; readonly column: number }[] {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = MOST_FRAMES;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = limit;
  return stack.split('\n').flatMap((text) => {
    const [, url = '', line, column] = FRAME.exec(text) ?? [];
    const file = sourceOf(url.replace(/\.ts$/, '.js'));
    return file === undefined ? [] : [{ file, line: Number(line), column: Number(column) - 1 }];
  });
}

/** The name of the function at this position. */
function innermost(functions: readonly NamedFunction[], line: number, column: number): string | undefined {
  const around = functions.filter(
    ({ body: { start, end } }) =>
      (line > start.line || (line === start.line && column >= start.column)) &&
      (line < end.line || (line === end.line && column <= end.column)),
  );
  return around.at(-1)?.name;
}
