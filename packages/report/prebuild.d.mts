/** The page's script, minified, with the licences of what it holds. */
export function bundlePage(): string;
/** Writes `dist/page-script.js` and its declaration. */
export function prebuild(): void;
