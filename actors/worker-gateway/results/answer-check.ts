/** Checks that results fit their sub-jobs. */
import { NOT_THE_MEDIUM, type AnswerOutcome } from '../../../protocol/answer-outcome.ts';
import type { CheckedResult, ExpectedAnswer, ResultChecker } from '../../../results/check/check.ts';
import { withKeys } from '../leases/files.ts';
import type { AnswerFiles } from './answer-files.ts';
import type { AnswerSettlement } from './answer-settlement.ts';
import { isChecked, type Checked, type Received, type SentAnswer, type Unchecked } from './sent-answer.ts';

export class AnswerCheck {
  readonly #checker: ResultChecker;
  readonly #files: AnswerFiles;
  readonly #settlement: AnswerSettlement;

  constructor(checker: ResultChecker, files: AnswerFiles, settlement: AnswerSettlement) {
    this.#checker = checker;
    this.#files = files;
    this.#settlement = settlement;
  }

  async one(answer: Received): Promise<Checked | AnswerOutcome> {
    const [checked] = await this.all([answer]);
    return checked!;
  }

  /** Checks all answers together. Returns the outcomes in the order of the answers. */
  async all<A extends SentAnswer>(
    answers: readonly Received<A>[],
  ): Promise<readonly (Checked<A> | AnswerOutcome)[]> {
    const unchecked = answers.filter((answer): answer is Unchecked<A> => !isChecked(answer));
    const results = await this.#checker.checkResults(unchecked.map(expectedOf));
    const resultOf = new Map(unchecked.map((answer, n) => [answer as Received<A>, results[n]!]));
    const outcomes: (Checked<A> | AnswerOutcome)[] = [];
    for (const answer of answers)
      outcomes.push(isChecked(answer) ? answer : await this.#judge(answer, resultOf.get(answer)!));
    return outcomes;
  }

  async #judge<A extends SentAnswer>(
    { range: _, ...answer }: Unchecked<A>,
    result: CheckedResult,
  ): Promise<Checked<A> | AnswerOutcome> {
    const { token } = answer.answer;
    if (!result.ok) return this.#settlement.garbage(token, result.reason, answer.file);
    if (!(await this.#files.isOfMedium(answer.row, result)))
      return this.#settlement.garbage(token, NOT_THE_MEDIUM, answer.file);
    return { ...answer, said: withKeys(result, (named) => this.#files.keyOf(named)) };
  }
}

const expectedOf = ({ answer, file, row: { kind }, range }: Unchecked): ExpectedAnswer => ({
  ...(file === undefined ? { text: answer.lines ?? '' } : { path: file }),
  kind,
  expectations: { range },
});
