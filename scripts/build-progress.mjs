/** The number of packages from which a build takes so long that its duration is worth a word. */
const many = 4;

/** Reports the progress of `tsc -b --verbose` by package. */
export class BuildProgress {
  #report;
  #total;
  #built = 0;

  /** @param dry - the output of `tsc -b --dry` */
  constructor(dry, report) {
    this.#report = report;
    this.#total = dry.match(/would build/g)?.length ?? 0;
    if (this.#total === 0) return;
    const packages = this.#total === 1 ? 'one package' : `${this.#total} packages`;
    const duration = this.#total >= many ? ', which takes about 20 s; later starts skip this step' : '';
    report(`building ${packages}${duration}`);
  }

  /** Takes a line of output; returns false for a line that is not about progress, such as a type error. */
  take(line) {
    const [, folder] = / - Building project '(.+?)[\\/]tsconfig\.json'/.exec(line) ?? [];
    if (folder !== undefined) {
      this.#built++;
      const total = Math.max(this.#total, this.#built);
      this.#report(`building ${this.#built} of ${total}: ${folder.replaceAll('\\', '/')}`);
    }
    return line.trim() === '' || / - (?:Projects? |Building project |Updating |Skipping )|^ +\* /.test(line);
  }

  bundling() {
    if (this.#total > 0) this.#report('bundling');
  }
}
