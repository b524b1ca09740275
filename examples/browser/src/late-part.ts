/**
 * Scripts beside the page's first one, loaded when they are needed or ahead of it, once. One that did not come is asked
 * for again by whoever needs it next.
 */

/** A script of the page did not load. */
export class MissingPartError extends Error {
  override readonly name = 'MissingPartError';

  constructor(part: string, cause: unknown) {
    const got = cause instanceof Error ? cause.message : String(cause);
    super(
      `${part} did not load (${got}). See that the server of this page can be reached and try again: the page asks ` +
        'for it once more. Reload the page if that does not help.',
      { cause },
    );
  }
}

export class LatePart<Part> {
  readonly #name: string;
  readonly #load: () => Promise<Part>;
  #loading: Promise<Part> | undefined;
  #part: Part | undefined;

  /** @param name as the subject of a sentence */
  constructor(name: string, load: () => Promise<Part>) {
    this.#name = name;
    this.#load = load;
  }

  /** Undefined until it was loaded. */
  get loaded(): Part | undefined {
    return this.#part;
  }

  /** @throws MissingPartError; the next call tries again */
  get(): Promise<Part> {
    this.#loading ??= this.#load().then(
      (part) => {
        this.#part = part;
        return part;
      },
      (cause: unknown) => {
        this.#loading = undefined;
        throw new MissingPartError(this.#name, cause);
      },
    );
    return this.#loading;
  }

  /** Begins to load it; what goes wrong is told to whoever gets it. */
  loadAhead(): void {
    this.get().catch(() => {});
  }
}
