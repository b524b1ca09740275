/**
 * Text inside HTML. Names come from model files and may hold anything: every one passes through here.
 * https://html.spec.whatwg.org/multipage/scripting.html#restrictions-for-contents-of-script-elements
 */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Safe as an element's text and inside a quoted attribute. Control characters, which HTML forbids, become U+FFFD. */
export function escapeHtml(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '\ufffd')
      .replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter)
  );
}

/** JSON that can stand inside a `<script>` element: no `<` is left, so nothing in it can end or open an element. */
export function jsonForScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
