import Database, { type Statement } from 'better-sqlite3';
import type { Properties } from '../../domain/types.ts';

/** Properties of tracks, by their place in the medium. SQLite moves them to a temporary file if there are many, and deletes it. */
export class TrackMarks {
  readonly #db = new Database('');
  readonly #insert: Statement<[number, string]>;
  readonly #select: Statement<[number], string>;

  constructor() {
    this.#db.pragma('journal_mode = OFF');
    this.#db.exec('CREATE TABLE marks (track INTEGER PRIMARY KEY, properties TEXT); BEGIN');
    this.#insert = this.#db.prepare('INSERT INTO marks VALUES (?, ?)');
    this.#select = this.#db.prepare<[number], string>('SELECT properties FROM marks WHERE track = ?').pluck();
  }

  add(track: number, properties: Properties): void {
    if (Object.keys(properties).length > 0) this.#insert.run(track, JSON.stringify(properties));
  }

  propertiesOf(track: number): Properties | undefined {
    const text = this.#select.get(track);
    return text === undefined ? undefined : (JSON.parse(text) as Properties);
  }

  close(): void {
    this.#db.close();
  }
}
