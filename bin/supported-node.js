// Syntax that an old Node.js reads, as in svc.js: this module tells the user that it is too old.

/** Whether a version is in a range of parts like ^22.22.2 or >=26.0.0, separated by ||. */
function isSupported(range, version) {
  return range.split('||').some(function (part) {
    var match = /(\^|>=)(\d+)\.(\d+)\.(\d+)/.exec(part);
    var least = match.slice(2).map(Number);
    var here = version.split('.').map(Number);
    if (match[1] === '^' && here[0] !== least[0]) return false;
    for (var i = 0; i < 3; i++) {
      if (here[i] !== least[i]) return here[i] > least[i];
    }
    return true;
  });
}

/** A sentence that says which Node.js is needed; undefined when this one is in the range. */
module.exports = function refusal(range) {
  var version = process.versions.node;
  return isSupported(range, version)
    ? undefined
    : ['svc: Node.js', version, 'is not supported; svc needs', range].join(' ').concat('.');
};
