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

export class LatePart<Module> {
  readonly #name: string;
  readonly #load: () => Promise<Module>;
  #loading: Promise<Module> | undefined;
  #failures = 0;
  /** Where the script is, known once it did not come. */
  #address: URL | undefined;

  /**
   * @param name as the subject of a sentence
   * @param load an `import`, which bundlers read
   */
  constructor(name: string, load: () => Promise<Module>) {
    this.#name = name;
    this.#load = load;
  }

  /** @throws MissingPartError; the next call tries again */
  get(): Promise<Module> {
    this.#loading ??= this.#attempt().catch((cause: unknown) => {
      this.#loading = undefined;
      this.#failures++;
      this.#address = addressIn(cause);
      throw new MissingPartError(this.#name, cause);
    });
    return this.#loading;
  }

  /** Begins to load it; what goes wrong is told to whoever gets it. */
  loadAhead(): void {
    this.get().catch(() => {});
  }

  /** Chromium keeps that an address failed, for as long as the page lives: a later attempt has another one. */
  #attempt(): Promise<Module> {
    if (this.#address === undefined) return this.#load();
    this.#address.searchParams.set('attempt', String(this.#failures + 1));
    return import(/* @vite-ignore */ this.#address.href) as Promise<Module>;
  }
}

/** The address that a browser says it could not import; where it names none, the same one is asked for again. */
function addressIn(cause: unknown): URL | undefined {
  const [address] = /https?:\S+/.exec(cause instanceof Error ? cause.message : '') ?? [];
  return address !== undefined && URL.canParse(address) ? new URL(address) : undefined;
}
