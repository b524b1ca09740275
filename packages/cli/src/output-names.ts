/** File names for the outputs of a model, whose names may hold anything: slashes, dots, a thousand letters. */

/** Longest file name made, extension left out; file systems take 255 bytes. */
const LONGEST = 200;

/**
 * One file name an output, in order: only letters, digits, dot, dash and underscore stay, no leading dot, and where
 * two come out alike (on file systems that ignore case too) the later one gets a number.
 */
export function outputFileNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const base =
      name
        .replace(/[^\w.-]+/g, '_')
        .replace(/^\.+/, '_')
        .slice(0, LONGEST) || 'output';
    let file = base;
    for (let suffix = 2; taken.has(file.toLowerCase()); suffix++) file = `${base}-${suffix}`;
    taken.add(file.toLowerCase());
    return file;
  });
}
