/** Whether this Node can run the workspace; kept to syntax that Node 12 parses, so that it can say so itself. */

/**
 * @param {string} version what runs, e.g. `20.19.0`
 * @param {string} range the engines field, `>=` and a version
 * @returns {string | undefined} what to tell the user; undefined when the version is high enough
 */
export function nodeVersionProblem(version, range) {
  const wanted = range.replace('>=', '');
  const have = numbers(version);
  const need = numbers(wanted);
  for (let i = 0; i < 3; i++) {
    if (have[i] > need[i]) return undefined;
    if (have[i] < need[i]) {
      return `OneGpu needs Node.js ${wanted} or newer; this is ${version}. Install a current version from https://nodejs.org`;
    }
  }
  return undefined;
}

function numbers(version) {
  const parts = version.split('-')[0].split('.').map(Number);
  return [parts[0] || 0, parts[1] || 0, parts[2] || 0];
}
